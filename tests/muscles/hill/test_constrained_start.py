"""Muscles with states in models with constraints: a run begins with the states that it was given."""

import numpy as np
import pytest
from driven_arms import driven_arm

import myomass as mm

pytestmark = pytest.mark.fast


def coupled_arm():
    spec = driven_arm()
    spec.add_constraint(mm.constraints.Coupling("upper", "lower", (0.0, 0.5)))
    return spec.compile()


@pytest.mark.parametrize("integrator", ["recursive", "rk4"])
def test_a_run_begins_with_the_states_given(integrator):
    model = coupled_arm()
    start = mm.dynamics.assemble(model, [0.2, -0.1, 0.1])
    start = model.state(start.q, activation={"flexor": 0.6, "extensor": 0.3})
    run = mm.simulate(model, state=start, excitation=0.5, duration=1e-3, integrator=integrator)
    np.testing.assert_array_equal(run.z[0], start.z)


def test_assembled_states():
    """Given states stay; without any, muscles are in equilibrium where the constraints hold."""
    model = coupled_arm()
    given = np.array([0.4, 0.1, 0.5, 0.11])
    np.testing.assert_array_equal(mm.dynamics.assemble(model, [0.2, -0.1, 0.3], z=given).z, given)
    state = mm.dynamics.assemble(model, [0.2, -0.1, 0.3])
    assert abs(state.q[2] - 0.5 * state.q[0]) < 1e-12
    np.testing.assert_allclose(state.z, model.state(state.q).z, rtol=1e-14)
