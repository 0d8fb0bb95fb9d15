"""Maximal coordinates (dissertation ch. 3): six velocities per body, joints as rows, E <- E exp(h phi).

    [ M - h D - h^2 K   -G^T ] [ phi ]   [ M phi0 + h (ad(phi0)^T M phi0 + f - D phi0) ]
    [ G                   0  ] [ lam ] = [ -rate - b g                                  ]

One sparse linear system a step. The forces are those of a twin of the model whose bodies all float, taken where they
stand, so that every force of the library serves here too. Between steps q and qdot are the nearest to poses and twists
in kinetic energy, q <- q + M_r^-1 J^T M log(E(q)^-1 E), and the bodies are put back there, unless Baumgarte's gains
keep them together.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import bmat, coo_matrix, csr_matrix, diags, lil_matrix, vstack
from scipy.sparse.linalg import splu

from .._jit import kernel
from ..algorithms.charts import NO_CHARTS, NO_SLOTS
from ..algorithms.hybrid import solve_mass
from ..algorithms.joint_wrenches import SINGULAR, joint_columns, joint_forces_on_bodies, solve_joints
from ..algorithms.kinematics import bodies_along, move_all
from ..algorithms.products import transpose_product
from ..constraints.dispatch import FORMULAS
from ..constraints.joint_rows import HELD, SHIFTS, TURNS, WORDS, held_components
from ..constraints.pack import Constraints, pack_parts
from ..constraints.qp import Program
from ..constraints.rows import evaluate_rows
from ..dynamics.assembly import projected_at
from ..dynamics.inverse import applied_forces
from ..dynamics.system import open_system, system_of
from ..dynamics.views import force_derivatives
from ..forces.dispatch import follow_law
from ..forces.pack import Forces
from ..integrators import Maximal
from ..integrators.base import MATRICES, NOT_FINITE, OK, move_charts, open_run, update_torques
from ..joints import Free3D
from ..joints.dispatch import KINDS
from ..model import Model, Spec, State
from ..model.elements import ACCELERATION, FRICTION, POSITION, ConstraintPart
from ..reduction.border import refuse_reduced
from ..spatial import Inertia, se3
from .stepper import Control, FixedStepper, Gains

READ = FRICTION  # level of rows that are only read
NEAREST = 3  # iterations of the projection; Newton's method squares the error
STEP = 1e-30  # of complex steps
TRACE = 1e-3  # of the largest inertia, that a body counts with in the scale of a row
SOFT = 1e-13  # share of a row's own response that lets rows depend on each other


@kernel(entry=True)
def rows_where_they_stand(handle, t, q, qdot):
    """Evaluate the rows of a model, for Python."""
    system = open_system(handle, q)
    move_all(system.tree, q, qdot)
    evaluate_rows(t, q, qdot, system.tree, system.constraints)


@kernel(entry=True)
def ask_controller(handle, t, q, qdot):
    """Ask the controller, if there is one, for torques."""
    update_torques(t, q, qdot, open_run(handle, q))


@kernel(entry=True)
def better_charts(handle, q):
    """Move joints that need it to better charts."""
    move_charts(open_run(handle, q))


def floating_twin(model: Model, E: np.ndarray) -> Model:
    """The same bodies, each floating on its own at poses E, with the forces that act on points and joints as rows.

    It is asked for forces and rows only: its inertia says nothing.
    """
    spec = Spec(model.name, tuple(model.gravity))
    for name, pose in zip(model.names, E, strict=True):
        spec.add_body(name, None, Free3D("TR"), pose, inertia=Inertia(1.0, (1.0, 1.0, 1.0)))
    twin = spec.compile()
    nodes, places = model.forces.nodes.copy(), _frames_in_bodies(model)
    for node in nodes:
        if node["link"] > 0:
            i, E_bl = places[int(node["link"])]
            node["link"], node["p"] = twin.bodies[i]["link"], E_bl[:3, :3] @ node["p"] + E_bl[:3, 3]
    forces = Forces(model.forces.laws[:0], model.forces.elements, nodes, model.forces.params)
    return replace(twin, forces=forces, constraints=_all_rows(model, twin, places))


def _frames_in_bodies(model: Model) -> dict[int, tuple[int, np.ndarray]]:
    """Link -> (the body that rides on it, the link's frame in the body's)."""
    return {
        int(body["link"]): (i, se3.inverse(se3.pose(body["R_lb"], body["p_lb"]))) for i, body in enumerate(model.bodies)
    }


def _all_rows(model: Model, twin: Model, places: dict) -> Constraints:
    """Rows on floating bodies: what the joints hold, then what they leave free (to be read), then the model's own."""
    made = [(name, part) for i, name in enumerate(model.names) for part in _joint_parts(model, i, places)]
    made.sort(key=lambda pair: pair[1].level)
    constraints = model.constraints
    for i, part in enumerate(constraints.table):
        ends = [_moved_end(model, end, places) for end in constraints.ends[2 * i : 2 * i + 2]]
        if None not in ends:
            own, after = (
                slice(part["row"], part["row"] + part["count"]),
                [*constraints.table["at"], len(constraints.params) - 1][i + 1],
            )
            rest = (
                constraints.names[own],
                constraints.params[part["at"] : after],
                ends,
                constraints.levels[own],
                constraints.unilateral[own].any(),
            )
            made.append(("", ConstraintPart(FORMULAS[part["kind"]], *rest)))
    return pack_parts(twin, made)


