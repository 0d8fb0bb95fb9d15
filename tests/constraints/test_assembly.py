"""States that close loops, from any guess: judged by where bodies are, not by rows."""

import numpy as np
import pytest

import myomass as mm

BAR = mm.Inertia.cuboid((1.0, 0.1, 0.1), mass=1.0)


def chain(joints, lengths, name="chain"):
    """Links along x, each hung from the tip of the one before; the last one is called "last"."""
    spec, parent, place = mm.Spec(name), None, 0.0
    for i, (joint, length) in enumerate(zip(joints, lengths, strict=True)):
        body = "last" if i == len(joints) - 1 else f"b{i}"
        bar = mm.Inertia.cuboid((length, 0.1, 0.1), mass=1.0)
        spec.add_body(body, parent, joint, mm.translation(place, 0, 0), mm.translation(length / 2, 0, 0), bar)
        parent, place = body, length
    return spec


def pinned(lengths, target, stops=None):
    """A planar chain whose tip is pinned to a place in the world."""
    spec, tip = chain([mm.Revolute() for _ in lengths], lengths), (lengths[-1] / 2, 0, 0)
    spec.add_constraint(mm.Loop(("last", tip), (None, (*target, 0.0)), "pin"), "closing")
    for body in spec.bodies if stops else ():
        spec.add_constraint(mm.JointStop(body, -stops, stops), f"stop of {body}")
    return spec, lambda E: np.abs((E[-1] @ (*tip, 1))[:2] - target).max()


def tied(kind, joints, seed):
    """A chain in space whose last body is tied to a frame that it can reach."""
    rng = np.random.default_rng(seed)
    spec = chain(joints(rng), [0.5] * len(joints(rng)))
    model = spec.compile()
    target = mm.forward_kinematics(model, rng.uniform(-1, 1, model.ndof))[-1]
    spec.add_constraint(mm.Loop(("last", np.eye(4)), (None, target), kind), "closing")
    kept = {"ball": (slice(3), 3), "hinge": (slice(3), slice(2, 4)), "weld": (slice(3), slice(4))}[kind]
    return spec, lambda E: np.abs(E[-1] - target)[kept].max()


def hinges(n):
    return lambda rng: [mm.Revolute(axis) for axis in rng.normal(size=(n, 3))]


def slider_crank():
    spec = chain([mm.Revolute(), mm.Revolute()], [0.5, 1.2])
    spec.add_body("piston", None, mm.Prismatic((1, 0, 0)), inertia=BAR)
    spec.add_constraint(mm.Loop(("last", (0.6, 0, 0)), ("piston", (0, 0, 0)), "pin"), "closing")
    return spec, lambda E: np.abs((E[1] @ (0.6, 0, 0, 1) - E[2][:, 3])[:2]).max()


def platform():
    """A table on six telescopes with ball joints."""
    spec, legs = mm.Spec("platform"), []
    spec.add_body("top", None, mm.Free3D(), inertia=mm.Inertia.cylinder(0.5, 0.1, mass=3))
    for i in range(6):
        angle = np.pi / 3 * i
        place, own = mm.translation(np.cos(angle), np.sin(angle), 0), mm.translation(0, 0, 0.3)
        along = 0.5 * np.array((np.cos(angle + 0.3 * (-1) ** i), np.sin(angle + 0.3 * (-1) ** i), -0.1))
        rod = mm.Inertia.cuboid((0.05, 0.05, 0.6), mass=0.3)
        spec.add_body(f"low{i}", None, mm.Universal(), place, own, rod)
        spec.add_body(f"up{i}", f"low{i}", mm.Prismatic((0, 0, 1)), mm.translation(0, 0, 0.6), own, rod)
        spec.add_constraint(mm.Loop((f"up{i}", (0, 0, 0.3)), ("top", along), "ball"), f"leg{i}")
        legs.append((2 + 2 * i, along))
    return spec, lambda E: max(np.abs(E[i] @ (0, 0, 0.3, 1) - E[0] @ (*x, 1)).max() for i, x in legs)


def floating_weld():
    spec, A, B = mm.Spec("floating"), mm.translation(0.3, 0, 0), mm.rotation((1, 2, 3), 1.0)
    for name in "ab":
        spec.add_body(name, None, mm.Free3D(), inertia=BAR)
    spec.add_constraint(mm.Loop(("a", A), ("b", B), "weld"), "closing")
    return spec, lambda E: np.abs(E[0] @ A - E[1] @ B).max()


