"""The reduction of a model as kernels take it, with scratch; and the layers that Python evaluates for them."""

import ctypes

import numpy as np

from .._jit import Bundle, opener
from .._jit import bundle as fields
from ..model import Model
from ..model.workspace import Workspace
from .callback import PROTOTYPE
from .packed import ARRAYS, FunctionLayer, Reduction, layer_dtype, term_dtype
from .unfold import BENDING, SECOND, fold_bending, unfold


class Reduced(Bundle):
    """How q follows from Q, and what is known of it: what kernels take as `reduction`.

    x, v, a: a motion before each layer and after the last; X, V, A: its slopes by Q; q to Ajr are those of the joints.
    """

    active = fields.whole_number()  # 0: the model's coordinates are its joints'
    layers = fields.plain(layer_dtype())
    terms = fields.plain(term_dtype())
    offsets = fields.plain(np.float64)
    params = fields.plain(np.float64)
    passed = fields.plain(np.int64)
    starts = fields.plain(np.int64)  # of the rows of J among `columns`, (n + 1,)
    columns = fields.plain(np.int64)  # where each row of J has entries
    callback = fields.whole_number()  # address of the function that evaluates layers in Python
    x = fields.numbers(2)  # (layers + 1, widest)
    v = fields.numbers(2)
    a = fields.numbers(2)
    X = fields.numbers(3)  # (layers + 1, widest, N)
    V = fields.numbers(3)
    A = fields.numbers(3)
    pull = fields.numbers(2)  # forces on the coordinates of all layers
    S = fields.numbers(2)  # (N, N)
    q = fields.numbers()  # (n,), of the joints
    qdot = fields.numbers()
    qddot = fields.numbers()
    J = fields.numbers(2)  # dq/dQ, (n, N)
    Jdot = fields.numbers(2)  # dqdot/dQ
    slope = fields.numbers(2)  # dqddot/dQ
    zeros = fields.numbers()  # (n,)
    given = fields.numbers()  # (N,)
    r = fields.numbers()  # scratch of forces on joints, (n,)
    f = fields.numbers()
    p = fields.numbers()
    M = fields.numbers(2)  # matrices of joints, (n, n)
    D = fields.numbers(2)
    K = fields.numbers(2)
    W = fields.numbers(2)  # (n, N)
    L = fields.numbers(2)  # Cholesky's factor of M_R, (N, N)


open_reduced = opener(Reduced)


def reduction_of(space: Workspace) -> Reduced:
    """The reduction of a workspace's model for kernels, kept there; an empty one if it has none."""
    if space.model.reduction is None:
        return Reduced.empty(space.scalar)
    if "reduction" not in space.made:
        unfold.demand(space.scalar)
        fold_bending.demand(space.scalar)
        space.made["reduction"] = _arrays(space.model, space.scalar)
        if space.model.reduction.functions:
            space.made["reduction by Python"] = FunctionLayers(space.model.reduction, space.made["reduction"])
    return space.made["reduction"]


def _arrays(model: Model, scalar: type) -> Reduced:
    packed, n, N = model.reduction, model.joint_dofs, model.ndof
    stages, widest = len(packed.layers) + 1, int(max(packed.layers["wide"].max(), packed.layers["narrow"].max()))
    motion = {key: np.zeros((stages, widest), scalar) for key in ("x", "v", "a", "pull")}
    slopes = {key: np.zeros((stages, widest, N), scalar) for key in "XVA"}
    slopes["X"][0, :N] = np.eye(N)
    ends = {"q": motion["x"], "qdot": motion["v"], "qddot": motion["a"]}
    ends |= {"J": slopes["X"], "Jdot": slopes["V"], "slope": slopes["A"]}
    of_joints = {key: stack[-1, :n] for key, stack in ends.items()}
    vectors = {key: np.zeros(n, scalar) for key in ("zeros", "r", "f", "p")}
    square = {key: np.zeros((n, n), scalar) for key in "MDK"}
    rest = {"W": np.zeros((n, N), scalar), "L": np.zeros((N, N), scalar), "S": np.zeros((N, N), scalar)}
    data = {key: getattr(packed, key) for key in (*ARRAYS, "starts", "columns")}
    made = motion | slopes | of_joints | vectors | square | rest
    return Reduced(scalar, active=1, callback=0, given=np.zeros(N, scalar), **data, **made)


class FunctionLayers:
    """Evaluates the layers of a reduction that are Python functions, in its arrays, when kernels ask for it.

    What a function raises cannot pass through machine code: it is kept, and numbers become NaN.
    """

    def __init__(self, packed: Reduction, arrays: Reduced):
        self.arrays, self.error = arrays, None
        numbers = [index for index, row in enumerate(packed.layers) if row["kind"]]
        self.layers: dict[int, FunctionLayer] = dict(zip(numbers, packed.functions, strict=True))
        self.second: dict[int, np.ndarray] = {}  # f'' of each layer, as of the last evaluation of second order
        self.slopes: dict[int, np.ndarray] = {}  # f' likewise
        self._callback = PROTOTYPE(self._call)
        arrays.set("callback", ctypes.cast(self._callback, ctypes.c_void_p).value)

    def _call(self, index: int, order: int) -> None:
        """What machine code calls."""
        known = np.isfinite(self.arrays.x[index]).all() and np.isfinite(self.arrays.v[index]).all()
        try:
            if order == BENDING:
                self._bend(index)
            elif known:  # where a motion has gone wrong the numbers stay what they are
                self._spread(index, order)
            else:
                self._lose(index)
        except BaseException as error:  # kept; ctypes would print it and go on
            if self.error is None or isinstance(self.error, FloatingPointError):
                self.error = error
            self._lose(index)

    def _lose(self, index: int) -> None:
        for stack in (self.arrays.x, self.arrays.v, self.arrays.a, self.arrays.X):
            stack[index + 1 :] = np.nan

    def _spread(self, index: int, order: int) -> None:
        layer, arrays = self.layers[index], self.arrays
        law, gives, takes, stays = layer.law, layer.gives, layer.takes, layer.stays.T
        x, v, a, X, V, A = (stack[index] for stack in (arrays.x, arrays.v, arrays.a, arrays.X, arrays.V, arrays.A))
        for stack in (arrays.x, arrays.v, arrays.a, arrays.X, arrays.V, arrays.A):
            stack[index + 1, stays[0]] = stack[index, stays[1]]
        x, v, a, X, V, A = x[takes], v[takes], a[takes], X[takes], V[takes], A[takes]
        value, f_x, bend = law.to_first(x, v)
        self.slopes[index] = f_x
        arrays.x[index + 1, gives], arrays.v[index + 1, gives] = value, f_x @ v
        arrays.a[index + 1, gives], arrays.X[index + 1, gives] = f_x @ a + bend, f_x @ X
        if order >= SECOND:
            self.second[index], turned, bent = law.to_second(x, v, a)
            arrays.V[index + 1, gives] = turned @ X + f_x @ V
            arrays.A[index + 1, gives] = bent @ X + f_x @ A + 2.0 * turned @ V

    def _bend(self, index: int) -> None:
        layer, arrays = self.layers[index], self.arrays
        given, taken = arrays.pull[index + 1], arrays.pull[index]
        taken[layer.stays[:, 1]] = given[layer.stays[:, 0]]
        taken[layer.takes] = given[layer.gives] @ self.slopes[index]
        X = arrays.X[index, layer.takes]
        arrays.S[...] += X.T @ np.einsum("i,ijk->jk", given[layer.gives], self.second[index]) @ X
