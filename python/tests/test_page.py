"""Do the Python blocks of the book's page run, one after the other?"""

import os
import re
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/python.md"


class Page(unittest.TestCase):
    def test_every_block_runs(self) -> None:
        blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        self.assertGreater(len(blocks), 3)
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                names: dict[str, object] = {}
                for block in blocks:
                    exec(compile(block, str(PAGE), "exec"), names)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
