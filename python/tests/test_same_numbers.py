"""Are the numbers those of the command line, digit by digit?"""

import csv
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import warpstack
from program import PROGRAMS, ROOT, printed, run


def typed(cell: str) -> Any:
    """A cell of a CSV file as JSON would have it."""
    try:
        return json.loads(cell) if cell else None
    except json.JSONDecodeError:
        return cell


def columns_of_csv(text: str) -> dict[str, list[Any]]:
    names, *rows = csv.reader(io.StringIO(text))
    return {name: [typed(row[at]) for row in rows] for at, name in enumerate(names)}


class Predict(unittest.TestCase):
    def check(self, *options: str, **keywords: Any) -> None:
        of_program = json.loads(printed("predict", *options, "--format", "json"))
        prediction = warpstack.predict(**keywords)
        # How long it took is never the same.
        self.assertGreaterEqual(prediction.pop("wall_seconds"), 0)
        del of_program["wall_seconds"]
        self.assertEqual(prediction, of_program)
        self.assertEqual(prediction.memory.l1_load_hit_percent, of_program["memory"]["l1_load_hit_percent"])

    def test_simulated(self) -> None:
        self.check("--threads", "256", "--l1", "48", threads=256, l1=48)

    def test_another_problem_kernel_and_size(self) -> None:
        options = "--threads 128 --kernel lgp --problem mux20 --stack-dim 4"
        self.check(*options.split(), threads=128, kernel="lgp", problem="mux20", stack_dim=4)

    def test_closed_form_on_another_device(self) -> None:
        options = "--device h200 --threads 512 --kernel lgp-registers --stack-registers 2 --engine analytical"
        keywords = dict(device="h200", kernel="lgp-registers", stack_registers=2, engine="analytical")
        self.check(*options.split(), threads=512, **keywords)

    def test_kernel_of_another_paper(self) -> None:
        options = "--device gtx295 --kernel submachine --threads 64 --problem mux20 --threads-per-program 4 --engine analytical"
        keywords = dict(device="gtx295", kernel="submachine", problem="mux20")
        self.check(*options.split(), threads=64, threads_per_program=4, engine="analytical", **keywords)

    def test_programs_of_a_file_and_of_a_list(self) -> None:
        options = ["--threads", "64", "--programs", str(PROGRAMS), "--population", "2000"]
        self.check(*options, threads=64, programs=PROGRAMS, population=2000)
        lines = PROGRAMS.read_text().splitlines()
        self.check(*options, threads=64, programs=lines, population=2000)

    def test_programs_as_libraries_print_them(self) -> None:
        file = ROOT / "fixtures/programs/deap.txt"
        options = ["--threads", "64", "--programs", str(file)]
        self.check(*options, threads=64, programs=file.read_text().splitlines())

    def test_what_is_inferred_of_the_papers_programs(self) -> None:
        options = ["--threads", "64", "--engine", "analytical"]
        self.check(*options, "--inferred", threads=64, engine="analytical", inferred=True)
        self.check(*options, threads=64, engine="analytical", inferred=False)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "inferred.csv")
            path.write_text("problem,mean_nodes,longest,slow_operands\nsextic,0.5,2,1\n")
            self.check(*options, f"--inferred={path}", threads=64, engine="analytical", inferred=path)


class Explain(unittest.TestCase):
    def test_one_launch_and_several(self) -> None:
        of_program = json.loads(printed(*"explain --threads 64 --engine analytical --against threads=128 --format json".split()))
        both = warpstack.explain("threads=128", threads=64, engine="analytical")
        self.assertEqual(both, of_program["rows"])
        first = warpstack.explain(threads=64, engine="analytical")
        self.assertIsInstance(first, warpstack.Result)
        self.assertEqual(first, of_program["rows"][0])

    def test_instructions(self) -> None:
        of_program = json.loads(printed(*"explain --threads 64 --per-instruction --format json".split()))
        listing = warpstack.explain(threads=64, per_instruction=True)
        self.assertEqual(listing, of_program)
        self.assertEqual(listing.lines[0].address, of_program["lines"][0]["address"])


class Others(unittest.TestCase):
    def test_advice(self) -> None:
        of_program = json.loads(printed(*"advise --engine analytical --kernel rpn --format json".split()))
        self.assertEqual(warpstack.advise(engine="analytical", kernel="rpn"), of_program)

    def test_occupancy(self) -> None:
        options = "occupancy --registers 26,40 --threads 256 --format csv"
        columns = warpstack.occupancy(registers=[26, 40], threads=256)
        self.assertEqual(columns["blocks"], columns_of_csv(printed(*options.split()))["blocks"])

    def test_a_gpu_is_measured_or_missed_in_the_words_of_the_program(self) -> None:
        options = f"measure gpu --problem sextic --programs {PROGRAMS} --kernel rpn --threads 64 --limit 1 --case-seed 1"
        done = run(*options.split())
        call = lambda: warpstack.measure_gpu("sextic", PROGRAMS, kernel="rpn", threads=64, limit=1, case_seed=1)
        if done.returncode == 0:
            self.assertEqual(call()["threads"], [64])
            return
        with self.assertRaises(ValueError) as raised:
            call()
        self.assertEqual(str(raised.exception), done.stderr.removeprefix("error: ").rstrip("\n"))


