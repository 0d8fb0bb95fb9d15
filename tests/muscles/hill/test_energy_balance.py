"""T + V - work + heat of an excited arm stays: of muscles with and without mass, on elastic and on rigid tendons."""

import numpy as np
import pytest

import myomass as mm

ROD = mm.Inertia.cuboid(size=(0.3, 0.05, 0.05), mass=1.5)
FAMILIES = {"millard": mm.muscles.curves.Millard2012, "degroote": mm.muscles.curves.DeGrooteFregly2016}


def arm(mass=0.4, **hill):
    """Two links on springs without damping, a flexor with mass and an extensor over two joints without mass."""
    spec, middle = mm.Spec("arm"), mm.translation(0.15, 0, 0)
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, middle, ROD)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0.3, 0, 0), middle, ROD)
    points, actuator = [("upper", (-0.1, 0, 0.04)), ("lower", (-0.1, 0, 0.03))], mm.Hill(300.0, 0.1, 0.215, 0.2, **hill)
    spec.add_muscle("flexor", mass, points, actuator=actuator)
    points = [(None, (0.05, 0, -0.06)), ("upper", (0.05, 0, -0.06)), ("lower", (-0.1, 0, -0.03))]
    spec.add_muscle("extensor", points=points, actuator=mm.Hill(400.0, 0.12, 0.19, **hill))
    for body, stiffness in (("upper", 40.0), ("lower", 10.0)):
        spec.add_force(mm.JointSpring(body, stiffness))
    return spec.compile()


def excited(model, rows, duration=0.5, **options):
    flexor = mm.Motion.of(lambda t: 0.4 + 0.3 * np.sin(15 * t), 0, 1)
    options = {"q": [0.1, 0.2], "activation": 0.3} | options
    times = np.linspace(0, duration, rows)
    return mm.simulate(
        model, excitation={"flexor": flexor, "extensor": 0.3}, times=times, rtol=1e-11, atol=1e-13, **options
    )


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
@pytest.mark.parametrize("family", FAMILIES)
def test_it_closes(tendon, family):
    run = excited(arm(tendon=tendon, curves=FAMILIES[family]()), 4001)
    balance = run.energy_balance
    assert balance.drift < 1e-8
    assert run.energy_drift > 0.3, "muscles change the energy"
    assert np.ptp(balance.work) > 0.1 * run.energy_exchanged
    expected = run.kinetic + run.potential - run.muscles.work.sum(axis=1) + run.muscles.heat.sum(axis=1)
    np.testing.assert_allclose(balance.total, expected, rtol=1e-14)


def kinetic_of_bodies(run):
    twists, bodies = run.twists, run.model.bodies
    spin = (twists[:, :, :3] ** 2 * np.array([ROD.moments] * 2)).sum(axis=(1, 2))
    return 0.5 * (spin + (bodies["mass"] * (twists[:, :, 3:] ** 2).sum(axis=2)).sum(axis=1))


def test_the_mass_of_a_muscle_counts():
    """Its kinetic energy is what the balance lacks if that of the bodies alone is taken."""
    light, heavy = excited(arm(mass=0.0), 2001), excited(arm(), 2001)
    np.testing.assert_allclose(kinetic_of_bodies(light), light.kinetic, rtol=1e-12, atol=1e-15)
    without = heavy.energy_balance.total - heavy.kinetic + kinetic_of_bodies(heavy)
    assert heavy.energy_balance.drift < 1e-7 < 1e-3 < np.ptp(without) / heavy.energy_exchanged


def test_it_closes_better_with_more_rows():
    model = arm()
    coarse, fine = (excited(model, rows, 0.2).energy_balance.drift for rows in (101, 401))
    assert fine < 0.05 * coarse


def test_dampers_are_not_counted():
    spec = mm.Spec("arm")
    spec.add_body("upper", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.15, 0, 0), ROD)
    points = [(None, (0.0, 0, 0.08)), ("upper", (0.05, 0, 0.03))]
    spec.add_muscle("flexor", points=points, actuator=mm.Hill(300.0, 0.1, 0.115))
    spec.add_force(mm.JointSpring("upper", 10.0, damping=0.5))
    run = mm.simulate(spec.compile(), q=[0.1], excitation=0.5, activation=0.3, duration=0.2, rtol=1e-10)
    assert run.energy_balance.drift > 1e-3


def test_a_new_start_counts_where_the_model_changes():
    model = arm()
    first = excited(model, 1001, 0.1)
    other = arm()
    event = mm.Event(lambda state: state.t - 0.1, lambda state: (other, state), direction=1)
    whole = excited(model, 2001, 0.2, events=event)
    assert len(whole.switches) == 1
    balance = whole.energy_balance
    np.testing.assert_allclose(balance.work[:1000], first.energy_balance.work[:1000], rtol=0, atol=1e-9)
    assert balance.work[whole.switches[0][0]] == 0.0
    assert balance.drift < 1e-7


def test_without_muscles_it_is_the_energy():
    run = mm.simulate(mm.scenes.load("simple-serial-chain"), duration=0.2)
    np.testing.assert_array_equal(run.energy_balance.total, run.kinetic + run.potential)
    assert run.energy_balance.drift == run.energy_drift
    assert "drift" in repr(run.energy_balance)
