"""Chains of springs: free and attached, by riding and by rows, statics and waves, exact stiffness."""

import numpy as np
import pytest

import myomass as mm


def arm():
    spec = mm.Spec("arm")
    link = mm.Inertia.cuboid((1, 0.1, 0.1), mass=2)
    spec.add_body("arm", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.5, 0, 0), link)
    return spec


def hung(by_rows=False, **options):
    spec = arm()
    ends = (None, (1.5, 0, 0.5)), ("arm", (0.5, 0, 0))
    options = {"nodes": 4, "mass": 0.3, "stiffness": 400.0, "damping": 1.0} | options
    made = mm.deformables.add_spring_chain(spec, "rope", ends, by_rows=by_rows, **options)
    return spec, made


def test_riding_and_rows_are_the_same_mechanics():
    """Attached nodes carried by their bodies, or tied to them by three rows each."""
    runs = []
    for by_rows in (False, True):
        spec, _made = hung(by_rows)
        model = spec.compile()
        run = mm.simulate(model, duration=0.5, rtol=1e-9, atol=1e-11, times=np.linspace(0, 0.5, 11))
        middle = model.body("rope.1")
        runs.append((run.q[:, 0], run.poses[:, middle, :3, 3], run.kinetic, np.ptp(run.potential)))
    for one, other in zip(*runs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_names_and_degrees_of_freedom():
    spec, made = hung()
    assert made == ["rope.1", "rope.2", "rope.3"]  # the start rides on the world and is nothing
    assert spec.compile().ndof == 1 + 6
    spec, made = hung(free=("end",))
    assert spec.compile().ndof == 1 + 9
    spec, made = hung(by_rows=True)
    assert spec.compile().ndof == 1 + 12
    assert len(spec.compile().constraints) == 6


def test_a_hanging_chain_stretches_as_it_should():
    """Tension below a node is the weight below it; strain is tension over stiffness."""
    spec = mm.Spec("hanging")
    mm.deformables.add_spring_chain(
        spec,
        "rope",
        ((None, (0, 0, 0)), (None, (0, 0, -1))),
        nodes=5,
        mass=0.5,
        stiffness=50.0,
        damping=1.0,
        free=["end"],
    )
    model = spec.compile()
    run = mm.simulate(model, integrator="bdf1", h=0.05, duration=60.0)
    z = run.poses[-1, :, 2, 3]
    below = 0.1 * 9.81 * np.array([4, 3, 2, 1])
    np.testing.assert_allclose(z, -np.cumsum(0.25 * (1 + below / 50.0)), atol=1e-6)


def test_free_floating_chain_keeps_momentum_and_energy():
    spec = mm.Spec("floating", (0, 0, 0))
    mm.deformables.add_spring_chain(
        spec, "c", ((None, (0, 0, 0)), (None, (1, 0, 0))), nodes=6, mass=1.0, stiffness=80.0, free=["start", "end"]
    )
    model = spec.compile()
    qdot = np.random.default_rng(0).normal(size=model.ndof)
    run = mm.simulate(model, qdot=qdot, duration=2.0, rtol=1e-11, atol=1e-12)
    assert run.energy_drift < 1e-9
    before, after = (mm.momentum(model, q, v) for q, v in ((run.q[0], run.qdot[0]), (run.q[-1], run.qdot[-1])))
    np.testing.assert_allclose(after.linear, before.linear, atol=1e-10)
    np.testing.assert_allclose(after.angular, before.angular, atol=1e-9)


@pytest.mark.parametrize("integrator", ["euler", "bdf1", "bdf2", "sdirk2"])
@pytest.mark.parametrize("by_rows", [False, True])
def test_a_stiff_chain_is_stable_in_implicit_steps(integrator, by_rows):
    """Waves of 1 kHz in steps of 10 ms."""
    spec, _ = hung(by_rows, stiffness=1e6)
    run = mm.simulate(spec.compile(), integrator=integrator, h=1e-2, duration=1.0)
    assert run.ended == "completed"
    assert np.abs(run.q).max() < 2.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"nodes": 1}, "2 nodes at least"),
        ({"mass": 0.0}, "mass"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"free": ["middle"]}, "may name"),
    ],
)
def test_bad_input(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        hung(**options)


def test_ends_that_coincide():
    with pytest.raises(ValueError, match="length of a piece"):
        mm.deformables.add_spring_chain(
            arm(), "r", (("arm", (0, 0, 0)), ("arm", (0, 0, 0))), nodes=3, mass=1.0, stiffness=1.0
        )
