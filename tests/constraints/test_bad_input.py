"""One clear sentence each, before anything runs."""

import numpy as np
import pytest
from test_solver import START, four_bar

import myomass as mm


def chain():
    spec, link = mm.Spec("chain"), mm.Inertia.cuboid((1, 0.1, 0.1), mass=1)
    for i in range(3):
        joint = mm.SphericalExp() if i == 2 else mm.Revolute((0, 1, 0))
        spec.add_body(f"b{i}", f"b{i - 1}" if i else None, joint, mm.translation(1.0 * (i > 0), 0, 0), None, link)
    return spec


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: mm.Loop(("b0", (0, 0, 0)), ("nobody", (0, 0, 0))), "has no body 'nobody'"),
        (lambda: mm.Loop(("b0", (0, 0)), ("b1", (0, 0, 0))), "shape"),
        (lambda: mm.Loop(("b0", (0, 0, 0)), ("b0", (1, 0, 0))), "cannot be tied to itself"),
        (lambda: mm.Loop(("b0", (0, 0, 0)), ("b1", (0, 0, 0)), "glue"), "pin, ball, hinge or weld"),
        (lambda: mm.Loop(("b2", (0, 0, 0)), ("b0", (0, 0, 0)), "pin"), "give the pin's `axis`"),
        (lambda: mm.Loop(("b2", (0, 0, 0)), ("b0", (0, 0, 0)), "hinge"), "a hinge needs its axis"),
        (lambda: mm.Loop(("b2", (0, 0, 0)), ("b0", (0, 0, 0)), "ball", friction=1), "friction acts in pins and hinges"),
        (lambda: mm.JointStop("b0", 1.0, -1.0), "must be below the upper one"),
        (lambda: mm.JointStop("b0", np.nan, 1.0), "must be one number"),
        (lambda: mm.Coupling("b0", "b0", (0, 1)), "cannot follow itself"),
        (lambda: mm.Coupling("b0", "b1", (0, np.inf)), "finite"),
        (lambda: mm.Coupling("b0", "b1", (0, 1), components=(0, 4)), "no number 4"),
        (lambda: mm.DrivenJoint("b0"), "give one of position, velocity and acceleration"),
        (lambda: mm.DrivenJoint("b0", 1.0, 2.0), "give one of position, velocity and acceleration"),
        (lambda: mm.DrivenJoint("b0", "fast"), "must be a number or an mm.Motion"),
        (lambda: mm.DrivenJoint("b0", 0.0, component=1), "no number 1"),
        (lambda: mm.DrivenBody("b0", {7: 1.0}), "components 0 to 5"),
        (lambda: mm.DrivenBody("b0", {}), "give components"),
        (lambda: mm.DrivenPoint(("b0", (0, 0, 0)), [((0, 0, 0), 1.0)]), "not all zero"),
        (lambda: mm.Contact(mm.Box("b0", (1, 1, 1)), mm.Sphere("b1", 1)), "boxes touch planes only"),
        (lambda: mm.Contact(mm.Sphere("b0", -1)), "finite and positive"),
        (lambda: mm.Contact(mm.Sphere("b0", 1), friction=-0.1), "must not be negative"),
        (lambda: mm.Contact(mm.Sphere("b0", 1), mm.Sphere("b0", 1)), "cannot meet"),
        (lambda: mm.Contact(mm.Capsule("b0", 1, (0, 0, 0), (0, 0, 0))), "length"),
        (lambda: mm.JointFriction("b0", 0.5), "radius"),
        (lambda: mm.JointFriction("b0", -0.5, radius=1, height=1), "positive"),
        (lambda: mm.DrivenJoint("b0", 0.0, component=0.5), "no number 0.5"),
        (lambda: mm.Coupling("b0", "b1", (0, 1), components=3), "components are two numbers"),
        (lambda: mm.Coupling("b0", "b1", ()), "has none"),
        (lambda: mm.DrivenBody("b0", [1, 2]), "give components"),
        (lambda: mm.DrivenPoint(("b0", (0, 0, 0)), []), "list of"),
        (lambda: mm.JointStop("b0"), "finite lower or upper"),
        (lambda: mm.Motion.of(3, 0, 1), "give a function of time"),
        (lambda: mm.Motion.of(abs, 1, 1), "the end must be after"),
        (lambda: mm.Motion.pieces((0, 1), ((),)), "a coefficient for every piece"),
        (lambda: mm.Motion.pieces((1, 0), ((1,),)), "two or more rising times"),
    ],
)
def test_sentences(make, sentence):
    spec = chain()
    with pytest.raises((ValueError, TypeError, KeyError), match=sentence):
        spec.add_constraint(make(), "tie")
        spec.compile()


def test_the_constraint_is_named():
    spec = chain()
    spec.add_constraint(mm.JointStop("b0", 1.0, -1.0), "elbow")
    with pytest.raises(ValueError, match="constraint 'elbow'"):
        spec.compile()


def test_something_else_than_a_constraint():
    with pytest.raises(TypeError, match="give a constraint such as"):
        chain().add_constraint(mm.JointSpring("b0", 1.0))


