"""Schutte's muscles: what OpenSim's class does at given states, read from a file, and the curves' slopes."""

import numpy as np
import pytest
from scipy.integrate import quad

import myomass as mm
from myomass.muscles.hill.curves import Schutte1993, dispatch

pytestmark = pytest.mark.fast
PENNATION = 0.3
FILE = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="40000"><Model name="m"><gravity>0 0 0</gravity>
<BodySet name="bodyset"><objects><Body name="b"><mass>1</mass><mass_center>0 0 0</mass_center>
<inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>
<JointSet name="jointset"><objects><SliderJoint name="j"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/b</socket_child_frame><coordinates><Coordinate name="x"/></coordinates></SliderJoint>
</objects></JointSet>
<ForceSet name="forceset"><objects><Schutte1993Muscle_Deprecated name="f">
<GeometryPath name="geometrypath"><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0 0 0</location></PathPoint>
<PathPoint name="e"><socket_parent_frame>/bodyset/b</socket_parent_frame><location>0 0 0</location></PathPoint>
</objects></PathPointSet></GeometryPath>
<max_isometric_force>500</max_isometric_force><optimal_fiber_length>0.12</optimal_fiber_length>
<tendon_slack_length>0.2</tendon_slack_length><pennation_angle_at_optimal>0.3</pennation_angle_at_optimal>
{more}</Schutte1993Muscle_Deprecated></objects></ForceSet></Model></OpenSimDocument>"""
OWN = """<time_scale>0.08</time_scale><activation1>6</activation1><activation2>2</activation2><damping>0.05</damping>
<SimmSpline name="tendon_force_length_curve"><x>-1 0 0.01 0.02 0.04 1</x><y>0 0 0.1 0.4 1.3 60</y></SimmSpline>
<SimmSpline name="active_force_length_curve"><x>0 0.5 1 1.5 2</x><y>0.1 0.4 1 0.4 0.1</y></SimmSpline>"""


def theirs_at(opensim, tree, state, numbers):
    """(acceleration of the slider, rates of activation and fibre length) of OpenSim's model."""
    names = ["/jointset/j/x/value", "/jointset/j/x/speed", "/forceset/f/activation", "/forceset/f/fiber_length"]
    for name, value in zip(names, numbers[:4], strict=True):
        tree.setStateVariableValue(state, name, float(value))
    tree.realizeVelocity(state)
    tree.setControls(state, opensim.Vector(1, float(numbers[4])))
    tree.realizeAcceleration(state)
    return [tree.getStateVariableDerivativeValue(state, name) for name in names[1:]]


@pytest.mark.parametrize("more", ["", OWN])
def test_against_opensim(more, tmp_path):
    """Wherever the tendon pulls at least as much as the passive fibre; else OpenSim takes that for less than it is."""
    opensim = pytest.importorskip("opensim")
    opensim.Logger.setLevelString("Off")
    path = tmp_path / "muscle.osim"
    path.write_text(FILE.format(more=more))
    tree, spec = opensim.Model(str(path)), mm.io.read_osim(path)
    assert not spec.report
    state, model, rng = tree.initSystem(), spec.compile(), np.random.default_rng(4)
    regimes = set()
    for _ in range(60):
        fibre, activation, excitation = 0.12 * rng.uniform(0.5, 1.4), rng.uniform(0.05, 1), rng.uniform(0, 1)
        cosine = np.sqrt(1 - (0.12 * np.sin(PENNATION) / fibre) ** 2)
        length = 0.2 * (1 + rng.uniform(0.002, 0.03)) + fibre * cosine
        speed = rng.uniform(-1, 1)
        acceleration, *rates = theirs_at(opensim, tree, state, (length, speed, activation, fibre, excitation))
        if -acceleration / 500 / cosine < np.exp(8 * (fibre / 0.12 - 1) - 4):
            continue
        z = np.array([activation, fibre])
        ours = mm.forward_dynamics(model, [length], [speed], z=z)[0]
        got = mm.muscles.muscle_rates(model, [length], [speed], z, excitation=[excitation])
        assert ours == pytest.approx(acceleration, rel=1e-10, abs=1e-10)
        assert got[0] == pytest.approx(rates[0], rel=1e-10, abs=1e-10)
        assert got[1] == pytest.approx(rates[1], rel=1e-9, abs=1e-9)
        regimes |= {("fibre", rates[1] > 0), ("activation", rates[0] > 0)}
    assert len(regimes) == 4