MECHANISMS = {
    "three links": lambda: pinned((1, 1, 1), (1.2, 0)),
    "uneven links": lambda: pinned((1, 0.4, 1.3), (0.9, 0.3)),
    "fully stretched": lambda: pinned((1, 1, 1), (3, 0)),
    "folded": lambda: pinned((1, 0.3, 0.3), (0.4, 0)),
    "ten links": lambda: pinned((1,) * 10, (0.5, 0)),
    "stops": lambda: pinned((1,) * 4, (1.5, 1.2), stops=1.5),
    "three balls": lambda: tied("ball", lambda rng: [mm.SphericalExp() for _ in range(3)], 1),
    "seven hinges, ball": lambda: tied("ball", hinges(7), 0),
    "six hinges, hinge": lambda: tied("hinge", hinges(6), 1),
    "seven hinges, weld": lambda: tied("weld", hinges(7), 5),
    "two balls and a universal joint, weld": lambda: tied(
        "weld", lambda rng: [mm.SphericalEuler("XYZ"), mm.Universal(), mm.SphericalEuler("ZYX")], 3
    ),
    "slider-crank": slider_crank,
    "platform": platform,
    "floating weld": floating_weld,
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_guess_closes(name):
    """200 random ones of the three links, 50 of the others; positions to 1e-9, rates to rounding."""
    spec, off = MECHANISMS[name]()
    model, rng = spec.compile(), np.random.default_rng(0)
    for _ in range(200 if name == "three links" else 50):
        q, qdot = rng.uniform(-np.pi, np.pi, model.ndof), rng.normal(size=model.ndof)
        state = mm.dynamics.assemble(model, q, qdot)
        assert off(mm.forward_kinematics(model, state.q)) < 3e-9
        g, speed = mm.dynamics.constraint_values(model, state.q, state.qdot)
        assert g[model.constraints.unilateral].min(initial=0.0) > -1e-9
        if name not in ("fully stretched", "folded"):  # singular: there rates are met as far as rounding lets them
            assert np.abs(speed[~model.constraints.unilateral]).max() < 1e-8 * max(1.0, np.abs(qdot).max())


def test_the_same_guess_gives_the_same_state():
    model = MECHANISMS["seven hinges, weld"]()[0].compile()
    for q in np.random.default_rng(3).uniform(-3, 3, (10, 7)):
        np.testing.assert_array_equal(mm.dynamics.assemble(model, q).q, mm.dynamics.assemble(model, q).q)


def test_damped_steps_do_not_run_away():
    """No angle of three links turns by more than a whole turn, whatever the guess (17.8 rad without damping)."""
    model, rng = MECHANISMS["three links"]()[0].compile(), np.random.default_rng(0)
    for q in rng.uniform(-np.pi, np.pi, (200, 3)):
        assert np.abs(mm.dynamics.assemble(model, q).q - q).max() < 2 * np.pi


def test_a_guess_from_which_no_step_leads_anywhere():
    """Straight links that point at their target, which lies within their reach: no direction closes them at first."""
    model = pinned((1, 1, 1), (1.5, 0))[0].compile()
    np.testing.assert_array_equal(mm.dynamics.constraint_jacobian(model, np.zeros(3))[0], 0)
    state = mm.dynamics.assemble(model, np.zeros(3))
    assert np.abs(mm.dynamics.constraint_values(model, state.q)[0]).max() < 1e-9


def test_a_weld_that_is_half_a_turn_off_is_turned_back():
    """Its rows vanish there; a run from there is refused (test_bad_input)."""
    spec = mm.Spec("seat", (0, 0, 0))
    spec.add_body("a", None, mm.Free3D(), inertia=BAR)
    spec.add_constraint(mm.Loop(("a", np.eye(4)), (None, np.eye(4)), "weld"), "seat")
    state = mm.dynamics.assemble(spec.compile(), [0, 0, 0, np.pi - 1e-9, 0, 0])
    np.testing.assert_allclose(state.q, 0, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("lengths", "target"), [((1, 1, 1), (3.01, 0)), ((3, 0.5, 0.5), (1.99, 0))], ids=["too far", "too near"]
)
def test_a_target_out_of_reach_gets_a_sentence_with_the_gap(lengths, target):
    model = pinned(lengths, target)[0].compile()
    sentence = r"no state near the given one satisfies all constraints.*the row 'closing\.\d' stays off by 0\.0\d"
    for q in np.random.default_rng(0).uniform(-np.pi, np.pi, (5, 3)):
        with pytest.raises(ValueError, match=sentence):
            mm.dynamics.assemble(model, q)
