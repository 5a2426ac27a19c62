"""Do the notebooks run from top to bottom, and are they kept without outputs?"""

import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


class Notebooks(unittest.TestCase):
    def notebooks(self) -> list[Path]:
        found = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual(len(found), 3)
        return found

    def test_every_cell_runs(self) -> None:
        for path in self.notebooks():
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                NotebookClient(notebook, timeout=600).execute(cwd=str(FOLDER))
                drawn = [
                    output
                    for cell in notebook.cells
                    if cell.cell_type == "code"
                    for output in cell.outputs
                    if "image/png" in output.get("data", {})
                ]
                self.assertTrue(drawn, "no figure")

    def test_no_outputs_are_kept(self) -> None:
        for path in self.notebooks():
            for cell in nbformat.read(path, as_version=4).cells:
                self.assertFalse(cell.get("outputs"), path.name)


if __name__ == "__main__":
    unittest.main()
