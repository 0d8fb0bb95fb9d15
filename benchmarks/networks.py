"""Exact paths, blends and networks: how far from the exact path, how much energy drifts, what a mass point costs.

    python benchmarks/networks.py [--rounds 40] [--seconds 10]

A double pendulum (bars of 1 m and 1 kg) with a muscle of 1 kg and 20 mass points across its knee, over a cylinder or a
capsule of 12 cm radius: 10 s at rtol 1e-10 with redmax, 2 s with sdirk2 in steps of 1 ms. Costs are those of forward
dynamics with the muscle less those without it, over its mass points, while the path lies on the surface; timed in turn.
"""

import argparse
import time

import numpy as np

import myomass as mm

POINTS = 20
START = {"cylinder": np.array([0.5, -0.3]), "capsule": np.array([0.25, -0.15])}
KNEES = np.linspace(-0.6, 0.5, 221)  # at which places are compared [rad]: the capsule's network knows half a turn
WRAPPED = np.array([0.3, 0.4]), np.array([0.1, 0.2])  # state at which costs are taken
SMOOTHINGS = ("none", "blend", "network")


def surface(kind: str) -> mm.wrap.Cylinder | mm.wrap.CappedCylinder:
    """The surface across the knee, fixed to the upper bar."""
    E = mm.translation(0, 0, -0.5) @ mm.rotation((1, 0, 0), np.pi / 2)
    if kind == "cylinder":
        return mm.wrap.Cylinder("upper", E, radius=0.12, side=(0.1, 0, 0))
    return mm.wrap.CappedCylinder("upper", E, radius=0.12, length=0.3, side=(0.1, 0, 0))


def pendulum(kind: str, smoothing: str | None) -> mm.Model:
    """The double pendulum; smoothing None: without a muscle."""
    spec, bar = mm.Spec(name="pendulum"), mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    down = mm.translation(0, 0, -0.5)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), E_jb=down, inertia=bar)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), down, bar)
    if smoothing is not None:
        ends = [("upper", (0.15, 0, 0.3)), ("lower", (0.15, 0.05, 0.1))]
        spec.add_muscle("m", 1.0, ends, [surface(kind)], mass_points=POINTS, smoothing=smoothing)
    return spec.compile()


def drift(run: mm.Trajectory) -> float:
    """Change of energy as a part of the largest kinetic energy."""
    return float(np.ptp(run.kinetic + run.potential) / run.kinetic.max())


def off(model: mm.Model, exact: mm.Model) -> np.ndarray:
    """Distances of mass points from their exact places over all angles of the knee, in parts of the path's length."""
    found = []
    for knee in KNEES:
        q = np.array([0.0, knee])
        apart = np.linalg.norm(mm.muscle_points(model, q)[0] - mm.muscle_points(exact, q)[0], axis=1)
        found.append(apart / mm.muscle_lengths(exact, q)[0])
    return np.array(found)


def costs(models: dict[str | None, mm.Model], rounds: int, repeats: int = 50) -> dict[str, float]:
    """Microseconds of forward dynamics for each mass point."""
    best = dict.fromkeys(models, np.inf)
    for model in models.values():  # compiles
        mm.forward_dynamics(model, *WRAPPED)
    for _ in range(rounds):
        for key, model in models.items():
            begun = time.perf_counter()
            for _ in range(repeats):
                mm.forward_dynamics(model, *WRAPPED)
            best[key] = min(best[key], (time.perf_counter() - begun) / repeats)
    return {key: 1e6 * (best[key] - best[None]) / POINTS for key in models if key is not None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=10.0, help="of the tight run; sdirk2's is a fifth")
    options = parser.parse_args()
    head = ("surface", "smoothing", "off mean", "off max", f"{options.seconds:g} s tight", "sdirk2 1 ms", "us a point")
    print("{:10s}{:10s}{:>10s}{:>10s}{:>12s}{:>13s}{:>12s}".format(*head))
    for kind in ("cylinder", "capsule"):
        models = {smoothing: pendulum(kind, smoothing) for smoothing in (None, *SMOOTHINGS)}
        cost = costs(models, options.rounds)
        for smoothing in SMOOTHINGS:
            model, away = models[smoothing], off(models[smoothing], models["none"])
            long, short, q = options.seconds, 0.2 * options.seconds, START[kind]
            tight = mm.simulate(model, q=q, duration=long, integrator="redmax", rtol=1e-10, atol=1e-12)
            coarse = mm.simulate(model, q=q, duration=short, integrator="sdirk2", h=1e-3)
            row = f"{away.mean():10.1e}{away.max():10.1e}{drift(tight):12.1e}{drift(coarse):13.1e}"
            print(f"{kind:10s}{smoothing:10s}{row}{cost[smoothing]:12.2f}", flush=True)


if __name__ == "__main__":
    main()
