"""Exact derivatives by complex step: how accelerations change with the coordinates of a mechanism of odd joints."""

import numpy as np

import myomass as mm

spec = mm.Spec("odd", gravity=(0, 0, -9.81))
box = mm.Inertia.cuboid((0.3, 0.2, 0.1), mass=1.0)
frames = [mm.rotation((0, 1, 0), k) @ mm.translation(0.5, 0.1 * k, 0) for k in range(6)]
spec.add_body("cart", None, mm.SplineCurve(frames), inertia=box)
spec.add_body("swing", "cart", mm.Universal(), mm.translation(0, 0, -0.2), mm.translation(0, 0, -0.3), box)
model = spec.compile()

q, qdot, step = np.array([1.3, 0.2, -0.4]), np.array([0.5, 1.0, -1.0]), 1e-30
jacobian = np.empty((3, 3))
for k in range(3):
    nudged = q.astype(complex)
    nudged[k] += 1j * step
    jacobian[:, k] = mm.forward_dynamics(model, nudged, qdot).imag / step
print("d qddot / d q, exact to rounding:\n", jacobian)

h = 1e-6
ends = [[mm.forward_dynamics(model, q + s * h * e, qdot) for s in (1, -1)] for e in np.eye(3)]
central = np.array([(plus - minus) / (2 * h) for plus, minus in ends]).T
print("largest difference to central differences:", np.abs(jacobian - central).max())
