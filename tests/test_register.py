"""mm.register: what it takes, what it refuses with a sentence, and what files keep of registered kinds."""

import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import myomass as mm
from myomass._jit import DISABLED
from myomass.archive import NotRegistered, from_arrays, pack_models, to_arrays, unpack_models
from myomass.constraints.dispatch import FORMULAS as ROW_FORMULAS
from myomass.deformables.materials.dispatch import CHOICES as SOLIDS
from myomass.deformables.materials.dispatch import MATERIALS
from myomass.forces.dispatch import FORMULAS, LAWS
from myomass.integrators import INTEGRATORS
from myomass.joints.base import set_column
from myomass.joints.dispatch import KINDS
from myomass.model.elements import ConstraintPart, Element, Formula, Law
from myomass.muscles.wrapping.dispatch import CHOICES, SURFACES

pytestmark = pytest.mark.fast


@pytest.fixture(autouse=True)
def families():
    """The families as they were, after each test; kernels that nobody counts any more may stay."""
    lists = KINDS, LAWS, FORMULAS, ROW_FORMULAS, SURFACES, MATERIALS
    kept, methods = [list(members) for members in lists], dict(INTEGRATORS)
    counts = [(choice, len(choice.members)) for choice in _choices()]
    yield
    for members, before in zip(lists, kept, strict=True):
        members[:] = before
    INTEGRATORS.clear()
    INTEGRATORS.update(methods)
    for choice, count in counts:
        del choice.members[count:]
        if choice.door is not None:
            del choice.door.members[count:]
            choice.door.demanded = {(kind, scalar) for kind, scalar in choice.door.demanded if kind < count}


def _choices():
    from myomass.constraints.dispatch import FORMULA as ROWS
    from myomass.forces.dispatch import FORMULA, LAW
    from myomass.joints.dispatch import CHARTS, MOTION, PARTIALS

    return [MOTION, PARTIALS, CHARTS, LAW, FORMULA, ROWS, *CHOICES.values(), *SOLIDS.values()]


@mm.kernel(inline=False)
def screw(params, at, q, qdot, dof, dofs):
    o, one = q.dtype.type(0), q.dtype.type(1)
    none, pitch = (o, o, o), params[at] + o
    set_column(dofs[dof], ((o, o, one), (o, o, pitch)), (none, none))
    c, s = np.cos(q[dof]), np.sin(q[dof])
    return ((c, -s, o), (s, c, o), (o, o, one)), (o, o, pitch * q[dof])


@mm.kernel
def cubic(params, at, t, q, qdot):
    return -params[at] * q * q * q, 0.25 * params[at] * q * q * q * q


@mm.kernel
def drag(params, at, points):
    for k in range(3):
        points[0].f[k] = -params[at] * points[0].v[k]
    return points[0].x[0] * 0.0


@mm.kernel
def hold(params, at, t, spots, rows):
    rows[0].g, rows[0].rate = spots[0].q - params[at], spots[0].q * 0.0
    for e in range(2):
        rows[0].c[e] = spots[0].q * 0.0
        for k in range(3):
            rows[0].n[e, k] = spots[0].q * 0.0
            rows[0].f[e, k] = spots[0].q * 0.0
    rows[0].c[0] += 1.0


@mm.kernel
def short(params, at):
    return 0


HOLD = Formula(hold)


def screw_joint(name="Screw"):
    class Screw(mm.Joint):
        ndof, motion, units = 1, screw, ("rad",)

        def __init__(self, pitch=0.1):
            self.pitch = pitch

        def parameters(self):
            return np.array([self.pitch])

    Screw.__name__ = name
    return Screw


@dataclass(eq=False)
class Cubic(mm.Force):
    body: str
    stiffness: float
    law: ClassVar = cubic

    def parts(self, model):
        return [Law(self.kind, model.dof(self.body).start, [self.stiffness])]


@dataclass(eq=False)
class Drag(mm.Force):
    body: str
    coefficient: float
    formula: ClassVar = drag

    def parts(self, model):
        return [Element(self.kind, [(self.body, (0, 0, 0))], [self.coefficient], stores=False)]


