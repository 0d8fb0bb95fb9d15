"""A controller in generalized coordinates steers engines in maximal ones (Liu and Jain's tutorial, section 6).

An arm of four bodies, ball and hinge joints in turn, starts at rest beside a reference that it is to follow. The
computed-torque controller thinks in q and qdot. Two engines know nothing of them: every body is free, has a pose and a
velocity, and is tied to its neighbours. At every step

    poses, v, w  ->  q, qdot  ->  controller  ->  Q  ->  torques of joints  ->  torques on bodies

Engine one is MyoMass itself with loops instead of joints (integrator "maximal"), engine two MuJoCo with free bodies and
`connect` constraints. The same controller on the same arm in reduced coordinates is what both are compared with.

Run: python examples/maximal_controller.py      # prints deviations, draws maximal_controller.png
"""

import numpy as np

import myomass as mm

Y, X = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
BODIES = {  # name: (hinge axis or None for a ball, size [m], mass [kg]); each hangs below the one before
    "upper": (None, (0.10, 0.08, 0.32), 2.0),
    "fore": (Y, (0.08, 0.06, 0.28), 1.4),
    "hand": (None, (0.04, 0.09, 0.12), 0.5),
    "finger": (X, (0.03, 0.08, 0.10), 0.3),
}
STIFFNESS, DAMPING = 60.0, 14.0  # gains of the error and of its rate [1/s^2, 1/s]


def build_arm() -> mm.Model:
    """The arm in reduced coordinates: eight degrees of freedom."""
    spec, parent, below = mm.Spec("arm"), None, 0.0
    for name, (axis, size, mass) in BODIES.items():
        joint = mm.SphericalExp() if axis is None else mm.Revolute(axis)
        middle = mm.translation(0, 0, -size[2] / 2)
        spec.add_body(name, parent, joint, mm.translation(0, 0, below), middle, mm.Inertia.cuboid(size, mass=mass))
        parent, below = name, -size[2]
    return spec.compile()


ARM = build_arm()
START = mm.forward_kinematics(ARM, np.zeros(ARM.ndof))  # poses at rest, hanging straight down


