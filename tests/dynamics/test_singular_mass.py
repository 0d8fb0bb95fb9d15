"""Mass matrices that are singular, under constraints, contacts and massive muscles: a sentence, never a number."""

import numpy as np
import pytest

import myomass as mm

pytestmark = [pytest.mark.fast, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

BOX = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=1.0)
AXES = [(0.0, 0.0, 1.0), (3.0, 1.0, 2.0), *np.random.default_rng(5).normal(size=(8, 3)).tolist()]
Q = 0.3


def nothing(spec: mm.Spec) -> None:
    """The bare tree."""


def drive(spec: mm.Spec) -> None:
    """An equality row on the other branch, which holds."""
    spec.add_constraint(mm.DrivenJoint("arm", position=Q))


def touch(spec: mm.Spec) -> None:
    """A closed contact on the other branch."""
    floor = mm.translation(0, 0, -0.1 - 0.3 * np.sin(Q))
    spec.add_constraint(mm.Contact(mm.Sphere("arm", 0.1), mm.Plane((None, floor))))


def pull(spec: mm.Spec) -> None:
    """A muscle with mass on the other branch."""
    spec.add_muscle("muscle", 0.3, points=[("arm", (0, 0, 0)), (None, (1, 0, 1))])


PARTS = {
    "bare": (nothing,),
    "driven": (drive,),
    "contact": (touch,),
    "muscle": (pull,),
    "driven-muscle": (drive, pull),
    "contact-muscle": (touch, pull),
}


def two_hinges_on_one_axis(axis: tuple, parts: tuple) -> mm.Model:
    """A body on two hinges that turn it alike, and an arm apart from it, which is all that the parts act on."""
    spec = mm.Spec("twice")
    spec.add_body("ring", None, mm.Revolute(axis))
    spec.add_body("body", "ring", mm.Revolute(axis), None, mm.translation(0.1, 0.2, 0.3), BOX)
    spec.add_body("arm", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.3, 0, 0), BOX)
    for part in parts:
        part(spec)
    return spec.compile()


@pytest.mark.parametrize("method", ["recursive", "redmax"])
@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_forward_dynamics_gets_a_sentence(parts, method):
    """With many axes: by rounding, a pivot of nothing is zero, below zero or a tiny number."""
    for axis in AXES:
        model = two_hinges_on_one_axis(axis, parts)
        q = np.full(3, Q)
        with pytest.raises(FloatingPointError, match=r"'(ring|body)'\): the mass matrix is singular"):
            mm.forward_dynamics(model, q, 0.1 * q, method=method)


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_hybrid_dynamics_gets_a_sentence(parts):
    for axis in AXES:
        model = two_hinges_on_one_axis(axis, parts)
        q = np.full(3, Q)
        with pytest.raises(FloatingPointError, match=r"'(ring|body)'\): the mass matrix is singular"):
            mm.hybrid_dynamics(model, q, 0.1 * q, q, q, np.array([False, False, True]))


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_a_prescribed_hinge_heals_it(parts):
    for axis in AXES[:4]:
        model = two_hinges_on_one_axis(axis, parts)
        q = np.full(3, Q)
        qddot, tau = mm.hybrid_dynamics(model, q, 0.1 * q, q, q, np.array([True, False, False]))
        assert np.isfinite(qddot).all()
        assert np.isfinite(tau).all()
        assert qddot[0] == Q


@pytest.mark.parametrize("parts", [(drive,), (touch,), (drive, pull), (touch, pull)])
def test_forces_of_constraints_and_joints_get_a_sentence(parts):
    for axis in AXES:
        model = two_hinges_on_one_axis(axis, parts)
        for function in (mm.constraint_forces, mm.joint_reactions):
            with pytest.raises(FloatingPointError, match=r"'(ring|body)'\): the mass matrix is singular"):
                function(model, np.full(3, Q), np.zeros(3))


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_a_regular_call_before_does_not_hide_a_singular_place(parts):
    """Hinges across each other at first; turned by the ball between them, they turn the body alike."""
    spec = mm.Spec("gimbal")
    spec.add_body("ball", None, mm.SphericalEuler("XYZ"), None, mm.translation(0.1, 0.2, 0.3), BOX)
    spec.add_body("arm", None, mm.Revolute((0, 1, 0)), None, mm.translation(0.3, 0, 0), BOX)
    for part in parts:
        part(spec)
    model, torques = spec.compile(), np.array([0.0, 1.0, 3.0, 0.0])
    assert np.isfinite(mm.forward_dynamics(model, np.array([0.1, 0.2, 0.3, Q]), np.zeros(4), torques)).all()
    with pytest.raises(FloatingPointError, match=r"'ball'\): the mass matrix is singular"):
        mm.forward_dynamics(model, np.array([0.0, np.pi / 2, 0.0, Q]), np.array([0.0, 1.0, 0.0, 0.0]), torques)