@dataclass(eq=False)
class Hold(mm.Constraint):
    body: str
    value: float
    formulas: ClassVar = (HOLD,)

    def parts(self, model):
        return [ConstraintPart(HOLD, ("",), [self.value], [model.dof(self.body).start])]


class Shell(mm.wrap.Sphere):
    """A sphere under another name."""


def spec_with(joint):
    spec = mm.Spec("screwed")
    box = mm.Inertia.cuboid((0.1, 0.2, 0.3), mass=2.0)
    spec.add_body("nut", None, joint, inertia=box)
    spec.add_body("arm", "nut", mm.Revolute((1, 0, 0)), None, mm.translation(0, 0.4, 0), box)
    return spec


def everything():
    """A spec with one of each, all registered."""
    Screw = mm.register(screw_joint())
    for thing in (Cubic, Drag, Hold, Shell):
        assert mm.register(thing) is thing
    spec = spec_with(Screw(0.2))
    spec.add_force(Cubic("arm", 3.0))
    spec.add_force(Drag("arm", 0.2))
    spec.add_constraint(Hold("nut", 0.1))
    spec.add_muscle("m", 0.1, [(None, (0.5, 0, 0)), ("arm", (0.5, 0, 0))], [Shell("nut", None, 0.1)], mass_points=3)
    return spec


def test_it_gives_back_what_it_was_given_and_decorates():
    @mm.register
    class Rail(mm.Joint):
        ndof, motion = 1, screw

    assert KINDS[-1] is Rail
    assert mm.register(Rail) is Rail
    assert KINDS.count(Rail) == 1


def test_a_class_that_is_defined_again_counts_from_then_on():
    old, new = mm.register(screw_joint()), mm.register(screw_joint())
    assert KINDS[-2:] == [old, new]
    made_before = spec_with(old()).compile()
    loaded = from_arrays(to_arrays(made_before))
    assert (made_before.links["kind"][1], loaded.links["kind"][1]) == (len(KINDS) - 2, len(KINDS) - 1)


def test_another_class_of_the_same_name_is_refused():
    mm.register(screw_joint())
    other = screw_joint()
    other.__module__ = "somewhere.else"
    with pytest.raises(ValueError, match=r"the name of joint 'Screw' is taken by one from .*test_register; give yours"):
        mm.register(other)
    with pytest.raises(ValueError, match="the name of joint 'Revolute' is taken"):
        mm.register(screw_joint("Revolute"))


@mm.kernel
def springy(params, at, F):
    total = F[0][0] * 0.0
    for i in range(3):
        for j in range(3):
            total += 0.5 * params[at] * (F[i][j] - (i == j)) * (F[i][j] - (i == j))
    return total


@mm.kernel
def spring_stress(params, at, F):
    k, x, y, z = params[at], F[0], F[1], F[2]
    return (
        (k * (x[0] - 1.0), k * x[1], k * x[2]),
        (k * y[0], k * (y[1] - 1.0), k * y[2]),
        (k * z[0], k * z[1], k * (z[2] - 1.0)),
    )


@mm.kernel
def spring_slopes(params, at, F, A):
    A[:, :] = F[0][0] * 0.0
    for i in range(9):
        A[i, i] += params[at]


def test_a_material_of_ones_own():
    """Springs along the nine entries of F: the energy and the force of a stretched box are plain."""
    kernels = {"energy": springy, "stress": spring_stress, "slopes": spring_slopes}
    with pytest.raises(TypeError, match="material 'Springy': its `slopes` is missing"):
        mm.register(type("Springy", (mm.deformables.Material,), {**kernels, "slopes": None}))
    material = mm.register(type("Springy", (mm.deformables.Material,), kernels))(2.0, 0.0, 1.0)
    assert mm.register(type(material)) is MATERIALS[-1]
    mesh = mm.deformables.TetMesh.box((1, 2, 3), (2, 2, 2))
    body = mm.deformables.SoftBody(mesh, material, gravity=(0, 0, 0))
    x = mesh.nodes * (1.5, 1, 1)
    np.testing.assert_allclose(body.energy(x), 0.5 * 0.5**2 * 6)  # mu = E/2 = 1
    pulled = mesh.nodes[:, 0] > 0.4
    np.testing.assert_allclose(body.forces(x)[pulled].sum(axis=0), (-0.5 * 6, 0, 0), atol=1e-13)
    np.testing.assert_allclose(body.stiffness(x) @ (x - mesh.nodes).ravel(), -body.forces(x).ravel(), atol=1e-13)


