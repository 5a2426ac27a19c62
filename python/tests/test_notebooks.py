"""Do the notebooks run from top to bottom, and are the outputs that they are kept with today's?"""

import unittest
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


class Notebooks(unittest.TestCase):
    def notebooks(self) -> list[Path]:
        found = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual(len(found), 3)
        return found

    def test_every_cell_runs_and_its_output_is_the_kept_one(self) -> None:
        for path in self.notebooks():
            with self.subTest(path.name):
                kept = nbformat.read(path, as_version=4)
                fresh = nbformat.read(path, as_version=4)
                NotebookClient(fresh, timeout=600).execute(cwd=str(FOLDER))
                for before, after in zip(kept.cells, fresh.cells):
                    # Times are never the same again.
                    if "measure_cpu" not in path.read_text(encoding="utf-8"):
                        self.assertEqual(texts(before), texts(after), path.name)
                drawn = [output for cell in kept.cells for output in outputs(cell) if "image/png" in output.get("data", {})]
                self.assertTrue(drawn, "no figure")


def outputs(cell: Any) -> list[Any]:
    return [one for one in cell.outputs if one.get("name") != "stderr"] if cell.cell_type == "code" else []


def texts(cell: Any) -> list[str]:
    """What a cell prints; figures are drawn differently by every version."""
    printed = (output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs(cell))
    return [text for text in printed if not text.startswith("<Figure")]


if __name__ == "__main__":
    unittest.main()
