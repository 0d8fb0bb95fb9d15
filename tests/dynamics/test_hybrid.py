"""Hybrid dynamics: what is not asked for is not read, and what was given comes back."""

import numpy as np
import pytest

import myomass as mm

pytestmark = pytest.mark.fast

BOX = mm.Inertia.cuboid((0.5, 0.1, 0.1), mass=1.0)
PRESCRIBED = np.array([True, False, False])
Q, QDOT = np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.2, 0.2])


def nothing(spec: mm.Spec) -> None:
    """The bare chain."""


def spring(spec: mm.Spec) -> None:
    spec.add_force(mm.JointSpring("b1", stiffness=3.0))


def couple(spec: mm.Spec) -> None:
    spec.add_constraint(mm.Coupling("b1", "b2", (0.5, -1.0)))


def rest(spec: mm.Spec) -> None:
    """A closed contact at the chain's end."""
    foot = mm.forward_kinematics(spec.compile(), Q)[2, 2, 3]
    spec.add_constraint(mm.Contact(mm.Sphere("b2", 0.1), mm.Plane((None, mm.translation(0, 0, foot - 0.1)))))


def pull(spec: mm.Spec) -> None:
    spec.add_muscle("muscle", 0.3, points=[("b0", (0, 0, 0.1)), ("b1", (0, 0, 0.1))])


CASES = {
    "bare": (nothing,),
    "force": (spring,),
    "constraint": (couple,),
    "contact": (rest,),
    "muscle": (pull,),
    "muscle-constraint": (pull, couple),
}
ALL = pytest.mark.parametrize("parts", CASES.values(), ids=CASES)
WRENCHES = pytest.mark.parametrize("wrenches", [None, np.linspace(-1.0, 1.0, 18).reshape(3, 6)], ids=["", "wrenches"])


def chain(parts: tuple) -> mm.Model:
    spec = mm.Spec("chain")
    for i in range(3):
        place = mm.translation(0.5 if i else 0.0, 0, 0)
        spec.add_body(
            f"b{i}", f"b{i - 1}" if i else None, mm.Revolute((0, 1, 0)), place, mm.translation(0.25, 0, 0), BOX
        )
    for part in parts:
        part(spec)
    return spec.compile()


@ALL
@WRENCHES
def test_what_is_not_read_may_be_anything(parts, wrenches):
    """tau where the acceleration is prescribed, qddot where it is free."""
    model = chain(parts)
    tau, qddot = np.array([0.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0])
    wanted = mm.hybrid_dynamics(model, Q, QDOT, tau, qddot, PRESCRIBED, wrenches=wrenches)
    for unread in (np.nan, np.inf, 7.0):
        given = np.where(PRESCRIBED, unread, tau), np.where(PRESCRIBED, qddot, unread)
        got = mm.hybrid_dynamics(model, Q, QDOT, *given, PRESCRIBED, wrenches=wrenches)
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


@ALL
def test_what_is_read_must_be_finite(parts):
    model, x = chain(parts), np.ones(3)
    with pytest.raises(ValueError, match=r"tau\[1\] is nan"):
        mm.hybrid_dynamics(model, Q, QDOT, np.array([0.0, np.nan, 0.0]), x, PRESCRIBED)
    with pytest.raises(ValueError, match=r"qddot\[0\] is nan"):
        mm.hybrid_dynamics(model, Q, QDOT, x, np.array([np.nan, 0.0, 0.0]), PRESCRIBED)


@ALL
@WRENCHES
def test_what_was_given_comes_back(parts, wrenches):
    """The torques that were given, and not those with what wrenches add to them."""
    tau, qddot = np.array([0.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0])
    found, torques = mm.hybrid_dynamics(chain(parts), Q, QDOT, tau, qddot, PRESCRIBED, wrenches=wrenches)
    assert found[0] == 1.0
    assert torques[1:].tolist() == [2.0, 3.0]


@ALL
@WRENCHES
def test_the_torques_found_make_the_motion(parts, wrenches):
    """Forward dynamics with what came back gives the accelerations that came back."""
    model, tau, qddot = chain(parts), np.array([0.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0])
    found, torques = mm.hybrid_dynamics(model, Q, QDOT, tau, qddot, PRESCRIBED, wrenches=wrenches)
    again = mm.forward_dynamics(model, Q, QDOT, torques, wrenches=wrenches)
    np.testing.assert_allclose(again, found, rtol=1e-9, atol=1e-7)
