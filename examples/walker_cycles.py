"""Passive walkers as limit cycles: the gait of the compass, where its period doubles, chaos, and a walker with knees.

Run: python examples/walker_cycles.py     # half a minute; bifurcation.png
"""

import numpy as np

import myomass as mm
from myomass.scenes.kneed_walker import KneedWalker
from myomass.scenes.walkers import Compass
from myomass.viewer.plot_cycles import plot_bifurcation


def walk(degrees: float, tolerance: float = 1e-12) -> mm.walking.ReturnMap:
    """The return map of the compass walker down a slope [degree]."""
    return Compass(slope=np.deg2rad(degrees)).return_map(rtol=tolerance, atol=tolerance)


def describe(name: str, cycle: mm.walking.LimitCycle) -> None:
    """Print a cycle's period, its multipliers and whether it is stable."""
    sizes = ", ".join(f"{m.real:.5f}{m.imag:+.5f}i" if m.imag else f"{m.real:.5f}" for m in cycle.multipliers)
    kind = "stable" if cycle.stable else "unstable"
    print(f"{name}: period {cycle.period:.10f} s, {kind}, closes to {cycle.residual:.1g}, multipliers {sizes}")


compass = Compass(slope=np.deg2rad(3))
cycle = mm.walking.limit_cycle(compass.return_map(), compass.guess)
describe("compass, 3 degrees", cycle)
assert cycle.stable

first = mm.walking.period_doubling(walk, (4.0, 4.6), Compass(slope=np.deg2rad(4)).guess)
print(f"compass, {first.value:.9f} degrees: one multiplier is {first.cycle.multipliers[0].real:.9f}")

settled = mm.walking.bifurcation_diagram(walk, [4.6], first.cycle.x + 0.01 * first.direction, strides=2, transient=40)
pair = mm.walking.limit_cycle(walk(4.6), settled.x[0], periods=2)
describe("compass, 4.6 degrees, a long and a short step", pair)
assert pair.stable and pair.periods == 2
second = mm.walking.period_doubling(walk, (4.6, 5.0), settled.x[0], periods=2)
print(f"the period doubles at {first.value:.9f} and {second.value:.9f} degrees")

slopes = np.concatenate([np.linspace(4.2, 4.9, 20), np.linspace(4.905, 5.23, 53)])
diagram = mm.walking.bifurcation_diagram(
    lambda degrees: walk(degrees, 1e-8), slopes, Compass(slope=np.deg2rad(4.2)).guess, strides=30, transient=110
)
fallen = sum(failure is not None for failure in diagram.failures)
print(f"{len(slopes)} slopes from {slopes[0]} to {slopes[-1]} degrees: it fell on {fallen} of them")
figure = plot_bifurcation(
    diagram,
    coordinate=0,
    named="leg that stands, after the strike [rad]",
    doublings=(first.value, second.value),
    label="slope [degrees]",
    title="compass walker: steps in the long run",
)
figure.savefig("bifurcation.png", dpi=120)

kneed = KneedWalker()
cycle = mm.walking.limit_cycle(kneed.return_map(), kneed.guess)
describe("walker with knees", cycle)
knee, heel = cycle.events[0].times
print(f"its knee strikes after {knee:.4f} s, its heel after {heel:.4f} s")
assert cycle.stable
