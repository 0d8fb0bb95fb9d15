"""From motion capture to torques and ground reactions: each frame re-rooted to the foot that stands.

A capture hangs on its pelvis, which nothing holds in reality. With the supporting foot as the root, inverse dynamics
give the torques of the joints, and what is left at the foot is what the ground does to it (Stepien et al. 2012, section
7.1). The clip is synthetic, made by mm.io.sample_walk; any BVH file of a walk can take its place.

Run: python examples/mocap_support.py     # some seconds; walk.bvh and mocap-reactions.png
"""

import numpy as np

import myomass as mm
from myomass.viewer.plot_support import plot_support


def tell(found: mm.io.SupportedDynamics) -> None:
    """Print which foot stands when, and how hard."""
    for foot, start, end in found.phases():
        print(f"    {start:5.2f} to {end:5.2f} s on {foot or 'nothing'}")
    upward = found.forces.sum(axis=1)[:, 2] / found.weight
    print(f"the ground bears {upward.mean():.3f} body weights on average, {upward.min():.2f} to {upward.max():.2f}")


def compare(single: mm.io.SupportedDynamics, shared: mm.io.SupportedDynamics) -> None:
    """Print what changes if feet share the wrench."""
    print("on one foot at a time, and where feet that are down together share:")
    print(f"    steps of a foot's force up to {steepest(single):.2f} and {steepest(shared):.2f} body weights")
    for body in [name for name in single.model.names if "Leg" in name or "Foot" in name]:
        largest = [np.linalg.norm(found.torque(body), axis=1).max() for found in (single, shared)]
        print(f"    torque of {body} up to {largest[0]:.0f} and {largest[1]:.0f} N m")


def steepest(found: mm.io.SupportedDynamics) -> float:
    """The largest change of a foot's vertical force between rows [body weights]."""
    return float(np.abs(np.diff(found.forces[:, :, 2], axis=0)).max() / found.weight)


def main() -> None:
    """Read the clip, move the figure, re-root it, draw the reactions."""
    path = mm.io.sample_walk(cycles=3).save("walk.bvh")
    capture = mm.io.Capture.load(path, scale=0.01)
    model = capture.spec(mass=75.0).compile()
    motion = capture.motion(model, cutoff=6.0)
    single = mm.io.supported_dynamics(model, motion)
    shared = mm.io.supported_dynamics(model, motion, handover="time")
    tell(single)
    compare(single, shared)
    plot_support(shared, compared=single).savefig("mocap-reactions.png", dpi=120)


if __name__ == "__main__":
    main()