def controller(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """Computed torque: gravity and motion compensated, the error drawn to zero. (ndof,)"""
    size, rate = np.array([0.5, 0.7, 0.3, 0.9, 0.4, 0.3, 0.5, 0.6]), 3.0
    angle = rate * t + np.arange(ARM.ndof)
    wanted, velocity = size * np.sin(angle), rate * size * np.cos(angle)
    qddot = -(rate**2) * wanted + STIFFNESS * (wanted - q) + DAMPING * (velocity - qdot)
    return mm.inverse_dynamics(ARM, q, qdot, qddot)


def coordinates(E: np.ndarray) -> np.ndarray:
    """q of the arm from the bodies' poses: rotation vectors of balls, angles of hinges. (ndof,)"""
    q, above = np.zeros(ARM.ndof), np.eye(3)
    for i, (axis, _, _) in enumerate(BODIES.values()):
        R = E[i, :3, :3]
        turn = mm.so3.log(above.T @ R)
        q[ARM.dof(i)] = turn if axis is None else turn @ axis
        above = R
    return q


def steer(t: float, E: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Torques on the bodies, in world axes, from their poses and velocities. [N m], (nbodies, 3)"""
    q = coordinates(E)
    qdot = mm.coordinates.generalized_velocity(ARM, q, v, w, method="per-joint").qdot
    Q = controller(t, q, qdot)
    return mm.coordinates.body_torques(ARM, q, mm.coordinates.joint_torques(ARM, q, Q))


def in_reduced(times: np.ndarray) -> np.ndarray:
    """q at the times, by the arm's own equations. (times, ndof)"""
    return mm.simulate(ARM, tau=controller, rtol=1e-9, atol=1e-10, times=times).q


def in_maximal(times: np.ndarray, h: float) -> np.ndarray:
    """q at the times, by MyoMass in maximal coordinates: free bodies, loops instead of joints. (times, ndof)"""
    spec, parent = mm.Spec("free arm"), None
    for i, (name, (axis, size, mass)) in enumerate(BODIES.items()):
        spec.add_body(name, None, mm.Free3D(), START[i], inertia=mm.Inertia.cuboid(size, mass=mass))
        top = (0, 0, size[2] / 2)
        above = (None, (0, 0, 0)) if parent is None else (parent, (0, 0, -BODIES[parent][1][2] / 2))
        frame = mm.rotation(X, np.pi / 2) if axis == Y else mm.rotation(Y, np.pi / 2)  # its z axis is the hinge's
        if axis is None:
            spec.add_constraint(mm.Loop((name, top), above, "ball"))
        else:
            ends = ((body, mm.translation(*place) @ frame) for body, place in ((name, top), above))
            spec.add_constraint(mm.Loop(*ends, "hinge"))
        parent = name
    free = spec.compile()

    def torques(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        E, twists = mm.forward_kinematics(free, q), mm.body_twists(free, q, qdot)
        w, v = (np.einsum("bij,bj->bi", E[:, :3, :3], part) for part in (twists[:, :3], twists[:, 3:]))
        return mm.coordinates.generalized_force(free, q, torques=steer(t, E, v, w))

    run = mm.simulate(free, integrator="maximal", tau=torques, h=h, times=times)
    return np.array([coordinates(E) for E in run.poses])


def mujoco_model(h: float) -> str:
    """Free bodies tied by points: one for a ball, two along the axis for a hinge."""
    bodies, constraints, parent = [], [], None
    for i, (name, (axis, size, mass)) in enumerate(BODIES.items()):
        place, moments = (" ".join(map(str, x)) for x in (START[i, :3, 3], ARM.bodies["moments"][i]))
        inertial = f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{moments}"/>'
        bodies.append(f'<body name="{name}" pos="{place}"><freejoint/>{inertial}</body>')
        other = f'body2="{parent}"' if parent else ""
        for side in (0.0,) if axis is None else (-0.1, 0.1):
            x, y, z = side * np.array(axis or Y) + (0, 0, size[2] / 2)
            constraints.append(f'<connect body1="{name}" {other} anchor="{x} {y} {z}"/>')
        parent = name
    return f"""<mujoco><option timestep="{h}" integrator="Euler" tolerance="1e-12" iterations="200"/>
      <default><equality solref="{2 * h} 1" solimp="0.9999 0.9999 0.001 0.5 2"/></default>
      <worldbody>{"".join(bodies)}</worldbody><equality>{"".join(constraints)}</equality></mujoco>"""


def in_mujoco(times: np.ndarray, h: float) -> np.ndarray:
    """q at the times, by MuJoCo; torques go in through xfrc_applied. (times, ndof)"""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mujoco_model(h))
    data, E, rows = mujoco.MjData(model), START.copy(), [np.zeros(ARM.ndof)]
    for t in times[1:]:
        while data.time < t - 0.5 * h:
            mujoco.mj_kinematics(model, data)
            E[:, :3, :3], E[:, :3, 3] = data.xmat[1:].reshape(-1, 3, 3), data.xpos[1:]
            rates = data.qvel.reshape(-1, 6)  # of a free joint: v in world axes, w in the body's
            w = np.einsum("bij,bj->bi", E[:, :3, :3], rates[:, 3:])
            data.xfrc_applied[1:, 3:] = steer(data.time, E, rates[:, :3], w)
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        E[:, :3, :3] = data.xmat[1:].reshape(-1, 3, 3)
        rows.append(coordinates(E))
    return np.array(rows)


def draw(times: np.ndarray, reduced: np.ndarray, others: dict[str, np.ndarray]) -> None:
    """Angles and deviations, as maximal_controller.png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    shown = {"shoulder x": 0, "elbow": 3, "wrist y": 5, "finger": 7}
    for colour, (name, k) in enumerate(shown.items()):
        left.plot(times, reduced[:, k], f"C{colour}", label=name, linewidth=1)
    for (name, q), marker, line in zip(others.items(), "ox", ("-", "--"), strict=False):
        for colour, k in enumerate(shown.values()):
            left.plot(times[::5], q[::5, k], f"{marker}C{colour}", markersize=5, fillstyle="none")
        left.plot([], [], f"{marker}k", fillstyle="none", label=name)
        right.plot(times, 1e3 * np.abs(q - reduced).max(axis=1), f"k{line}", label=name)
    left.set(xlabel="time [s]", ylabel="angle [rad]", title="the same controller; lines: reduced coordinates")
    right.set(xlabel="time [s]", ylabel="[mrad]", title="largest deviation of a coordinate from reduced ones")
    right.set_ylim(0.0, 1.3 * right.get_ylim()[1])
    right.legend(loc="upper right")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    figure.savefig("maximal_controller.png", dpi=120)


def main(duration: float = 1.5, h: float = 1e-3) -> None:
    """Run all engines, print and draw."""
    times = np.linspace(0.0, duration, 76)
    reduced, others = in_reduced(times), {"MyoMass, maximal": in_maximal(times, h)}
    try:
        others["MuJoCo, free bodies"] = in_mujoco(times, h)
    except ModuleNotFoundError:
        print("MuJoCo is not installed (pip install mujoco): that engine is left out")
    print(f"the coordinates move by up to {np.ptp(reduced, axis=0).max():.2f} rad in {duration:g} s")
    for name, q in others.items():
        print(f"{name:20s} steps of {h * 1e3:g} ms: up to {np.abs(q - reduced).max():.1e} rad from reduced coordinates")
    draw(times, reduced, others)


if __name__ == "__main__":
    main()
