"""Several threads may call functions of one model at the same time: every answer is that of a single thread."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import myomass as mm
from myomass._jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="takes minutes, and is about machine code")

THREADS, STATES, CALLS = 8, 24, 3200
BOX = mm.Inertia.cuboid((0.4, 0.1, 0.1), mass=1.0)


@pytest.fixture(autouse=True)
def switch_often():
    """Python goes over to another thread after 10 us instead of 5 ms."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def chain() -> mm.Spec:
    spec = mm.Spec("chain")
    for i in range(4):
        place = mm.translation(0.4 if i else 0.0, 0, 0)
        spec.add_body(
            f"b{i}", f"b{i - 1}" if i else None, mm.Revolute((0, 1, 0)), place, mm.translation(0.2, 0, 0), BOX
        )
    return spec


def bare() -> mm.Model:
    return chain().compile()


def sprung() -> mm.Model:
    spec = chain()
    spec.add_force(mm.PointSpring((None, (0, 0, 1)), ("b3", (0, 0, 0)), stiffness=20.0, damping=1.0))
    spec.add_force(mm.JointSpring("b1", stiffness=3.0))
    return spec.compile()


def looped() -> mm.Model:
    spec = chain()
    spec.add_constraint(mm.Coupling("b1", "b2", (0, -1.0)))
    spec.add_constraint(mm.Loop(("b3", (0.2, 0, 0)), (None, (0.8, 0, 0.5)), "pin"))
    return spec.compile()


def touching() -> mm.Model:
    """Both contacts are below the floor, and so closed, in every state."""
    spec = chain()
    for body in ("b1", "b3"):
        spec.add_constraint(mm.Contact(mm.Sphere(body, 0.1), mm.Plane((None, mm.translation(0, 0, 5)))))
    return spec.compile()


def muscled() -> mm.Model:
    spec = chain()
    spec.add_muscle("m", 0.3, points=[("b0", (0, 0, 0.1)), ("b2", (0, 0, 0.1))], tension=4.0)
    return spec.compile()


def states(model: mm.Model) -> list[tuple[np.ndarray, ...]]:
    """(q, qdot, tau or qddot), the contacts closing."""
    rng = np.random.default_rng(0)
    return [tuple(rng.uniform(-1, 1, (3, model.ndof))) for _ in range(STATES)]


PRESCRIBED = np.array([True, False, True, False])
CALLED = {
    "forward_dynamics": lambda model, q, v, x: mm.forward_dynamics(model, q, v, x),
    "forward_dynamics, redmax": lambda model, q, v, x: mm.forward_dynamics(model, q, v, x, "redmax"),
    "inverse_dynamics": lambda model, q, v, x: mm.inverse_dynamics(model, q, v, x),
    "hybrid_dynamics": lambda model, q, v, x: mm.hybrid_dynamics(model, q, v, x, x, PRESCRIBED),
    "joint_reactions": lambda model, q, v, x: mm.joint_reactions(model, q, v, x),
    "joint_reactions, world": lambda model, q, v, x: mm.joint_reactions(model, q, v, x, axes="world"),
    "inverse_dynamics_derivatives": lambda model, q, v, x: mm.inverse_dynamics_derivatives(model, q, v, x),
    "linearise": lambda model, q, v, x: mm.linearise(model, model.state(q, v), x),
    "energy": lambda model, q, v, x: mm.energy(model, q, v),
    "mass_matrix": lambda model, q, v, x: mm.mass_matrix(model, q),
}
HELD = {
    "constraint_forces": lambda model, q, v, x: mm.constraint_forces(model, q, v, x)[1:],
    "constraint_values": lambda model, q, v, x: mm.dynamics.constraint_values(model, q, v),
    "constraint_jacobian": lambda model, q, v, x: mm.dynamics.constraint_jacobian(model, q),
    "contact_points": lambda model, q, v, x: mm.dynamics.contact_points(model, q),
}
MOVING = ("forward_dynamics", "forward_dynamics, redmax", "hybrid_dynamics", "joint_reactions")
CASES = [
    *((bare, name) for name in ("forward_dynamics", "inverse_dynamics_derivatives", "energy", "mass_matrix")),
    *((sprung, name) for name in CALLED),
    *((looped, name) for name in (*MOVING, "joint_reactions, world", *HELD)),
    *((touching, name) for name in (*MOVING, "joint_reactions, world", *HELD)),
    *((muscled, name) for name in CALLED),
]


def flat(answer) -> np.ndarray:
    """All numbers of an answer, one after another."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return np.concatenate([np.ravel(part).astype(float) for part in parts])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("make", "name"), CASES, ids=[f"{make.__name__}-{name}" for make, name in CASES])
def test_answers_are_those_of_one_thread(make, name):
    model, function = make(), (CALLED | HELD)[name]
    given = states(model)
    wanted = [flat(function(model, *state)) for state in given]

    def work(thread: int) -> int:
        """How many of a thread's answers are wrong."""
        wrong = 0
        for call in range(CALLS // THREADS):
            at = (7 * thread + call) % STATES
            got = flat(function(model, *given[at]))
            wrong += got.shape != wanted[at].shape or not np.array_equal(got, wanted[at], equal_nan=True)
        return wrong

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(work, range(THREADS))) == 0
