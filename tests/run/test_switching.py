"""Runs whose model changes at an event: other trees, other joints, other numbers of degrees of freedom."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import myomass as mm
from myomass.integrators import INTEGRATORS, Adaptive
from myomass.joints.records import as_records

G, LENGTH = 9.81, 0.8
Y = (0, 1, 0)
ROD = mm.Inertia.cuboid((0.1, 0.05, LENGTH), mass=1.5)
BALL = mm.Inertia.sphere(0.1, mass=2.0)


def pendulum(name="pendulum"):
    """Two rods, a hung at the origin and b on a."""
    spec = mm.Spec(name, (0, 0, -G))
    spec.add_body("a", None, mm.Revolute(Y), None, mm.translation(0, 0, -LENGTH / 2), ROD)
    spec.add_body("b", "a", mm.Revolute(Y), mm.translation(0, 0, -LENGTH), mm.translation(0, 0, -LENGTH / 2), ROD)
    return spec.compile()


def upside_down(joint, place, pinned=False):
    """The same rods, b on the world by its tip, which is at `place`, and a on b; numbered as before."""
    spec = mm.Spec("upside down", (0, 0, -G))
    spec.add_body("b", None, joint, mm.translation(*place), mm.translation(0, 0, LENGTH / 2), ROD)
    spec.add_body("a", "b", mm.Revolute(Y), mm.translation(0, 0, LENGTH), mm.translation(0, 0, LENGTH / 2), ROD)
    if pinned:
        spec.add_constraint(mm.Loop(("a", (0, 0, LENGTH / 2)), (None, (0, 0, 0)), "pin", axis=Y))
    return renumbered(spec.compile(), ["a", "b"])


def renumbered(model, names):
    """The model with its bodies, and their degrees of freedom, in another order; its links stay as they are."""
    order = [model.body(name) for name in names]
    counts = np.diff(model.dof_starts)[order]
    starts, links = np.concatenate([[0], np.cumsum(counts)]), model.links.copy()
    for i, old in enumerate(order):
        own = (links["ndof"] > 0) & (model.links["dof"] >= model.dof_starts[old])
        own &= model.links["dof"] < model.dof_starts[old + 1]
        links["dof"][own] += starts[i] - model.dof_starts[old]
    parents = [-1 if model.parents[old] < 0 else order.index(model.parents[old]) for old in order]
    return replace(
        model,
        links=as_records(links, model.links.dtype),
        bodies=as_records(model.bodies[order], model.bodies.dtype),
        dof_starts=starts,
        numbering={name: i for i, name in enumerate(names)},
        parents=np.array(parents),
        shapes=tuple(model.shapes[old] for old in order),
    )


def tip_of(model, q):
    """Where the tip of b is. (3,)"""
    return (mm.forward_kinematics(model, q)[model.body("b")] @ (0, 0, -LENGTH / 2, 1))[:3]


def twists_of(model, state):
    return (mm.jacobian(model, state.q) @ state.qdot).reshape(-1, 6)


def nearest_rates(model, q, twists):
    """The rates nearest to given twists in kinetic energy: what remains of a motion when joints seize it."""
    J = mm.jacobian(model, q)
    weights = np.column_stack([model.bodies["moments"], np.repeat(model.bodies["mass"][:, None], 3, axis=1)]).ravel()
    return np.linalg.solve(mm.mass_matrix(model, q), J.T @ (weights * np.ravel(twists)))


def options_of(integrator, fine=1e-10):
    return {"integrator": integrator} | (
        {"rtol": fine, "atol": fine} if isinstance(INTEGRATORS[integrator], Adaptive) else {"h": 1e-3}
    )


class TestAnEqualModel:
    """Going over to an equal model is the same as going on."""

    start = (1.2, -0.4)

    def run(self, integrator, action, **options):
        event = mm.Event(lambda state: state.q[0] - 0.1, action)
        given = {"q": self.start, "duration": 2.0, **options_of(integrator), **options}
        return mm.simulate(self.models[0], events=event, **given)

    @pytest.fixture(autouse=True)
    def two_models(self):
        self.models = pendulum(), pendulum("other")

    def other(self, state, model):
        return self.models[1 - self.models.index(model)], state

    @pytest.mark.parametrize("integrator", INTEGRATORS)
    def test_is_the_same_to_the_last_bit(self, integrator):
        same, other = self.run(integrator, lambda state: state), self.run(integrator, self.other)
        assert len(same.events) == len(other.events) == len(other.switches) >= 2
        for key in ("t", "q", "qdot", "charts", "poses", "kinetic", "potential"):
            np.testing.assert_array_equal(getattr(other, key), getattr(same, key))
        assert other.steps == same.steps
        assert [model.name for _, model in other.switches] == ["other", "pendulum", "other"][: len(other.switches)]
        assert [other.t[row] for row, _ in other.switches] == [happened.time for happened in other.events]

    @pytest.mark.parametrize("integrator", INTEGRATORS)
    def test_is_the_motion_without_events(self, integrator):
        quiet, other = self.run(integrator, lambda state: None), self.run(integrator, self.other)
        nothing = mm.simulate(self.models[0], q=self.start, duration=2.0, **options_of(integrator))
        accuracy = {"recursive": 1e-8, "redmax": 1e-8, "rk4": 1e-10, "sdirk2": 1e-6, "bdf2": 1e-5}.get(integrator, 1e-3)
        for run in (quiet, other):
            np.testing.assert_allclose(run.q[-1], nothing.q[-1], atol=accuracy)
            np.testing.assert_allclose(run.qdot[-1], nothing.qdot[-1], atol=10 * accuracy)

    def test_rows_without_those_of_events_are_the_grid(self):
        run = self.run("rk4", self.other)
        kept = ~np.isin(run.t, [happened.time for happened in run.events])
        nothing = mm.simulate(self.models[0], q=self.start, duration=2.0, **options_of("rk4"))
        np.testing.assert_array_equal(run.t[kept], nothing.t)

    @pytest.mark.parametrize("integrator", ["recursive", "rk4"])
    def test_wanted_times(self, integrator):
        times = np.linspace(0, 2.0, 41)
        run, quiet = (self.run(integrator, action, times=times) for action in (self.other, lambda state: state))
        np.testing.assert_array_equal(run.t, times)
        np.testing.assert_array_equal(run.q, quiet.q)
        for (row, _), happened in zip(run.switches, run.events, strict=True):
            assert run.t[row - 1] < happened.time <= run.t[row]

    @pytest.mark.parametrize("integrator", ["recursive", "rk4"])
    @pytest.mark.parametrize("happens", [0.25, 0.5])
    def test_a_row_at_the_very_time_of_an_event_is_what_comes_after_it(self, integrator, happens):
        def kick(state, model):
            state.qdot[:] = 1.0
            return self.models[1], state

        for action, models in ((kick, 1), (lambda state: kick(state, None)[1], 0)):
            event = mm.Event(lambda state: state.t - happens, action)
            run = mm.simulate(self.models[0], q=self.start, events=event, times=[0.25, 0.5], **options_of(integrator))
            row = [0.25, 0.5].index(happens)
            assert [happened.time for happened in run.events] == [happens]
            np.testing.assert_array_equal(run.t, [0.25, 0.5])
            np.testing.assert_array_equal(run.qdot[row], 1.0)
            assert run.switches == (((row, self.models[1]),) if models else ())
            assert run.last_model is self.models[models]

    @pytest.mark.parametrize("integrator", ["recursive", "rk4"])
    def test_times_that_are_all_after_the_first_switch(self, integrator):
        first = self.run(integrator, self.other).events[0].time
        run = self.run(integrator, self.other, times=[first + 0.1, first + 0.2])
        assert run.switches == ((0, self.models[1]),)
        assert run.model is self.models[0]
        assert run.model_at(0) is run.last_model is self.models[1]
        assert [piece.model for piece in run.pieces] == [self.models[1]]
        assert len(run.pieces[0].t) == len(run.poses) == 2

    def test_switches_between_two_wanted_times_that_cancel(self):
        times = [0.0, 2.0]
        run = self.run("rk4", self.other, times=times)
        assert [happened.model_after.name for happened in run.events][:2] == ["other", "pendulum"]
        assert len(run.switches) == len(run.events) % 2

    def test_ctrl_c_keeps_what_was_computed(self):
        def once(state, model):
            if model is self.models[1]:
                raise KeyboardInterrupt
            return self.models[1], state

        whole = self.run("rk4", self.other)
        run = self.run("rk4", once)
        assert run.ended == "interrupted"
        assert len(run.switches) == len(run.events) == 1
        assert run.t[-1] == whole.events[1].time
        np.testing.assert_array_equal(run.q[:-1], whole.q[: len(run.t) - 1])

    def test_a_progress_that_ends_the_run(self):
        def show(share):
            if share > 0.7:
                raise KeyboardInterrupt

        run = self.run("recursive", self.other, progress=show)
        assert run.ended == "interrupted"
        assert 0.7 < run.t[-1] / 2.0 < 0.9
        assert run.switches

    @pytest.mark.parametrize("integrator", ["recursive", "rk4", "bdf2"])
    def test_a_switch_at_the_very_end(self, integrator):
        event = mm.Event(lambda state: state.t - 0.5, self.other)
        run = mm.simulate(self.models[0], q=self.start, duration=0.5, events=event, **options_of(integrator))
        assert run.ended == "completed"
        assert run.t[-1] == pytest.approx(0.5, abs=1e-12)
        assert run.last_model is self.models[1]
        more = mm.simulate(run.last_model, state=run.state, duration=0.1)
        assert run.joined(more).t[-1] == pytest.approx(0.6, abs=1e-12)

    def test_both_of_two_events_at_one_instant_switch(self):
        events = [mm.Event(lambda state: state.t - 0.25, self.other, kind=kind) for kind in ("first", "second")]
        run = mm.simulate(self.models[0], q=self.start, duration=0.5, events=events, **options_of("rk4"))
        assert [happened.kind for happened in run.events] == ["first", "second"]
        assert run.events[0].model_after is run.events[1].model_before is self.models[1]
        assert run.switches == ()
        assert (np.diff(run.t) > 0).all()

    def test_many_models_are_many_steppers_and_their_steps_add_up(self):
        """More models than are kept: steppers that retire have their steps counted too."""
        models = [pendulum(str(i)) for i in range(40)]
        events = mm.Event(lambda state: np.sin(80 * np.pi * (state.t - 0.001)), lambda state: (models.pop(), state))
        run = mm.simulate(models.pop(), q=self.start, duration=0.45, integrator="rk4", h=1e-3, events=events)
        assert len(run.switches) == len(run.events) == 36
        assert run.steps["accepted"] == len(run.t) - 1
        assert len(run.pieces) == 37
        assert sum(len(piece.t) for piece in run.pieces) == len(run.t)


class TestTheTree:
    def test_other_coordinates_in_full_swing(self):
        """b floats and a is pinned where it hung: four coordinates and two rows for the motion of two coordinates."""
        model = pendulum()
        start = {"q": [1.2, -0.4], "duration": 1.0, "rtol": 1e-10, "atol": 1e-10}

        def float_freely(state, model):
            place = tip_of(model, state.q)
            joint = mm.Composite(mm.Prismatic((1, 0, 0)), mm.Prismatic((0, 0, 1)), mm.Revolute(Y))
            following = upside_down(joint, place, pinned=True)
            q = np.array([-state.q[1], 0, 0, state.q.sum()])
            qdot = nearest_rates(following, q, twists_of(model, state))
            return following, following.state(q, qdot)

        event = mm.Event(lambda state: state.t - 0.4, float_freely)
        run, whole = mm.simulate(model, events=event, **start), mm.simulate(model, **start)
        assert run.q.shape[1] == 4
        row = run.switches[0][0]
        assert np.isnan(run.q[:row, 2:]).all()
        assert np.isfinite(run.q[row:]).all()
        np.testing.assert_allclose(run.poses[-1], whole.poses[-1], atol=1e-7)
        np.testing.assert_allclose(run.twists[-1], whole.twists[-1], atol=1e-6)
        assert run.energy_drift < 1e-8
        assert run.state.q.shape == (4,)

    @pytest.mark.parametrize("integrator", ["recursive", "rk4", "sdirk2"])
    def test_a_pendulum_hung_from_its_other_end(self, integrator):
        """The tip is seized in full swing: the angular momentum about it stays, and then the energy does."""
        model = pendulum()

        def seize(state, model):
            following = upside_down(mm.Revolute(Y), tip_of(model, state.q))
            q = np.array([-state.q[1], state.q.sum()])
            return following, following.state(q, nearest_rates(following, q, twists_of(model, state)))

        event = mm.Event(lambda state, model: tip_of(model, state.q)[0], seize, direction=1, unless=is_upside_down)
        run = mm.simulate(model, q=[1.2, 0.3], duration=1.5, events=event, **options_of(integrator))
        [happened], [(row, following)] = run.events, run.switches
        place = tip_of(model, happened.q_before)
        assert abs(place[0]) < 1e-12
        states = [
            (happened.model_before, happened.q_before, happened.qdot_before),
            (happened.model_after, happened.q_after, happened.qdot_after),
        ]
        poses = [mm.forward_kinematics(m, q) for m, q, _ in states]
        np.testing.assert_allclose(*poses, atol=1e-12)
        spin = [turning_about(place, m, m.state(q, qdot)) for m, q, qdot in states]
        np.testing.assert_allclose(*spin, atol=1e-12)
        assert mm.energy(*states[1]).kinetic < 0.9 * mm.energy(*states[0]).kinetic
        before, after = run.pieces
        assert max(before.energy_drift, after.energy_drift) < (1e-4 if integrator == "sdirk2" else 1e-7)
        for q in after.q[::50]:
            np.testing.assert_allclose(tip_of(following, q), place, atol=1e-12)
        again = mm.simulate(following, state=after_event(run), duration=1.5 - happened.time, **options_of(integrator))
        np.testing.assert_allclose(again.q[-1], run.q[-1], atol=1e-6)
        assert run.model_at(row - 1) is model
        assert run.model_at(row) is run.model_at(-1) is following

    @pytest.mark.parametrize("integrator", ["recursive", "rk4", "sdirk2"])
    def test_a_chain_in_flight_hung_from_one_body_after_another(self, integrator, tmp_path):
        """Whichever body is the root, the motion is the same; springs and charts go along."""
        spec = mm.Spec("chain", (0, 0, -G))
        spec.add_body("0", None, mm.Free3D(), inertia=ROD)
        for i, joint in enumerate([mm.SphericalEuler(), mm.Revolute(Y), mm.SphericalExp()]):
            place = mm.translation(0, 0, -LENGTH / 2)
            spec.add_body(str(i + 1), str(i), joint, mm.translation(0, 0, 0 if i else LENGTH / 2), place, ROD)
        spec.add_force(mm.JointSpring("2", stiffness=5.0))
        model = spec.compile()
        bodies = iter([1, 3, 0, 2, 3, 1, 2, 0, 3])

        def hang(state, model):
            body = next(bodies)
            return mm.reroot(model, state, body, place=(0, 0, -0.1))

        event = mm.Event(lambda state: np.sin(10 * np.pi * (state.t - 0.05)), hang)
        given = {"qdot": np.linspace(-3, 3, model.ndof), "duration": 0.9, **options_of(integrator)}
        run, whole = mm.simulate(model, events=event, **given), mm.simulate(model, **given)
        assert len(run.switches) == len(run.events) == 9
        assert [int(np.flatnonzero(m.parents < 0)[0]) for _, m in run.switches] == [1, 3, 0, 2, 3, 1, 2, 0, 3]
        accuracy = 1e-4 if integrator == "sdirk2" else 1e-7
        np.testing.assert_allclose(run.poses[-1], whole.poses[-1], atol=accuracy)
        np.testing.assert_allclose(run.twists[-1], whole.twists[-1], atol=10 * accuracy)
        total = run.kinetic + run.potential
        np.testing.assert_allclose(total, total[0], atol=100 * accuracy)
        loaded = mm.Trajectory.load(run.save(tmp_path / "chain.npz"))
        np.testing.assert_array_equal(loaded.poses, run.poses)


def is_upside_down(state, model):
    return model.parents[0] == 1


def after_event(run):
    row, model = run.switches[0]
    return mm.State(run.t[row], run.q[row, : model.ndof].copy(), run.qdot[row, : model.ndof].copy())


def turning_about(place, model, state):
    """Angular momentum about a place, in world axes. (3,)"""
    total = np.zeros(3)
    for body, E, twist in zip(
        model.bodies, mm.forward_kinematics(model, state.q), twists_of(model, state), strict=True
    ):
        R, r = E[:3, :3], E[:3, 3] - place
        total += R @ (body["moments"] * twist[:3]) + np.cross(r, body["mass"] * (R @ twist[3:]))
    return total


# --- a ball that sticks to a wall and flies off again: three degrees of freedom, none, three --------------------------

WALL, LEAVES = 1.0, 0.8
THROWN, OFF = np.array([2.0, 0.0, 3.0]), np.array([-1.0, 0.5, 0.0])


def ball(joint, place=(0, 0, 0), **more):
    spec = mm.Spec(more.pop("name", "ball"), (0, 0, -G))
    spec.add_body("ball", None, joint, mm.translation(*place), inertia=BALL)
    for constraint in more.values():
        spec.add_constraint(constraint)
    return spec.compile()


def flying_and_sticking():
    free = ball(mm.Translational(), name="free")

    def to_wall(state, model):
        return state.q[0] - WALL if model.ndof else -1.0

    def stick(state):
        stuck = ball(mm.Fixed(), state.q)
        return stuck, stuck.state()

    def leave(state, model):
        place = mm.forward_kinematics(model, state.q)[0, :3, 3]
        return free, free.state(place, OFF)

    return free, [mm.Event(to_wall, stick, 1, "sticks"), mm.Event(lambda state: state.t - LEAVES, leave, 1, "leaves")]


def flight(t):
    """Where the ball is by the laws of free fall. (3,)"""
    fall, hit = np.array([0, 0, -G / 2]), WALL / THROWN[0]
    place = THROWN * min(t, hit) + fall * min(t, hit) ** 2
    return place + OFF * (t - LEAVES) + fall * (t - LEAVES) ** 2 if t > LEAVES else place


class TestDegreesOfFreedomThatGoAndCome:
    @pytest.mark.parametrize("integrator", INTEGRATORS)
    def test_a_ball_that_sticks_and_flies_off_again(self, integrator):
        model, events = flying_and_sticking()
        run = mm.simulate(model, qdot=THROWN, duration=1.2, events=events, **options_of(integrator))
        exact = integrator in ("recursive", "redmax", "rk4", "bdf2", "sdirk2")
        assert run.ended == "completed"
        assert [happened.kind for happened in run.events] == ["sticks", "leaves"]
        np.testing.assert_allclose([happened.time for happened in run.events], [WALL / THROWN[0], LEAVES], atol=1e-12)
        assert [piece.q.shape[1] for piece in run.pieces] == [3, 0, 3]
        assert run.pieces[2].model is model
        assert len(run.events[0].q_before) == 3
        assert len(run.events[0].q_after) == 0
        places = run.poses[:, 0, :3, 3]
        np.testing.assert_allclose(places, [flight(t) for t in run.t], atol=1e-12 if exact else 1e-2)
        stuck = slice(run.switches[0][0], run.switches[1][0])
        assert np.isnan(run.q[stuck]).all()
        assert (run.kinetic[stuck] == 0).all()
        assert run.kinetic[-1] == pytest.approx(run.pieces[2].kinetic[-1])
        np.testing.assert_array_equal(run.state.q, run.q[-1])

    @pytest.mark.parametrize("integrator", ["recursive", "rk4"])
    def test_wanted_times(self, integrator):
        model, events = flying_and_sticking()
        times = np.linspace(0, 1.2, 25)
        run = mm.simulate(model, qdot=THROWN, times=times, events=events, **options_of(integrator))
        np.testing.assert_array_equal(run.t, times)
        np.testing.assert_allclose(run.poses[:, 0, :3, 3], [flight(t) for t in times], atol=1e-10)
        assert [piece.model.ndof for piece in run.pieces] == [3, 0, 3]

    def test_a_torque_function_sees_the_model_in_force(self):
        model, events = flying_and_sticking()
        seen = set()

        def weight(t, q, qdot):
            seen.add((len(q), t > WALL / THROWN[0], t > LEAVES))
            return np.array([0, 0, G * 2.0])[: len(q)]

        run = mm.simulate(model, qdot=THROWN, duration=1.2, events=events, tau=weight)
        assert {n for n, *_ in seen} == {0, 3}
        assert (0, False, False) not in seen
        np.testing.assert_allclose(run.q[-1], WALL / THROWN[0] * THROWN + 0.4 * OFF, atol=1e-10)
        with pytest.raises(ValueError, match=r"the torque function's answer at 0\.5 s has shape \(3,\)"):
            mm.simulate(model, qdot=THROWN, duration=1.2, events=events, tau=lambda t, q, qdot: np.zeros(3))

    def test_constant_torques_belong_to_their_joints(self):
        model, events = flying_and_sticking()
        with pytest.raises(ValueError, match=r"tau was given for the joints of model 'free', and at 0\.5 s"):
            mm.simulate(model, qdot=THROWN, duration=1.2, events=events, tau=[0, 0, 1.0])
        run = mm.simulate(model, qdot=THROWN, duration=1.2, events=events, tau=[0, 0, 0])
        np.testing.assert_allclose(run.q[-1], flight(1.2), atol=1e-10)
        heavy = ball(mm.Translational(), name="heavy")
        event = mm.Event(lambda state: state.t - 0.5, lambda state: (heavy, state))
        run = mm.simulate(model, qdot=THROWN, events=event, tau=[0, 0, 2.0 * G])
        np.testing.assert_allclose(run.q[-1], THROWN, atol=1e-12)


class TestConstraints:
    def test_a_free_ball_that_gets_a_floor(self):
        """The floor is there from 0.2 s on only; contact steps of velocities take over, and forces are known."""
        free = ball(mm.Translational(), name="free")
        on_floor = ball(mm.Translational(), name="floor", contact=mm.Contact(mm.Sphere("ball", 0.1)))
        event = mm.Event(lambda state: state.t - 0.2005, lambda state: (on_floor, state))
        given = {"q": [0, 0, 0.6], "integrator": "semi-implicit", "h": 1e-3, "duration": 1.0}
        run = mm.simulate(free, events=event, **given)
        whole = mm.simulate(on_floor, **given)
        assert run.q[-1, 2] == pytest.approx(0.1, abs=1e-9)
        np.testing.assert_allclose(run.q[-1], whole.q[-1], atol=1e-9)
        row = run.switches[0][0]
        assert np.isnan(run.multipliers[:row]).all()
        assert run.multipliers[-1, 0] == pytest.approx(2.0 * G, rel=1e-6)
        before, after = run.pieces
        assert before.multipliers is None
        assert after.multipliers.shape == (len(after.t), 1)
        for integrator in ("recursive", "rk4"):
            with pytest.raises(ValueError, match="need steps of velocities"):
                mm.simulate(free, events=event, **given | {"integrator": integrator})

    def test_the_start_of_a_piece_is_projected(self):
        model = pendulum()
        locked = mm.Spec("locked", (0, 0, -G))
        locked.add_body("a", None, mm.Revolute(Y), None, mm.translation(0, 0, -LENGTH / 2), ROD)
        locked.add_body("b", "a", mm.Revolute(Y), mm.translation(0, 0, -LENGTH), mm.translation(0, 0, -LENGTH / 2), ROD)
        locked.add_constraint(mm.Coupling("a", "b", (0.0, 0.0)))
        locked = locked.compile()
        is_locked = {"unless": lambda state, model: model is locked}
        event = mm.Event(lambda state: state.q[1], lambda state: (locked, state), 1, "knee", **is_locked)
        run = mm.simulate(model, q=[0.6, -0.5], duration=1.0, events=event, rtol=1e-9, atol=1e-9)
        [happened] = run.events
        assert abs(happened.qdot_before[1]) > 0.1
        assert abs(happened.qdot_after[1]) < 1e-12
        assert np.abs(run.pieces[1].q[:, 1]).max() < 1e-10
        assert run.pieces[1].energy_drift < 1e-6

    def test_knots_are_those_of_the_model_in_force(self):
        def pushed(times):
            spec = mm.Spec("pushed", (0, 0, 0))
            spec.add_body("ball", None, mm.Prismatic(), inertia=BALL)
            spec.add_force(mm.JointTorque("ball", [0, 2000.0, 0], times=times))
            return spec.compile()

        one, other = pushed([0, 0.1, 0.101]), pushed([0, 0.7, 0.701])
        event = mm.Event(lambda state: state.t - 0.5, lambda state: (other, state))
        run = mm.simulate(one, events=event)
        assert run.qdot[-1, 0] == pytest.approx(2.0, abs=1e-9)
        assert {0.1, 0.101, 0.7, 0.701} <= set(run.t.tolist())


# --- what an event's functions are given ------------------------------------------------------------------------------


class Counting:
    def __call__(self, state, model):
        return state.t - 0.1 * model.ndof


def test_functions_get_the_model_if_they_ask_for_it():
    model, seen = ball(mm.Translational()), []

    def keyword(state, model=None):
        seen.append(("keyword", model))

    def default(state, factor=3.0):
        seen.append(("default", factor))

    def only_by_name(state, *, model):
        seen.append(("by name", model))

    def three(place, state, model):
        seen.append((place, model))

    actions = [keyword, default, only_by_name, partial(three, "partial")]
    events = [mm.Event(Counting(), action) for action in actions]
    mm.simulate(model, duration=0.5, events=events)
    assert seen == [("keyword", model), ("default", 3.0), ("by name", model), ("partial", model)]
    assert mm.Event(Counting()).asks_model
    assert not mm.Event(default).asks_model
    assert not mm.Event(max).asks_model  # whose signature cannot be read
    assert pickle.loads(pickle.dumps(mm.Event(Counting()))).asks_model
    with pytest.raises(TypeError, match="must take a state, or a state and a model, and asks for 3 things"):
        mm.Event(three)


def test_the_model_is_in_the_charts_of_the_state():
    spec = mm.Spec("top", (0, 0, -G))
    spec.add_body("top", None, mm.SphericalEuler(), None, mm.translation(0, 0, 1), mm.Inertia.cuboid((1, 2, 3), mass=1))
    model, seen = spec.compile(), []

    def height(state, model):
        np.testing.assert_array_equal(model.params[model.chart_slots], state.charts)
        seen.append(state.charts[0])
        return mm.forward_kinematics(model, state.q)[0, 2, 3]

    event = mm.Event(height, lambda state, model: (model, state))
    run = mm.simulate(model, q=[0.1, 0.2, 0.3], qdot=[1, 2, 3], duration=2.0, events=event, rtol=1e-9, atol=1e-9)
    assert len(set(seen)) > 1
    assert run.switches == ()
    assert len(run.events) > 0
    for happened in run.events:
        row = np.searchsorted(run.t, happened.time)
        assert abs(run.poses[row, 0, 2, 3]) < 1e-9


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (lambda state, model: (model, None), TypeError, "event 'odd': the action must return a state or None, or"),
        (lambda state, model: (None, state), TypeError, "event 'odd': the action must return a state or None"),
        (lambda state, model: (model, state, 1), TypeError, "event 'odd': the action must return a state or None"),
        (lambda state, model: model, TypeError, "event 'odd': the action must return a state or None"),
        (lambda state, model: (model.astype(np.float32), state), ValueError, "event 'odd'.*float32"),
        (lambda state, model: (pendulum(), state), ValueError, r"event 'odd'.*the bodies \['a', 'b'\]"),
        (lambda state, model: (ball(mm.Prismatic()), state), ValueError, "event 'odd'.*does not fit: q has shape"),
        (lambda state, model: replace(state, q=state.q * np.nan), ValueError, "event 'odd'.*does not fit: .*finite"),
        (lambda state, model: replace(state, charts=np.zeros(2)), ValueError, "event 'odd'.*does not fit: .*charts"),
    ],
)  # fmt: skip
def test_bad_answers_get_a_sentence(answer, error, sentence):
    event = mm.Event(lambda state: state.t - 0.1, answer, kind="odd")
    with pytest.raises(error, match=sentence):
        mm.simulate(ball(mm.Translational()), duration=0.3, events=event)