def too_many():
    joint = screw_joint("Snake")
    joint.ndof = 7
    return joint


def force_with(**kernels):
    return type("Wind", (mm.Force,), kernels)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: 3, "give a subclass of mm.Joint, mm.Force"),
        (lambda: mm.Joint, "give a subclass of mm.Joint, mm.Force"),
        (lambda: mm.Revolute(), "give a subclass of mm.Joint, mm.Force"),
        (lambda: type("Bare", (mm.Joint,), {"ndof": 1}), "joint 'Bare': its `motion` is missing"),
        (lambda: type("Bare", (mm.Joint,), {"ndof": 1, "motion": short}), r"takes \(params, at, q, qdot, dof, dofs\)"),
        (lambda: type("Bare", (mm.Joint,), {"ndof": 1, "motion": len}), "marked with @mm.kernel"),
        (too_many, "joint 'Snake' has ndof = 7, and a joint has 0 to 6"),
        (lambda: force_with(), "needs one kernel, .* and has neither"),
        (lambda: force_with(law=cubic, formula=drag), "needs one kernel, .* and has both"),
        (lambda: force_with(formula=cubic), r"`formula` takes \(params, at, points\), and yours takes \(params, at, t"),
        (lambda: type("Bare", (mm.Constraint,), {}), r"constraint 'Bare' needs `formulas`.*has \(\)"),
        (lambda: Formula(short), "formula 'short': its `kernel` takes"),
        (lambda: type("Bare", (mm.wrap.Surface,), {}), "surface 'Bare': its `solve` is missing"),
        (lambda: mm.FixedStep("mine", 1, short), r"integrator 'mine': its `step` takes \(t, h, run\)"),
        (
            lambda: mm.FixedStep("rk4", 1, INTEGRATORS["euler"].step),
            "integrator 'rk4' is taken by one from myomass",
        ),
    ],
)
def test_what_cannot_be_registered_gets_a_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        mm.register(make())


def test_what_was_not_registered_is_refused_by_name():
    with pytest.raises(TypeError, match=r"body 'nut': the joint Screw is not registered; call mm.register\(Screw\)"):
        spec_with(screw_joint()())
    spec = spec_with(mm.Revolute())
    spec.add_force(type("Loose", (Cubic,), {"kind": -1})("arm", 1.0))
    with pytest.raises(TypeError, match=r"force 'Loose0': Loose is not registered; call mm.register\(Loose\)"):
        spec.compile()
    spec = spec_with(mm.Revolute())
    formula = Formula(short)
    loose = type("Loose", (Hold,), {"parts": lambda self, model: [ConstraintPart(formula, ("",), [], [0])]})
    spec.add_constraint(loose("arm", 1.0))
    with pytest.raises(TypeError, match=r"formula short of Loose is not registered; list it in Loose.formulas"):
        spec.compile()
    spec = spec_with(mm.Revolute())
    surface = type("Loose", (mm.wrap.Surface,), {})("nut")
    spec.add_muscle("m", 0.1, [(None, (0.5, 0, 0)), ("arm", (0.5, 0, 0))], [surface])
    with pytest.raises(TypeError, match=r"surface Loose is not registered; call mm.register\(Loose\)"):
        spec.compile()


def test_a_joint_whose_instance_has_too_many_degrees_of_freedom():
    joint = mm.register(screw_joint("Flexible"))()
    joint.ndof = 7
    with pytest.raises(ValueError, match="has 7 degrees of freedom, and a joint of its own kind has 6 at most"):
        spec_with(joint)