def _moved_end(model: Model, end: np.ndarray, places: dict) -> tuple | None:
    """An end as (body, pose), None if it is a coordinate."""
    if end["dof"] >= 0:
        return None
    E = se3.pose(end["R"], end["p"])
    if end["link"] == 0:
        return None, E
    i, E_bl = places[int(end["link"])]
    return model.names[i], E_bl @ E


def _joint_parts(model: Model, i: int, places: dict) -> list[ConstraintPart]:
    """The rows of the joint of body i: none if it is free."""
    last, parent = int(model.bodies[i]["link"]), int(model.parents[i])
    above = int(model.bodies[parent]["link"]) if parent >= 0 else 0
    chain = [last]
    while model.links[chain[-1]]["parent"] != above:
        chain.append(int(model.links[chain[-1]]["parent"]))
    kinds = [int(model.links[link]["kind"]) for link in chain]
    if len(chain) == 2 and {KINDS[kind].free for kind in kinds} == {TURNS, SHIFTS}:
        return []
    link = model.links[last]
    if len(chain) > 1 or KINDS[kinds[0]].free is None:
        words = " and ".join(KINDS[kind].__name__ for kind in reversed(kinds))
        raise ValueError(
            f"maximal coordinates know simple joints (fixed, revolute, prismatic, planar, translational, spherical, "
            f"free, and their inverses), and that of {model.names[i]!r} is {words}"
        )
    E0 = se3.pose(link["R0"], link["p0"])
    B = (None, E0) if parent < 0 else (model.names[parent], places[above][1] @ E0)
    held, free = held_components(kinds[0]), KINDS[kinds[0]].free
    ends, made = ((model.names[i], places[last][1]), B), []
    ends = ends[::-1] if link["inverted"] else ends
    for level, components in ((POSITION, held), (READ, free if free != TURNS else ())):
        if len(components):
            parameters = [*components, *np.zeros(6 - len(components)), free == (2,)]
            made.append(ConstraintPart(HELD, [WORDS[k] for k in components], parameters, ends, level))
    return made


