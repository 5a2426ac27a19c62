"""Errors, interrupts, other threads, and pandas."""

import _thread
import signal
import threading
import time
import unittest
from typing import Any

import pandas
import warpstack
from program import refused


class Refusals(unittest.TestCase):
    def check(self, arguments: str, call: Any) -> None:
        with self.assertRaises(ValueError) as raised:
            call()
        self.assertEqual(str(raised.exception), refused(*arguments.split()))

    def test_in_the_words_of_the_program(self) -> None:
        self.check("predict --threads 64 --device gtx", lambda: warpstack.predict(threads=64, device="gtx"))
        self.check("predict --threads=64 --engine=fast", lambda: warpstack.predict(threads=64, engine="fast"))
        self.check("predict --threads=-1", lambda: warpstack.predict(threads=-1))
        self.check("predict --threads 4096", lambda: warpstack.predict(threads=4096))
        self.check("whatif --vary treads=1", lambda: warpstack.whatif({"treads": 1}))
        self.check("evolve --problem sixtic --out c", lambda: warpstack.evolve("sixtic"))
        arguments = "measure cpu --problem sextic --programs no.txt"
        self.check(arguments, lambda: warpstack.measure_cpu("sextic", "no.txt"))

    def test_unknown_keywords(self) -> None:
        with self.assertRaisesRegex(TypeError, "treads"):
            warpstack.predict(treads=64)  # type: ignore[call-arg]

    def test_unknown_fields(self) -> None:
        prediction = warpstack.predict(threads=64, engine="analytical")
        self.assertIn("gpops_billion", dir(prediction))
        with self.assertRaisesRegex(AttributeError, "gpops; allowed: .*gpops_billion"):
            prediction.gpops

    def test_unknown_interpreter(self) -> None:
        with self.assertRaisesRegex(ValueError, "fast.*allowed: reference, rpn, rpn-2d, lgp-2d, accumulator"):
            warpstack.measure_cpu("sextic", ["X1"], interpreter="fast")


class LongCalls(unittest.TestCase):
    def test_an_interrupt_ends_a_study(self) -> None:
        # A shell's background jobs ignore interrupts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(1.0, _thread.interrupt_main)
        start = time.monotonic()
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                warpstack.whatif({"clock": "500..1500+1", "threads": "32..1024"}, problem="mux20")
        finally:
            timer.cancel()
        self.assertLess(time.monotonic() - start, 10)

    def test_other_threads_go_on(self) -> None:
        done = threading.Event()
        counted = 0

        def count() -> None:
            nonlocal counted
            while not done.wait(0.001):
                counted += 1

        other = threading.Thread(target=count)
        other.start()
        try:
            warpstack.predict(threads=96, problem="kddcup")
        finally:
            done.set()
            other.join()
        self.assertGreater(counted, 3)

    def test_several_at_once(self) -> None:
        speeds: dict[int, float] = {}

        def predict(threads: int) -> None:
            speeds[threads] = warpstack.predict(threads=threads, engine="analytical").gpops_billion

        workers = [threading.Thread(target=predict, args=(n,)) for n in (64, 128, 256)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        rows = warpstack.whatif({"threads": [64, 128, 256]}, engine="analytical")
        self.assertEqual([speeds[n] for n in (64, 128, 256)], rows["gpops_billion"])


class Pandas(unittest.TestCase):
    def test_columns_make_a_frame(self) -> None:
        prediction = warpstack.predict(threads=64, engine="analytical")
        self.assertEqual(pandas.DataFrame(prediction.cpi_stack).cause[0], "selected")
        self.assertEqual(pandas.json_normalize(prediction)["memory.warp_nodes"][0], prediction.memory.warp_nodes)
        frame = pandas.DataFrame(warpstack.whatif({"threads": [64, 128]}, engine="analytical"))
        self.assertEqual(frame.gpops_billion.dtype, float)
        self.assertEqual(list(frame.threads), [64, 128])
        frame = pandas.DataFrame(warpstack.evolve("sextic", cases=10))
        self.assertTrue(frame.best_error.is_monotonic_decreasing)


if __name__ == "__main__":
    unittest.main()
