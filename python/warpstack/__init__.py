"""How fast genetic-programming stack interpreters run on GPUs, and why.

Every function answers as one subcommand of the program ``warpstack`` does, with the same numbers. Its keywords are the
subcommand's options, with underscores; what is not given is as the subcommand has it by itself. The result is a dictionary
of columns, lists of equal length: ``pandas.DataFrame(result)``. Units are in the columns' names.

What is refused raises ``ValueError``; the message names what was given and what is allowed.
"""

from ._columns import Columns, cpi_stack
from ._commands import evolve, measure_cpu, predict, sweep, whatif
from ._warpstack import __version__

__all__ = [
    "Columns",
    "__version__",
    "cpi_stack",
    "evolve",
    "measure_cpu",
    "predict",
    "sweep",
    "whatif",
]
