"""Prints the last population of an Operon run on the sextic polynomial in Operon's infix form: a line each."""

import numpy as np
import pyoperon as op
from pyoperon.sklearn import SymbolicRegressor

DECIMALS = 6

x = np.linspace(-1, 1, 21).reshape(-1, 1)
y = (x**6 - 2 * x**4 + x**2).ravel()
run = SymbolicRegressor(
    allowed_symbols="add,sub,mul,div,sin,cos,exp,log,constant,variable",
    population_size=150,
    generations=3,
    max_length=30,
    max_depth=8,
    random_state=11,
)
run.fit(x, y)
names = {variable.Hash: variable.Name for variable in op.Dataset(x).Variables}
for individual in run.individuals_[:150]:
    print(op.InfixFormatter.Format(individual.Genotype, names, DECIMALS))