@pytest.fixture(scope="module")
def params():
    dispatch.demand_curves([Schutte1993.kind])
    return np.array([7.0, *Schutte1993().parameters(True)])


@pytest.mark.parametrize("name", ["active", "passive", "tendon"])
def test_slopes_and_energies(name, params):
    curve = getattr(Schutte1993, name)
    for x in (0.3, 0.7, 0.999, 1.002, 1.006, 1.011, 1.05, 1.3, 1.7):
        value, slope = curve(params, 1, x)
        assert slope == pytest.approx(curve(params, 1, x + 1e-30j)[0].imag / 1e-30, rel=1e-12, abs=1e-12)
        if name != "active":
            stored = getattr(Schutte1993, f"{name}_energy")
            low = -5.0 if name == "passive" else 1.0
            knots = [1 + e for e in (0.00131, 0.00281, 0.00431, 0.00581, 0.00731, 0.00881, 0.0103, 0.0118, 0.0123)]
            inside = [knot for knot in knots if low < knot < x]
            work = (
                quad(lambda y: curve(params, 1, y)[0], low, x, points=inside or None, epsabs=1e-13)[0] if x > low else 0
            )
            assert stored(params, 1, x) == pytest.approx(work, rel=1e-9, abs=1e-11)
        assert value >= 0


def test_the_velocity_curve_and_its_inverse(params):
    for v in (-2.0, -1.0, -0.5, 0.0, 0.01, 2.0, 47.0, 80.0):
        value, slope = Schutte1993.velocity(params, 1, v, 0.5)
        assert Schutte1993.inverse(params, 1, value, 0.5) == pytest.approx(v, rel=1e-8, abs=1e-12)
        assert slope == pytest.approx(Schutte1993.velocity(params, 1, v + 1e-30j, 0.5)[0].imag / 1e-30, rel=1e-12)
        assert slope > 0
    for edge in (-1.0, 0.0):
        below, above = (Schutte1993.velocity(params, 1, edge + d, 0.5)[0] for d in (-1e-12, 1e-12))
        assert below == pytest.approx(above, abs=1e-9)


def test_a_run_keeps_the_balance_of_energy_and_a_stiff_one_agrees(tmp_path):
    path = tmp_path / "muscle.osim"
    path.write_text(FILE.format(more=""))
    model = mm.io.read_osim(path).compile()
    state = model.state([0.33], activation=0.2)
    run = mm.simulate(model, state=state, duration=0.02, excitation=0.7, rtol=1e-9, atol=1e-11)
    stiff = mm.simulate(model, state=state, duration=0.02, excitation=0.7, integrator="bdf2", h=2.5e-4)
    assert stiff.q[-1, 0] == pytest.approx(run.q[-1, 0], abs=1e-4)
    assert np.abs(stiff.z[-1] - run.z[-1]).max() < 2e-2


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("<time_scale>0</time_scale>", "<time_scale> and the rates of activation of 'f' must be positive"),
        ("<SimmSpline name='tendon_force_length_curve'><x>0 0</x><y>0 1</y></SimmSpline>", "its <x> must rise"),
        ("<damping>-1</damping>", "damping must not be negative"),
    ],
)
def test_wrong_files_get_a_sentence(more, sentence, tmp_path):
    path = tmp_path / "muscle.osim"
    path.write_text(FILE.format(more=more))
    with pytest.raises(ValueError, match=rf"muscle.osim, line \d+: .*{sentence}"):
        mm.io.read_osim(path)