def test_a_file_knows_registered_kinds_by_name(tmp_path):
    model = everything().compile()
    run = mm.simulate(model, q=[0.1, 0.3], integrator="rk4", h=1e-2, duration=0.02)
    path = run.save(tmp_path / "run.npz")
    before = [list(members) for members in (KINDS, LAWS, FORMULAS, ROW_FORMULAS, SURFACES)]
    swap(KINDS, screw_joint("Other"))
    loaded = mm.Trajectory.load(path)
    assert loaded.model.links["kind"][1] == len(KINDS) - 1 != model.links["kind"][1]
    np.testing.assert_array_equal(loaded.q, run.q)
    for members, kept in zip((KINDS, LAWS, FORMULAS, ROW_FORMULAS, SURFACES), before, strict=True):
        members[:] = kept
    loaded = mm.Trajectory.load(path)
    np.testing.assert_array_equal(loaded.kinetic, run.kinetic)
    np.testing.assert_array_equal(loaded.potential, run.potential)
    np.testing.assert_array_equal(loaded.poses, run.poses)


def swap(members, other):
    """As if another had been registered before the last one."""
    members.insert(len(members) - 1, other)


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        (KINDS, r"model 'screwed' has a joint 'Screw' that is not registered here; .* mm.register\(Screw\) first"),
        (LAWS, "force 'Cubic' that is not registered"),
        (FORMULAS, "force 'Drag' that is not registered"),
        (ROW_FORMULAS, "formula 'hold' that is not registered"),
        (SURFACES, "surface 'Shell' that is not registered"),
    ],
    ids=["joint", "law", "formula", "rows", "surface"],
)
def test_a_file_with_a_kind_that_is_not_registered(tmp_path, members, sentence):
    model = everything().compile()
    run = mm.simulate(model, q=[0.1, 0.3], integrator="rk4", h=1e-2, duration=0.01)
    path = run.save(tmp_path / "run.npz")
    members.pop()
    with pytest.raises(NotRegistered, match=sentence):
        mm.Trajectory.load(path)


def test_a_kind_of_a_newer_version():
    arrays = to_arrays(spec_with(mm.Revolute()).compile())
    arrays["links"]["kind"][1] = 99
    with pytest.raises(NotRegistered, match="has a joint that this version does not know"):
        from_arrays(arrays)


def test_many_models_some_of_them_with_registered_kinds():
    models = [spec_with(mm.Revolute()).compile(), everything().compile(), spec_with(mm.Prismatic()).compile()]
    loaded = unpack_models(pack_models(models))
    for one, other in zip(models, loaded, strict=True):
        np.testing.assert_array_equal(one.links["kind"], other.links["kind"])


def test_a_pickle_knows_registered_kinds_by_name():
    model = everything().compile()
    pickled = pickle.dumps(model)
    before = list(KINDS)
    swap(KINDS, screw_joint("Other"))
    loaded = pickle.loads(pickled)
    assert loaded.links["kind"][1] == len(KINDS) - 1 != model.links["kind"][1]
    assert DISABLED or loaded.links.dtype is model.links.dtype  # kernels know it at once
    KINDS[:] = before[:-1]
    with pytest.raises(NotRegistered, match="joint 'Screw' that is not registered here"):
        pickle.loads(pickled)
    KINDS[:] = before
    q = [0.1, 0.3]
    np.testing.assert_array_equal(mm.mass_matrix(pickle.loads(pickled), q), mm.mass_matrix(model, q))


def test_an_integrator_of_ones_own():
    method = mm.FixedStep("my-rk4", order=4, step=INTEGRATORS["rk4"].step, states=True)
    assert mm.register(method) is method
    model = spec_with(mm.Revolute()).compile()
    mine, theirs = (mm.simulate(model, q=[0.1, 0.3], integrator=i, h=1e-2, duration=0.02) for i in ("my-rk4", "rk4"))
    np.testing.assert_array_equal(mine.q, theirs.q)
    assert mine.integrator == "my-rk4"
