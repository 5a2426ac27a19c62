"""Prints the last population of a DEAP run on the sextic polynomial: a line `str(individual)` each."""

import math
import operator
import random
from functools import partial

from deap import algorithms, base, creator, gp, tools

POPULATION = 150
GENERATIONS = 3
POINTS = [i / 10 - 1 for i in range(21)]


def protectedDiv(left, right):
    """The division of DEAP's examples."""
    try:
        return left / right
    except ZeroDivisionError:
        return 1


def primitives():
    found = gp.PrimitiveSet("MAIN", 1)
    for function, arity in [(operator.add, 2), (operator.sub, 2), (operator.mul, 2), (protectedDiv, 2), (math.sin, 1), (math.cos, 1)]:
        found.addPrimitive(function, arity)
    found.addEphemeralConstant("constant", partial(random.uniform, -1, 1))
    found.renameArguments(ARG0="x")
    return found


def error(individual, pset):
    value = gp.compile(individual, pset)
    return (sum((value(x) - (x**6 - 2 * x**4 + x**2)) ** 2 for x in POINTS),)


random.seed(11)
pset = primitives()
creator.create("Fitness", base.Fitness, weights=(-1.0,))
creator.create("Individual", gp.PrimitiveTree, fitness=creator.Fitness)
toolbox = base.Toolbox()
toolbox.register("tree", gp.genHalfAndHalf, pset=pset, min_=2, max_=5)
toolbox.register("individual", tools.initIterate, creator.Individual, toolbox.tree)
toolbox.register("mutant", gp.genFull, min_=0, max_=2)
toolbox.register("evaluate", error, pset=pset)
toolbox.register("select", tools.selTournament, tournsize=3)
toolbox.register("mate", gp.cxOnePoint)
toolbox.register("mutate", gp.mutUniform, expr=toolbox.mutant, pset=pset)
for name in ["mate", "mutate"]:
    toolbox.decorate(name, gp.staticLimit(operator.attrgetter("height"), 8))
population = tools.initRepeat(list, toolbox.individual, POPULATION)
population, _ = algorithms.eaSimple(population, toolbox, 0.7, 0.2, GENERATIONS, verbose=False)
for individual in population:
    print(str(individual))
