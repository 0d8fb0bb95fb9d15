"""Hybrid dynamics: the elbow follows a given motion, the shoulder swings free; which torque does the elbow need?"""

import numpy as np

import myomass as mm

spec = mm.Spec("arm", gravity=(0, 0, -9.81))
rod = mm.Inertia.capsule(radius=0.04, length=0.25, mass=2.0)  # along z
hanging = mm.translation(0, 0, -0.15)
spec.add_body("upper", None, mm.SphericalExp(), None, hanging, rod)
spec.add_body("lower", "upper", mm.Revolute((0, 1, 0)), mm.translation(0, 0, -0.3), hanging, rod)
model = spec.compile()

elbow = model.dof("lower").start
prescribed = np.zeros(model.ndof, bool)
prescribed[elbow] = True
q, qdot, h = np.zeros(model.ndof), np.zeros(model.ndof), 1e-3
for step in range(1000):
    qddot = np.zeros(model.ndof)
    qddot[elbow] = -4.0 * np.cos(2 * np.pi * step * h)  # [rad/s^2]
    qddot, tau = mm.hybrid_dynamics(model, q, qdot, np.zeros(model.ndof), qddot, prescribed)
    qdot = qdot + h * qddot
    q = q + h * qdot
    if step % 250 == 0:
        print(f"t = {step * h:.2f} s   elbow {q[elbow]:+.3f} rad   torque {tau[elbow]:+.3f} N m")
