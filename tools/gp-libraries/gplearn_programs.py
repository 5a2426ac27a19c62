"""Prints the last population of a gplearn run on the sextic polynomial: a line `str(program)` each."""

import numpy as np
from gplearn.genetic import SymbolicRegressor

x = np.linspace(-1, 1, 21).reshape(-1, 1)
y = (x**6 - 2 * x**4 + x**2).ravel()
run = SymbolicRegressor(
    population_size=150,
    generations=3,
    function_set=("add", "sub", "mul", "div", "sin", "cos", "log"),
    init_depth=(2, 4),
    parsimony_coefficient=0.0,
    random_state=11,
)
run.fit(x, y)
# The last generation's programs; gplearn has no public name for them.
for program in run._programs[-1]:
    print(str(program))
