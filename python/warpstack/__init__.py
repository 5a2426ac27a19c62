"""How fast genetic-programming stack interpreters run on GPUs, and why.

Every function answers as one subcommand of the program ``warpstack`` does, with the same numbers. Its keywords are the
subcommand's options, with underscores; what is not given is as the subcommand has it by itself. One launch is an object with the
fields of the JSON; rows are a dictionary of columns, lists of equal length: ``pandas.DataFrame(rows)``. Units are in the names.

What is refused raises ``ValueError``; the message names what was given and what is allowed.
"""

from ._commands import advise, evolve, explain, measure_cpu, measure_gpu, occupancy, predict, whatif
from ._results import Columns, Result
from ._warpstack import __version__

__all__ = [
    "Columns",
    "Result",
    "__version__",
    "advise",
    "evolve",
    "explain",
    "measure_cpu",
    "measure_gpu",
    "occupancy",
    "predict",
    "whatif",
]
