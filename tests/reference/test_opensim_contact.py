"""Bodies that fall on a floor, slide and roll there, against OpenSim 4.6 in one process: a run with contact."""

import numpy as np
import pytest
from opensim_texts import COORDINATES, in_opensim, osim, read, socket

import myomass as mm

TIMES = np.linspace(0.0, 0.5, 11)
MATERIAL = "<stiffness>5e5</stiffness><dissipation>0.3</dissipation><static_friction>0.8</static_friction>"
MATERIAL += "<dynamic_friction>0.6</dynamic_friction><viscous_friction>0.4</viscous_friction>"


def geometry(kind, name, body, place, inner):
    return f'<{kind} name="{name}">{socket(40000, "frame", body)}<location>{place}</location>{inner}</{kind}>'


def text():
    level = f"<orientation>0 0 {-np.pi / 2}</orientation>"
    shapes = geometry("ContactHalfSpace", "floor", "ground", "0 -1.2 0", level)
    shapes += geometry("ContactSphere", "ball", "other", "0.05 -0.1 0.03", "<radius>0.3</radius>")
    shapes += geometry("ContactSphere", "heel", "hand", "0.1 -0.2 0.1", "<radius>0.2</radius>")
    sets = "".join(
        f"<HuntCrossleyForce::ContactParameters><geometry>{name}</geometry>{MATERIAL}"
        "</HuntCrossleyForce::ContactParameters>"
        for name in ("floor", "ball", "heel")
    )
    force = (
        '<HuntCrossleyForce name="contact"><HuntCrossleyForce::ContactParametersSet name="contact_parameters"><objects>'
        f"{sets}</objects></HuntCrossleyForce::ContactParametersSet><transition_velocity>0.1</transition_velocity>"
        "</HuntCrossleyForce>"
    )
    return osim(
        defaults={"free_3": -1.5, "bend": 0.4},
        told={"other_3": "<default_speed_value>1.5</default_speed_value>"},
        ContactGeometrySet=shapes,
        ForceSet=force,
    )


def test_a_run(tmp_path):
    """Coordinates and speeds: 1e-6 of the largest, after a fall, an impact and some rolling."""
    opensim = pytest.importorskip("opensim")
    model = read(tmp_path, text()).compile()
    run = mm.simulate(model, times=TIMES, rtol=1e-9, atol=1e-10)
    theirs, state = in_opensim(opensim, tmp_path, text())
    coordinates = [theirs.getCoordinateSet().get(name) for name in COORDINATES]
    manager = opensim.Manager(theirs)
    manager.setIntegratorAccuracy(1e-9)
    manager.initialize(state)
    for k, t in enumerate(TIMES):
        state = manager.integrate(float(t)) if t > 0 else state
        q, u = (np.array([getattr(c, key)(state) for c in coordinates]) for key in ("getValue", "getSpeedValue"))
        np.testing.assert_allclose(run.q[k], q, rtol=0, atol=1e-6 * np.abs(q).max())
        np.testing.assert_allclose(run.qdot[k], u, rtol=0, atol=1e-6 * max(1.0, np.abs(u).max()))
    spun = run["other_2"][-1] - run["other_2"][0]
    assert spun < -0.2  # friction has made the ball roll