def test_a_loop_whose_points_do_not_meet():
    model = four_bar().compile()
    with pytest.raises(ValueError, match=r"'closing.1' is off by 1.2 m; give a q that satisfies it"):
        mm.simulate(model, q=[0.3, 0.3, 2.0])
    state = mm.dynamics.assemble(model, START + 0.05 * np.array([1, 2, -1]))
    assert np.abs(mm.dynamics.constraint_values(model, state.q)[0]).max() < 1e-12


def test_a_loop_that_can_never_close():
    spec = four_bar()
    spec.add_constraint(mm.Loop(("left", (0, 0, 0)), (None, (9, 0, 0)), "pin"), "too far")
    with pytest.raises(ValueError, match=r"no state near the given one satisfies all constraints.*'too far.1'"):
        mm.dynamics.assemble(spec.compile(), START)


def test_an_overdetermined_drive():
    """Two motions of one crank: refused at the start, where they differ."""
    spec = four_bar()
    spec.add_constraint(mm.DrivenJoint("left", 1.0), "one")
    spec.add_constraint(mm.DrivenJoint("right", 2.0), "other")
    with pytest.raises(ValueError, match="'other' is off by 1"):
        mm.simulate(spec.compile(), q=START)


def test_deeply_overlapping_bodies():
    """Refused; with Baumgarte's gains they are pushed apart, and nothing is ever NaN."""
    spec = mm.Spec("overlap", (0, 0, 0))
    for i in range(2):
        spec.add_body(f"b{i}", None, mm.Free3D(), inertia=mm.Inertia.sphere(1, mass=1))
    spec.add_constraint(mm.Contact(mm.Sphere("b0", 1), mm.Sphere("b1", 1)))
    model = spec.compile()
    for apart in (0.5, 0.0):
        q = np.zeros(12)
        q[6] = apart
        with pytest.raises(ValueError, match=r"'Contact0.normal' is off by"):
            mm.simulate(model, q=q, integrator="euler")
        run = mm.simulate(model, q=q, integrator="euler", baumgarte=(0, 0, 10.0), h=1e-2, duration=1.0)
        assert np.isfinite(run.q).all()
        assert mm.dynamics.constraint_values(model, run.q[-1])[0][0] > -1e-3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"integrator": "symplectic"}, "cannot hold constraints"),
        ({"baumgarte": (1, 2)}, "shape"),
        ({"baumgarte": (-1, 0, 0)}, "must not be negative"),
    ],
)
def test_options(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        mm.simulate(four_bar().compile(), q=START, **options)


def test_contact_needs_steps_of_velocities():
    spec = chain()
    spec.add_constraint(mm.JointStop("b0", -1, 1))
    with pytest.raises(ValueError, match="need steps of velocities"):
        mm.simulate(spec.compile(), integrator="recursive")


def test_accelerations_need_an_integrator_that_follows_them():
    spec = four_bar()
    spec.add_constraint(mm.DrivenJoint("left", acceleration=mm.Motion.pieces((0, 1), ((1.0,),))))
    with pytest.raises(ValueError, match="cannot follow accelerations"):
        mm.simulate(spec.compile(), q=START, integrator="bdf1")


def test_numbers():
    model = four_bar().compile()
    with pytest.raises(ValueError, match="finite"):
        mm.forward_dynamics(model, [np.nan, 0, 0], [0, 0, 0])
    with pytest.raises(ValueError, match="float64"):
        mm.forward_dynamics(model, START + 1j, np.zeros(3))
    with pytest.raises(ValueError, match="shape"):
        mm.dynamics.constraint_values(model, [0.0])


@pytest.mark.parametrize("kind", ["hinge", "weld"])
def test_frames_closed_the_wrong_way_round(kind):
    """Half a turn off the rows vanish too; that is said, and not taken for closed."""
    spec = mm.Spec("turned", (0, 0, 0))
    spec.add_body("a", None, mm.Free3D(), mm.translation(1, 0, 0), inertia=mm.Inertia.cuboid((1, 0.2, 0.1), mass=1))
    spec.add_constraint(mm.Loop(("a", np.eye(4)), (None, mm.translation(1, 0, 0)), kind), "seat")
    model = spec.compile()
    with pytest.raises(ValueError, match=r"'seat.turn .' ties are turned against each other"):
        mm.simulate(model, q=[0, 0, 0, np.pi - 1e-9, 0, 0], duration=0.1)
    assert mm.dynamics.assemble(model, [0, 0, 0, 0.3, 0, 0]).q == pytest.approx(np.zeros(6), abs=1e-9)


def test_how_far_off_is_measured_by_the_mechanism_and_not_by_where_it_is():
    for x in (0.0, 100.0):
        spec = mm.Spec("ball")
        spec.add_body("b", None, mm.Free3D(), inertia=mm.Inertia.sphere(0.1, mass=1))
        spec.add_constraint(mm.Loop(("b", (0, 0, 0)), (None, (x, 0, 0))), "pivot")
        model = spec.compile()
        mm.simulate(model, q=[x + 1e-7, 0, 0, 0, 0, 0], duration=0.01)
        with pytest.raises(ValueError, match=r"'pivot.x' is off by 0.05 m"):
            mm.simulate(model, q=[x + 0.05, 0, 0, 0, 0, 0], duration=0.01)