class MaximalStepper(FixedStepper):
    """Fixed steps in maximal coordinates, a sparse linear system each."""

    def __init__(
        self, model: Model, start: State, method: Maximal, grid: np.ndarray, control: Control, baumgarte: Gains = None
    ):
        refuse_reduced(model, "the integrator 'maximal'")
        if (model.constraints.levels == FRICTION).any():
            raise ValueError("maximal coordinates have no friction here; take euler or semi-implicit")
        if model.muscles.active:
            raise ValueError("maximal coordinates know no muscles with mass or tension; take another integrator")
        n = model.nbodies
        self.E, self.phi, self.trial_E = np.empty((n, 4, 4)), np.empty((n, 6)), np.empty((1, n, 4, 4))
        super().__init__(model, start, method, grid, control, baumgarte)
        self.gains = baumgarte
        self.twin = floating_twin(model, self.E)
        self.floats = np.flatnonzero(self.twin.links["parent"] == 0)[1:]  # the links that carry the poses
        self.inertia = np.column_stack([model.bodies["mass"]] * 3 + [model.bodies["moments"]])  # of (v, w)
        self.mobility = 1.0 / np.maximum(self.inertia, TRACE * self.inertia.max()).ravel()
        self.records, self.still = system_of(self.twin.workspace).constraints.rows, np.zeros(6 * n)
        self.bodies_of_links = np.full(len(self.twin.links), -1)
        self.bodies_of_links[self.twin.bodies["link"]] = np.arange(n)
        self.read = _dof_rows(model, self.twin)
        _check_coordinates(model, self.read)
        self.piece = max(1, self.piece // 100)

    def _place(self, q: np.ndarray, qdot: np.ndarray) -> None:
        """The bodies where q and qdot have them."""
        bodies_along(self.space.tree.handle, NO_SLOTS, NO_CHARTS, q[None], qdot[None], self.E[None], self.phi[None])

    def resume(self, state: State) -> None:
        """Stand at a state, its row the first."""
        super().resume(state)
        better_charts(self.run.handle, self.run.q)
        self._place(self.run.q, self.run.qdot)

    def snapshot(self) -> tuple:
        """Where it stands, to be put back there."""
        return *super().snapshot(), self.E.copy(), self.phi.copy()

    def restore(self, snapshot: tuple) -> None:
        """Stand where the snapshot was taken."""
        *rest, self.E[:], self.phi[:] = snapshot
        super().restore(tuple(rest))

    def place(self, state: State) -> None:
        """Go on from another state at the present time."""
        super().place(state)
        self._place(state.q, state.qdot)

    def _roll(self, out: tuple, first: int, last: int) -> tuple[int, int]:
        (times, q, qdot, charts, _), torques = out, self.torques_ahead
        for row in range(first + 1, last + 1):
            if len(torques):
                self.run.tau[:] = torques[row - first - 1]
            if not self._step(times[row - 1], times[row] - times[row - 1]):
                return row - 1, NOT_FINITE
            q[row], qdot[row], charts[row] = self.run.q, self.run.qdot, self.params[self.model.chart_slots]
        return last, OK

    def _step(self, t: float, h: float) -> bool:
        """One step; False if it is not finite."""
        q, qdot = self.run.q, self.run.qdot
        ask_controller(self.run.handle, t + h, q, qdot)
        if not np.isfinite(self.run.tau).all():
            return False
        rates = np.concatenate([self.phi[:, 3:], self.phi[:, :3]], axis=1).ravel()  # (v, w) of each body
        self.twin.links["R0"][self.floats], self.twin.links["p0"][self.floats] = self.E[:, :3, :3], self.E[:, :3, 3]
        rows_where_they_stand(system_of(self.twin.workspace).handle, t + h, self.still, rates)
        rows_where_they_stand(self.system.handle, t + h, q, qdot)
        G = self._jacobian()
        H, f = self._forces(t, h, rates, G)
        phi = self._solve(H, f, *self._wanted(G, h))
        if not np.isfinite(phi).all():
            return False
        self.run.memory[MATRICES] += 1
        self.phi = np.concatenate([phi.reshape(-1, 6)[:, 3:], phi.reshape(-1, 6)[:, :3]], axis=1)
        self.E = np.array([E @ se3.exp(h * twist) for E, twist in zip(self.E, self.phi, strict=True)])
        if not np.isfinite(self.E).all():
            return False
        self._nearest(q, qdot)
        if self.gains is None:
            if len(self.model.constraints):
                projected_at(self.system.handle, t + h, q, qdot)
            better_charts(self.run.handle, q)
            self._place(q, qdot)
        return bool(np.isfinite(q).all())

    def _jacobian(self) -> csr_matrix:
        """G of all rows of the twin, over (v, w) of each body in its own axes."""
        r, e = np.nonzero(self.bodies_of_links[self.records["link"]] >= 0)
        i = self.bodies_of_links[self.records["link"][r, e]]
        R = self.E[i, :3, :3]
        blocks = np.concatenate([np.einsum("rjk,rj->rk", R, self.records[key][r, e]) for key in ("f", "n")], axis=1)
        columns = 6 * i[:, None] + np.arange(6)
        shape = len(self.records), len(self.still)
        return coo_matrix((blocks.ravel(), (np.repeat(r, 6), columns.ravel())), shape).tocsr()

    def _forces(self, t: float, h: float, rates: np.ndarray, G: csr_matrix) -> tuple[csr_matrix, np.ndarray]:
        """(H, right-hand side) of the bodies, springs and the laws and torques of joints taken implicitly."""
        v, w = rates.reshape(-1, 6)[:, :3], rates.reshape(-1, 6)[:, 3:]
        mass, moments, R = self.inertia[:, :1], self.inertia[:, 3:], self.E[:, :3, :3]
        weight = np.einsum("ijk,j->ik", R, self.model.gravity)
        f = np.concatenate([mass * (np.cross(v, w) + weight), np.cross(moments * w, w)], axis=1).ravel()
        H = diags(self.inertia.ravel()).tocsr()
        rhs = self.inertia.ravel() * rates
        if len(self.twin.forces.elements):
            f = f + applied_forces(self.twin, self.still, rates, t=t + h)
            K, D = (csr_matrix(x) for x in force_derivatives(self.twin, self.still, rates, t=t + h))
            H, rhs = H - h * D - h * h * K, rhs - h * (D @ rates)
        q, qdot = self.run.q, self.run.qdot
        torques, slopes = self.run.tau.copy(), np.zeros((2, len(q)))
        for law in self.model.forces.laws:
            k = law["dof"]
            torques[k] += _law(self.model, law, t + h, q[k], qdot[k]).real
            slopes[0, k] += _law(self.model, law, t + h, q[k] + 1j * STEP, qdot[k]).imag / STEP
            slopes[1, k] += _law(self.model, law, t + h, q[k], qdot[k] + 1j * STEP).imag / STEP
        unread = np.where(self.read < 0, torques, 0.0)
        if unread.any():
            f = f + self._wrenches(unread)
        acting = np.flatnonzero((self.read >= 0) & ((torques != 0) | slopes.any(axis=0)))
        if len(acting):
            C = G[self.read[acting]]
            f = f + C.T @ torques[acting]
            H = H - C.T @ diags(h * slopes[1, acting] + h * h * slopes[0, acting]) @ C
            rhs = rhs - h * (C.T @ (slopes[1, acting] * (C @ rates)))
        return H.tocsr(), rhs + h * f

    def _wrenches(self, tau: np.ndarray) -> np.ndarray:
        """(f, n) on each body of torques on coordinates that no row reads: those of ball and free joints."""
        columns, places = joint_columns(self.model, self.space.tree.handle, self.run.q)
        pull, twist = solve_joints(self.model, columns, tau, ("maximal coordinates", SINGULAR))
        forces = joint_forces_on_bodies(self.model, self.E[:, :3, 3], places, pull, twist)
        return np.concatenate([np.einsum("bji,bj->bi", self.E[:, :3, :3], x) for x in forces], axis=1).ravel()

    def _wanted(self, G: csr_matrix, h: float) -> tuple[csr_matrix, np.ndarray, csr_matrix, np.ndarray]:
        """(equality rows, their right-hand side, inequality rows, least right-hand side)."""
        own, twin, constraints = self.system.constraints.rows, self.records, self.model.constraints
        levels = self.twin.constraints.levels
        on_coordinates = np.flatnonzero(own["dof"][:, 0] >= 0)
        C = lil_matrix((len(on_coordinates), G.shape[0]))
        for i, r in enumerate(on_coordinates):
            for e in range(2):
                if own["dof"][r, e] >= 0:
                    C[i, self.read[own["dof"][r, e]]] += own["c"][r, e]
        G = vstack([G, C.tocsr() @ G]).tocsr()
        g, rate = (np.concatenate([twin[key], own[key][on_coordinates]]) for key in ("g", "rate"))
        levels = np.concatenate([levels, constraints.levels[on_coordinates]])
        one_sided = np.concatenate([self.twin.constraints.unilateral, constraints.unilateral[on_coordinates]])
        gain = 0.0 if self.gains is None else self.gains[2]
        equal = np.flatnonzero(~one_sided & (levels < ACCELERATION))
        rest = np.flatnonzero(one_sided if self.gains is None else one_sided & (g < 0.0))
        feedback = np.where(levels == POSITION, gain * g, 0.0)
        allowed = np.maximum(g, 0.0) / h if self.gains is None else gain * g
        return G[equal], -(rate + feedback)[equal], G[rest], -(rate + allowed)[rest]

    def _solve(
        self, H: csr_matrix, f: np.ndarray, G: csr_matrix, wanted: np.ndarray, C: csr_matrix, least: np.ndarray
    ) -> np.ndarray:
        """phi with G phi = wanted and C phi >= least, the latter by a quadratic program over the Schur complement."""
        n, m = H.shape[0], G.shape[0]
        size = G.multiply(G) @ self.mobility
        saddle = splu(bmat([[H, -G.T], [G, diags(SOFT * size)]]).tocsc()) if m else splu(H.tocsc())
        answer = saddle.solve(np.concatenate([f, wanted]))
        if C.shape[0]:
            response = saddle.solve(np.vstack([C.T.toarray(), np.zeros((m, C.shape[0]))]))
            W, lower = C @ response[:n], least - C @ answer[:n]
            B = np.linalg.cholesky(0.5 * (W + W.T) + SOFT * np.trace(W) * np.eye(len(W)))
            lam, everyone = np.empty(len(W)), np.ones(len(W), bool)
            Program(len(W), everyone).solve(B, lower, lower > 0.0, lam, np.empty(len(W)))
            answer = answer + response @ lam
        return answer[:n]

    def _nearest(self, q: np.ndarray, qdot: np.ndarray) -> None:
        """q and qdot nearest to the poses and twists in kinetic energy."""
        weights, twists = np.column_stack([self.inertia[:, 3:], self.inertia[:, :3]]), np.empty((1, *self.phi.shape))
        for _ in range(NEAREST):
            bodies_along(self.space.tree.handle, NO_SLOTS, NO_CHARTS, q[None], qdot[None], self.trial_E, twists)
            apart = np.array([se3.log(se3.inverse(a) @ b) for a, b in zip(self.trial_E[0], self.E, strict=True)])
            q += self._reduced(q, weights * apart)
        qdot[:] = self._reduced(q, weights * self.phi)

    def _reduced(self, q: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
        """M_r^-1 J^T of wrenches on the bodies, in linear time."""
        f, x, still, handle = np.empty(len(q)), np.empty(len(q)), np.zeros(max(len(q), 3)), self.space.tree.handle
        transpose_product(handle, q, still[: len(q)], np.ascontiguousarray(wrenches), f)
        solve_mass(handle, q, still, f, self.space.none_prescribed, x)
        return x


def _law(model: Model, law: np.ndarray, t: float, q: complex, qdot: complex) -> complex:
    """Force of a law on one coordinate."""
    return complex(follow_law(law["kind"], model.forces.params, law["at"], t, q, qdot)[0])


def _dof_rows(model: Model, twin: Model) -> np.ndarray:
    """The row of the twin that reads each degree of freedom's rate, -1 where none does."""
    rows = np.full(model.ndof, -1)
    reading = iter(np.flatnonzero(twin.constraints.levels == READ))
    for i in range(model.nbodies):
        link = model.links[model.bodies[i]["link"]]
        if link["ndof"] == model.dof_starts[i + 1] - model.dof_starts[i] and KINDS[link["kind"]].free != TURNS:
            for k in range(link["dof"], link["dof"] + link["ndof"]):
                rows[k] = next(reading)
    return rows


def _check_coordinates(model: Model, read: np.ndarray) -> None:
    """A sentence if forces or rows act on coordinates that maximal ones cannot read."""
    used = [*model.forces.laws["dof"], *model.constraints.ends["dof"][model.constraints.ends["dof"] >= 0]]
    if len(used) and (read[used] < 0).any():
        raise ValueError("maximal coordinates cannot act on the coordinates of ball and free joints")
