"""Runs as functions of PyTorch and of JAX: against `value_and_grad`, differences, and the libraries' own checks."""

import sys

import numpy as np
import pytest

import myomass as mm
from myomass.adjoint.problem import Problem

TARGET = np.array([0.3, -0.2])
RUN = {"h": 0.02, "duration": 0.3}
NAMES = ("q", "qdot", "tau", "upper.mass")


def arm(joint=None, muscles=0):
    spec = mm.Spec("arm")
    box = mm.Inertia.cuboid((0.1, 0.1, 1.0), mass=1.0)
    spec.add_body("upper", None, joint or mm.Revolute((0, 1, 0)), None, mm.translation(0, 0, -0.5), box)
    spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -1), mm.translation(0, 0, -0.5), box)
    if muscles:
        points = [("upper", (0.1, 0, 0)), ("lower", (0.1, 0, 0))]
        spec.add_muscle("biceps", 0.0, points, actuator=mm.Hill(100.0, 0.5, 0.4))
    return spec.compile()


class Place(mm.tasks.Task):
    """The end of a run near TARGET, and its speeds half way small."""

    def terms(self, rollout):
        one = np.eye(rollout.model.ndof)
        yield mm.tasks.Misses(rollout.steps, rollout.q[-1] - TARGET, q=one)
        yield mm.tasks.Misses(rollout.steps // 2, rollout.qdot[rollout.steps // 2], qdot=one)


def place(states):
    """The same of what a bridge returns, in either library; for batches one number for each run."""
    half = (states.qdot.shape[-2] - 1) // 2
    end = states.q[..., -1, :] - (TARGET if isinstance(states.q, np.ndarray) else like(TARGET, states.q))
    return (end**2).sum(-1) + (states.qdot[..., half, :] ** 2).sum(-1)


def like(x, other):
    return other.new_tensor(x) if hasattr(other, "new_tensor") else x


def values(rows=None):
    tau = np.array([1.0, 0.5])
    return {
        "q": np.array([0.4, 0.6]),
        "qdot": np.array([-0.3, 0.2]),
        "tau": tau if rows is None else tau * np.linspace(1.0, -1.0, rows)[:, None],
        "upper.mass": np.array(1.2),
    }


def several(count):
    """Values of a batch: places and masses of each run, rates for all of them."""
    rng = np.random.default_rng(3)
    one = values()
    shifts = {"q": rng.normal(size=(count, 2)), "tau": rng.normal(size=(count, 2)), "upper.mass": rng.random(count)}
    return {name: x + shifts.get(name, 0.0) for name, x in one.items()}


def nth(batch, k):
    return {name: x if name == "qdot" else x[k] for name, x in batch.items()}


def reference(model, given, names=NAMES, task=None, **run):
    return Problem(model, names, **{**RUN, "tau": np.zeros(2), **run}).at(given).value_and_grad(task or Place())


def leaves(torch, given):
    return {name: torch.tensor(x, requires_grad=True) for name, x in given.items()}


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax")
    was = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", was)


def make(library, what=None, wrt=NAMES, **run):
    bridge = {"torch": mm.adjoint.torch_rollout, "jax": mm.adjoint.jax_rollout}[library]
    run = {**RUN, "tau": np.zeros(2)} | run
    return bridge(what or arm(), wrt, **run)


LIBRARIES = pytest.mark.parametrize("library", ["torch", "jax"])


@pytest.fixture
def gradient(library, request):
    """A function (function of named values, values) -> (its value, its gradient), in a library."""
    used = request.getfixturevalue(library)

    def by_torch(function, given):
        tensors = leaves(used, given)
        total = function(tensors)
        total.backward()
        return total.item(), {name: x.grad.numpy() for name, x in tensors.items()}

    def by_jax(function, given):
        total, slopes = used.value_and_grad(function)(given)
        return float(total), {name: np.asarray(x) for name, x in slopes.items()}

    return by_torch if library == "torch" else by_jax


@LIBRARIES
class TestBoth:
    @pytest.mark.parametrize("integrator", ["bdf1", "rk4", "symplectic"])
    def test_gradient_is_that_of_value_and_grad(self, library, gradient, integrator):
        model = arm()
        bridge = make(library, model, integrator=integrator)
        value, slopes = gradient(lambda given: place(bridge(given)), values())
        wanted, exact = reference(model, values(), integrator=integrator)
        assert value == pytest.approx(wanted, rel=1e-14)
        for name in NAMES:
            np.testing.assert_allclose(slopes[name], exact[name], rtol=1e-12, atol=1e-14)

    def test_gradient_is_that_of_differences(self, library, gradient):
        given, step = values(rows=15), 1e-5
        bridge = make(library, tau=given["tau"])

        def total(given):
            return place(bridge(given))

        slopes = gradient(total, given)[1]
        for name, x in given.items():
            direction = np.random.default_rng(1).normal(size=x.shape)
            ends = [gradient(total, given | {name: x + sign * step * direction})[0] for sign in (1, -1)]
            assert (slopes[name] * direction).sum() == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)

    def test_states_are_those_of_simulate(self, library, request):
        request.getfixturevalue(library)
        model, given = arm(), values()
        states = make(library, model, ("q", "qdot", "tau"))(given["q"], tau=given["tau"])
        run = mm.simulate(model, q=given["q"], tau=given["tau"], integrator="bdf1", **RUN)
        np.testing.assert_array_equal(np.asarray(states.q), run.q)
        np.testing.assert_array_equal(np.asarray(states.qdot), run.qdot)
        assert states.z.shape == (16, 0) and states.charts.shape == (16, 0)

    def test_a_batch_is_its_runs_bit_for_bit(self, library, gradient):
        bridge, batch = make(library), several(3)
        states = bridge(batch)
        assert states.q.shape == (3, 16, 2)
        slopes = gradient(lambda given: place(bridge(given)).sum(), batch)[1]
        total = np.zeros(2)
        for k in range(3):
            alone = bridge(nth(batch, k))
            for field in ("q", "qdot", "z"):
                np.testing.assert_array_equal(np.asarray(getattr(states, field)[k]), np.asarray(getattr(alone, field)))
            single = gradient(lambda given: place(bridge(given)), nth(batch, k))[1]
            total += single["qdot"]
            for name in ("q", "tau", "upper.mass"):
                np.testing.assert_array_equal(slopes[name][k], single[name])
        np.testing.assert_allclose(slopes["qdot"], total, rtol=1e-14)

    def test_several_indices_are_broadcast(self, library, gradient):
        bridge = make(library, last=True)
        given = {"q": several(3)["q"], "upper.mass": np.array([[1.0], [2.0]])}
        value, slopes = gradient(lambda given: (bridge(given).q ** 2).sum(), given)
        expected = sum(
            gradient(lambda given: (bridge(given).q ** 2).sum(), {"q": q, "upper.mass": m})[0]
            for q in given["q"]
            for m in given["upper.mass"][:, 0]
        )
        assert value == pytest.approx(expected, rel=1e-14)
        assert slopes["q"].shape == (3, 2) and slopes["upper.mass"].shape == (2, 1)
        assert bridge(given).q.shape == (2, 3, 2)

    def test_bare_numbers_keep_all_their_bits(self, library, request):
        request.getfixturevalue(library)
        bridge, given = make(library), values()
        bare = {name: x.tolist() for name, x in given.items()}
        np.testing.assert_array_equal(np.asarray(bridge(bare).q), np.asarray(bridge(given).q))

    def test_no_runs_at_all(self, library, gradient):
        bridge = make(library)
        value, slopes = gradient(lambda given: (bridge(given).q ** 2).sum(), {"q": np.zeros((0, 2))})
        assert value == 0.0 and slopes["q"].shape == (0, 2)

    def test_the_last_row_alone(self, library, gradient):
        bridge = make(library, last=True)
        assert bridge(values()).q.shape == (2,)
        slopes = gradient(lambda given: (bridge(given).qdot ** 2).sum(), values())[1]
        exact = reference(arm(), values(), task=mm.tasks.Rest())[1]
        np.testing.assert_allclose(slopes["q"], exact["q"], rtol=1e-12)

    def test_muscles_in_equilibrium_and_their_excitation(self, library, gradient):
        model = arm(muscles=1)
        names, run = ("q", "excitation"), {"excitation": np.array([0.3]), "integrator": "sdirk2"}
        bridge = make(library, model, names, **run)
        given = {"q": np.array([0.2, 0.5]), "excitation": np.array([0.4])}
        assert bridge(given).z.shape == (16, model.nz) and model.nz > 0
        value, slopes = gradient(lambda given: place(bridge(given)), given)
        wanted, exact = reference(model, given, names, **run)
        assert value == pytest.approx(wanted, rel=1e-13)
        for name in names:
            np.testing.assert_allclose(slopes[name], exact[name], rtol=1e-10)
        step = 1e-6
        ends = [np.asarray(bridge(given | {"excitation": [0.4 + s * step]}).z[-1]).sum() for s in (1, -1)]
        by_z = gradient(lambda given: bridge(given).z[-1].sum(), given)[1]["excitation"][0]
        assert by_z == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)

    def test_joints_that_move_to_other_charts(self, library, gradient):
        """The rate of the other joint at the end does not see in which charts the rows are."""
        model = arm(mm.SphericalEuler())
        bridge = make(library, model, ("qdot",), tau=None, duration=1.0, q=[0.1, 0.2, 0.3, 0.3])
        given = {"qdot": np.array([0.2, 6.0, 6.0, 0.0])}
        states = bridge(given)
        assert len(np.unique(np.asarray(states.charts))) > 1
        slopes = gradient(lambda given: (bridge(given).qdot[..., -1, 3] ** 2).sum(), given)[1]["qdot"]
        step, differences = 1e-6, []
        for way in np.eye(4):
            ends = [bridge({"qdot": given["qdot"] + s * step * way}).qdot[-1, 3] ** 2 for s in (1, -1)]
            differences.append(float(ends[0] - ends[1]) / (2 * step))
        np.testing.assert_allclose(slopes, differences, rtol=1e-5, atol=1e-7)

    def test_a_start_that_is_a_state(self, library, gradient):
        model = arm()
        state = model.state(q=[0.4, 0.6], qdot=[-0.3, 0.2])
        bridge = make(library, model, ("q",), state=state)
        slopes = gradient(lambda given: place(bridge(given)), {"q": np.array([0.5, 0.6])})[1]
        exact = mm.value_and_grad(model, Place(), ("q",), q=[0.5, 0.6], qdot=state.qdot, **RUN)[1]
        np.testing.assert_allclose(slopes["q"], exact["q"], rtol=1e-12)

    def test_a_scene(self, library, request):
        request.getfixturevalue(library)
        bridge = make(library, mm.scenes.load(0), ("q",), tau=None, integrator="rk4", duration=0.1)
        assert bridge().q.shape == (len(bridge.t), bridge.model.ndof)

    def test_what_does_not_fit(self, library, request):
        request.getfixturevalue(library)
        bridge = make(library)
        with pytest.raises(ValueError, match=rf"{library}_rollout: 'q' must be of shape \(2,\).*shape is \(3,\)"):
            bridge(q=np.zeros(3))
        with pytest.raises(ValueError, match=r"do not go together: q \(3, 2\), tau \(4, 2\)"):
            bridge(q=np.zeros((3, 2)), tau=np.zeros((4, 2)))
        with pytest.raises(TypeError, match=r"wrt does not name 'lower.mass'; known: q, qdot"):
            bridge(**{"lower.mass": 1.0})
        with pytest.raises(TypeError, match="'q' is given twice"):
            bridge(np.zeros(2), q=np.zeros(2))
        with pytest.raises(TypeError, match="5 values are given"):
            bridge(*np.zeros((5, 2)))
        with pytest.raises(TypeError, match="'q' must be real"):
            bridge(q=np.zeros(2, complex))
        with pytest.raises(ValueError, match="give tau as well, zeros at least: its shape is that of one run"):
            make(library, arm(), ("tau",), tau=None)
        with pytest.raises(ValueError, match="wrt names nothing"):
            make(library, arm(), ())

    def test_a_run_that_ends_early_is_named(self, library, request):
        request.getfixturevalue(library)
        bridge = make(library, integrator="rk4")
        rates = np.array([[0.0, 0.0], [1e6, 1e6]])
        ended = "the run has no derivative, since it did not come to its end: the motion is not finite"
        with pytest.raises(RuntimeError, match=rf"run \[1\] of the batch: {ended}"):
            np.asarray(bridge(qdot=rates).q)
        with pytest.raises(RuntimeError, match=ended) as caught:
            np.asarray(bridge(qdot=rates[1]).q)
        assert "of the batch" not in str(caught.value)
        assert np.isfinite(np.asarray(bridge(qdot=rates[0]).q)).all()  # it goes on after errors
        with pytest.raises((ValueError, RuntimeError), match=r"run \[0, 1\] of the batch: .*mass"):
            np.asarray(bridge(**{"upper.mass": [[1.0, -1.0]]}).q)

    def test_without_the_library(self, library, monkeypatch):
        monkeypatch.setitem(sys.modules, library, None)
        named = {"torch": "PyTorch", "jax": "JAX"}[library]
        with pytest.raises(ImportError, match=rf"needs {named}: pip install 'myomass\[{library}\]'"):
            make(library)

    def test_it_says_what_it_is(self, library, request):
        request.getfixturevalue(library)
        told = "Rollout(q (2,), qdot (2,), tau (2,), upper.mass () -> 16 rows)"
        assert repr(make(library)) == {"torch": "Torch", "jax": "Jax"}[library] + told