class Whatif(unittest.TestCase):
    def check(self, options: list[str], columns: warpstack.Columns) -> None:
        of_csv = columns_of_csv(printed("whatif", *options, "--format", "csv"))
        self.assertEqual(columns, of_csv)
        self.assertEqual(list(columns), list(of_csv))
        of_json = json.loads(printed("whatif", *options, "--format", "json"))
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        self.assertEqual(rows, [row | of_json["provenance"] for row in of_json["rows"]])

    def test_launches_with_some_that_cannot_run(self) -> None:
        options = ["--vary", "threads=64,128,2048", "--vary", "l1=16,48"]
        columns = warpstack.whatif({"threads": [64, 128, 2048], "l1": "16,48"})
        self.check(options, columns)
        self.assertEqual(columns["gpops_billion"][-1], None)
        self.assertIn("2048", columns["impossible"][-1])

    def test_values_of_the_preset(self) -> None:
        options = "--vary clock=900..1000+50 --vary l2.port_bytes_per_cycle=16,32.5 --threads 128 --engine analytical"
        vary = {"clock": range(900, 1001, 50), "l2.port_bytes_per_cycle": [16, 32.5]}
        self.check(options.split(), warpstack.whatif(vary, threads=128, engine="analytical"))

    def test_inferred_programs(self) -> None:
        options = "--vary threads=64,128 --engine analytical --inferred"
        self.check(options.split(), warpstack.whatif({"threads": [64, 128]}, engine="analytical", inferred=True))

    def test_study_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.toml")
            path.write_text('engine = "analytical"\n[vary]\nstack_dim = "1..3"\n')
            self.check(["--study", str(path)], warpstack.whatif(study=path))


class Evolve(unittest.TestCase):
    def test_generations_and_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs, record = (Path(folder, name) for name in ("ours", "theirs", "record"))
            options = "--problem sextic --cases 40 --runs 2 --run-seed 5 --per-generation 3"
            printed("evolve", *options.split(), "--out", str(theirs), "--record", str(record))
            columns = warpstack.evolve("sextic", cases=40, runs=2, run_seed=5, per_generation=3, out=ours)
            # The first line has the command.
            self.assertEqual(ours.read_text().splitlines()[1:], theirs.read_text().splitlines()[1:])
            self.check_record(columns, json.loads(record.read_text()))
            settings = json.loads(record.read_text())["settings"]
            fewer = warpstack.evolve("sextic", cases=40, settings=settings | {"generations": 3})
            self.assertEqual(fewer["generation"], [0, 1, 2])

    def check_record(self, columns: warpstack.Columns, record: dict[str, Any]) -> None:
        runs = record["runs"]
        for name in ("best_error", "mean_nodes"):
            self.assertEqual(columns[name], [value for run in runs for value in run[name]])
        longest = [tuple(size) for run in runs for size in run["longest"]]
        self.assertEqual(list(zip(columns["longest_nodes"], columns["longest_terminals"])), longest)
        self.assertEqual(sorted(set(columns["seed"])), [run["seed"] for run in runs])


class MeasureCpu(unittest.TestCase):
    def test_everything_but_the_times(self) -> None:
        programs = PROGRAMS.read_text().splitlines()[:2]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "programs.txt")
            path.write_text("\n".join(programs))
            options = f"--interpreter lgp-2d,reference --problem sextic --repeats 1 --warm-ups 0 --case-seed 1 --format csv --programs {path}"
            of_program = columns_of_csv(printed("measure", "cpu", *options.split()))
        columns = warpstack.measure_cpu("sextic", programs, repeats=1, warm_ups=0, case_seed=1)
        self.assertEqual(list(columns), list(of_program))
        timed = {"median_wall_ms", "min_wall_ms", "max_wall_ms", "gpops_billion", "spread_percent"}
        for name in set(columns) - timed:
            self.assertEqual(columns[name], of_program[name], name)
        self.assertEqual(columns["interpreter"], ["lgp-2d", "reference"])
        self.assertEqual(columns["agreeing_programs"], [2, 2])
        self.assertTrue(all(speed > 0 for speed in columns["gpops_billion"]))


if __name__ == "__main__":
    unittest.main()