class TestTorch:
    def test_gradcheck(self, torch):
        bridge = make("torch", duration=0.1)
        batch = [torch.tensor(several(2)[name], requires_grad=True) for name in NAMES]
        assert torch.autograd.gradcheck(lambda *x: bridge(*x)[:2], batch, eps=1e-6, atol=1e-6)

    def test_tensors_of_32_bits_are_converted_and_so_are_their_gradients(self, torch):
        bridge = make("torch")
        q = torch.tensor([0.4, 0.6], dtype=torch.float32, requires_grad=True)
        states = bridge(q)
        assert states.q.dtype == torch.float64
        place(states).backward()
        exact = reference(arm(), {"q": q.detach().double().numpy()})[1]["q"]
        assert q.grad.dtype == torch.float32
        np.testing.assert_allclose(q.grad.numpy(), exact, rtol=1e-6)

    def test_under_vmap_and_jacrev(self, torch):
        bridge, batch = make("torch", last=True), several(3)
        tensors = {name: torch.tensor(x) for name, x in batch.items()}
        dims = ({name: None if name == "qdot" else 0 for name in NAMES},)

        def end(given):
            return bridge(given).q

        states = torch.func.vmap(end, in_dims=dims)(tensors)
        np.testing.assert_array_equal(states, bridge(batch).q)
        slopes = torch.func.vmap(torch.func.grad(lambda given: end(given).sum()), in_dims=dims)(tensors)
        whole = torch.func.vmap(torch.func.jacrev(end), in_dims=dims)(tensors)
        for name in NAMES:
            np.testing.assert_allclose(whole[name].sum(1), slopes[name], rtol=1e-11, atol=1e-14)
        for k in range(3):
            tensors = leaves(torch, nth(batch, k))
            end(tensors).sum().backward()
            for name in NAMES:
                np.testing.assert_allclose(slopes[name][k], tensors[name].grad, rtol=1e-12)

    def test_charts_have_no_gradient_and_gradients_none_either(self, torch):
        bridge = make("torch")
        q = torch.tensor([0.4, 0.6], requires_grad=True, dtype=torch.float64)
        states = bridge(q)
        assert not states.charts.requires_grad
        (first,) = torch.autograd.grad(place(states), q, create_graph=True)
        with pytest.raises(NotImplementedError, match="first derivatives"):
            first.sum().backward()

    def test_what_changed_since_the_run_is_noticed(self, torch):
        bridge = make("torch")
        q = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        states = bridge(q)
        with torch.no_grad():
            q += 1.0
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            place(states).backward()

    def test_tensors_of_another_device_come_back_there(self, torch):
        if not torch.cuda.is_available():
            pytest.skip("no GPU")
        bridge = make("torch")
        q = torch.tensor(values()["q"], device="cuda", requires_grad=True)
        states = bridge(q)
        assert states.q.is_cuda
        place(states).backward()
        assert q.grad.is_cuda
        exact = reference(arm(), {"q": values()["q"]})[1]["q"]
        np.testing.assert_allclose(q.grad.cpu(), exact, rtol=1e-12)

    def test_a_step_of_an_optimiser(self, torch):
        bridge = make("torch", last=True)
        layer = torch.nn.Linear(2, 2)
        steps = torch.optim.SGD(layer.parameters(), lr=1e-3)
        q = torch.tensor(several(4)["q"], dtype=torch.float32)
        losses = []
        for _ in range(3):
            steps.zero_grad()
            loss = (bridge(q=q, tau=layer(q)).q ** 2).sum()
            loss.backward()
            steps.step()
            losses.append(loss.item())
        assert losses[0] > losses[1] > losses[2]


class TestJax:
    def test_check_grads(self, jax):
        from jax.test_util import check_grads

        bridge, batch = make("jax", duration=0.1), several(2)
        check_grads(lambda *x: bridge(*x)[:2], [batch[name] for name in NAMES], order=1, modes=["rev"], eps=1e-5)

    def test_jit_gives_the_same(self, jax):
        bridge, batch = make("jax"), several(2)
        value, slopes = jax.jit(jax.value_and_grad(lambda given: place(bridge(given)).sum()))(batch)
        wanted, exact = jax.value_and_grad(lambda given: place(bridge(given)).sum())(batch)
        assert float(value) == pytest.approx(float(wanted), rel=1e-14)
        for name in NAMES:
            np.testing.assert_allclose(slopes[name], exact[name], rtol=1e-14)

    def test_under_vmap_and_jacrev(self, jax):
        bridge, batch = make("jax", last=True), several(3)
        dims = ({name: None if name == "qdot" else 0 for name in NAMES},)

        def end(given):
            return bridge(given).q

        np.testing.assert_array_equal(jax.vmap(end, in_axes=dims)(batch), bridge(batch).q)
        slopes = jax.jit(jax.vmap(jax.grad(lambda given: end(given).sum()), in_axes=dims))(batch)
        whole = jax.vmap(jax.jacrev(end), in_axes=dims)(batch)
        for name in NAMES:
            np.testing.assert_allclose(whole[name].sum(1), slopes[name], rtol=1e-11, atol=1e-14)
        for k in range(3):
            single = jax.grad(lambda given: end(given).sum())(nth(batch, k))
            for name in NAMES:
                np.testing.assert_allclose(slopes[name][k], single[name], rtol=1e-12)

    def test_vmap_over_batches(self, jax):
        """A vmap over one value that is a batch, and over one that is not."""
        bridge = make("jax", last=True)
        q, tau = np.linspace(-1, 1, 12).reshape(3, 2, 2), np.linspace(0, 1, 6).reshape(3, 2)
        both = jax.vmap(lambda q, tau: bridge(q=q, tau=tau).q)(q, tau)
        np.testing.assert_array_equal(both, bridge(q=q, tau=tau[:, None]).q)

    def test_arrays_of_32_bits_are_converted_and_so_are_their_gradients(self, jax):
        bridge = make("jax")
        q = np.array([0.4, 0.6], np.float32)
        slopes = jax.grad(lambda q: place(bridge(q)))(q)
        assert slopes.dtype == np.float32
        np.testing.assert_allclose(slopes, reference(arm(), {"q": q.astype(float)})[1]["q"], rtol=1e-6)

    def test_gradients_have_no_gradients(self, jax):
        bridge = make("jax")
        with pytest.raises(NotImplementedError, match="jax_rollout has first derivatives"):
            jax.hessian(lambda q: place(bridge(q)))(np.zeros(2))

    def test_runs_one_after_another(self, jax):
        """Three runs, each from where the last one ended, are one that is three times as long."""
        bridge, long = make("jax", last=True), make("jax", last=True, duration=0.9)

        def chain(q, qdot):
            step = lambda now, _: ((*bridge(*now)[:2],), None)  # noqa: E731
            return jax.lax.scan(step, (q, qdot), None, length=3)[0][0].sum()

        start = values()["q"], values()["qdot"]
        slopes = jax.grad(chain, (0, 1))(*start)
        whole = jax.grad(lambda q, qdot: long(q, qdot).q.sum(), (0, 1))(*start)
        np.testing.assert_allclose(slopes, whole, rtol=1e-9)

    def test_without_64_bits(self, jax):
        bridge = make("jax")
        jax.config.update("jax_enable_x64", False)
        with pytest.raises(ValueError, match="jax_rollout needs numbers of 64 bits"):
            bridge(q=np.zeros(2))
