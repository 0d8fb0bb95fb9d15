"""Write tests/fixtures/opensim_metabolics.json: what OpenSim's probes of metabolic power say of two muscles.

python tests/reference/opensim_metabolics.py    (needs OpenSim: pip install opensim)

Two of OpenSim's muscles pull a block on a rail. Fibre lengths are set away from equilibrium, so that fibres shorten and
lengthen at many speeds. Each case of the file holds the options of a probe and, for each state, what it gives for each
muscle [W]; the states hold all that a model of metabolic power reads of a muscle.
"""

import json
from pathlib import Path

import opensim

FIXTURE = Path(__file__).parents[1] / "fixtures" / "opensim_metabolics.json"
MUSCLES = {  # optimal force [N], fibre length [m], slack length [m], pennation [rad], largest speed, slow fibres
    "weak": (600.0, 0.12, 0.10, 0.2, 8.0, 0.35),
    "strong": (2500.0, 0.06, 0.16, 0.0, 12.0, 0.8),
}
STATES = [  # block [m], and for each muscle activation, excitation, fibre length over that in equilibrium
    (0.215, (0.5, 0.6, 1.012), (0.2, 0.05, 1.004)),
    (0.215, (0.9, 1.0, 0.996), (0.2, 0.0, 0.995)),
    (0.190, (0.3, 0.7, 1.010), (0.8, 0.9, 1.020)),
    (0.190, (0.7, 0.1, 0.998), (0.4, 0.4, 0.990)),
    (0.230, (0.6, 0.9, 1.006), (0.6, 0.2, 1.010)),
    (0.230, (0.6, 0.2, 0.994), (0.1, 0.1, 0.998)),
    (0.250, (0.1, 0.0, 1.002), (0.3, 0.8, 1.008)),
    (0.250, (0.02, 0.02, 0.999), (0.02, 0.02, 1.002)),
    (0.250, (0.8, 1.0, 0.990), (1.0, 1.0, 1.012)),
    (0.265, (0.4, 0.3, 1.010), (0.5, 0.6, 0.995)),
]
COMMON = {"forbid_negative_total_power": False, "enforce_minimum_heat_rate_per_muscle": False}
NO_RATES = {"basal_rate_on": False, "mechanical_work_rate_on": False, "shortening_rate_on": False}
CASES = [
    ("Umberger2010", COMMON | {"include_negative_mechanical_work": False, "use_Bhargava_recruitment_model": False}),
    ("Umberger2010", {"include_negative_mechanical_work": False, "use_Bhargava_recruitment_model": False}
     | {"forbid_negative_total_power": False}),
    ("Umberger2010", COMMON | {"include_negative_mechanical_work": True, "use_Bhargava_recruitment_model": False}),
    ("Umberger2010", COMMON | {"use_Bhargava_recruitment_model": True, "aerobic_factor": 1.0}),
    ("Umberger2010", {}),
    ("Umberger2010", COMMON | NO_RATES | {"use_Bhargava_recruitment_model": False}),
    ("Bhargava2004", COMMON | {"use_force_dependent_shortening_prop_constant": True}),
    ("Bhargava2004", COMMON | {"use_force_dependent_shortening_prop_constant": True}
     | {"include_negative_mechanical_work": False}),
    ("Bhargava2004", {"use_force_dependent_shortening_prop_constant": True}),
    ("Bhargava2004", {}),
    ("Bhargava2004", COMMON | NO_RATES | {"maintenance_rate_on": False}),
    ("Bhargava2004", COMMON | NO_RATES | {"activation_rate_on": False}),
]  # fmt: skip


def build() -> opensim.Model:
    """A block on a rail, the muscles, and a probe for each case."""
    model = opensim.Model()
    model.setGravity(opensim.Vec3(0, 0, 0))
    block = opensim.Body("block", 2.0, opensim.Vec3(0), opensim.Inertia(1, 1, 1, 0, 0, 0))
    model.addBody(block)
    model.addJoint(opensim.SliderJoint("rail", model.getGround(), block))
    for name, (force, optimal, slack, pennation, speed, _) in MUSCLES.items():
        muscle = opensim.Millard2012EquilibriumMuscle(name, force, optimal, slack, pennation)
        muscle.addNewPathPoint("start", model.getGround(), opensim.Vec3(0))
        muscle.addNewPathPoint("end", block, opensim.Vec3(0))
        muscle.set_max_contraction_velocity(speed)
        model.addForce(muscle)
    for kind, options in CASES:
        probe = getattr(opensim, f"{kind}MuscleMetabolicsProbe")()
        for option, value in options.items():
            getattr(probe, f"set_{option}")(value)
        probe.set_basal_rate_on(False)
        probe.set_report_total_metabolics_only(False)
        model.addProbe(probe)
        for name, numbers in MUSCLES.items():
            more = () if kind == "Umberger2010" else (40.0, 133.0, 74.0, 111.0)
            probe.addMuscle(name, numbers[-1], *more)
    return model


def main() -> None:
    """Write the file."""
    opensim.Logger.setLevelString("error")
    model = build()
    state = model.initSystem()
    found, told = [[] for _ in CASES], []
    for place, *muscles in STATES:
        model.getCoordinateSet().get(0).setValue(state, place, False)
        controls = opensim.Vector(len(muscles), 0.0)
        for name, (activation, _, _) in zip(MUSCLES, muscles, strict=True):
            model.setStateVariableValue(state, f"/forceset/{name}/activation", activation)
        model.equilibrateMuscles(state)
        for i, (name, (_, excitation, share)) in enumerate(zip(MUSCLES, muscles, strict=True)):
            fibre = f"/forceset/{name}/fiber_length"
            model.setStateVariableValue(state, fibre, share * model.getStateVariableValue(state, fibre))
            controls.set(i, excitation)
        model.realizeVelocity(state)
        model.setControls(state, controls)
        model.realizeDynamics(state)
        told.append([look_at(model.getMuscles().get(i), state) for i in range(len(muscles))])
        for (kind, _), i in zip(CASES, range(model.getProbeSet().getSize()), strict=True):
            probe = getattr(opensim, f"{kind}MuscleMetabolicsProbe").safeDownCast(model.getProbeSet().get(i))
            rates = probe.computeProbeInputs(state)
            found[i].append([rates.get(2 + k) for k in range(len(muscles))])
    cases = [{"probe": kind, "options": options, "power": found[i]} for i, (kind, options) in enumerate(CASES)]
    what = {"source": f"computed with OpenSim {opensim.GetVersion()} by tests/reference/opensim_metabolics.py"}
    numbers = {name: list(values) for name, values in MUSCLES.items()}
    FIXTURE.write_text(json.dumps(what | {"muscles": numbers, "states": told, "cases": cases}) + "\n")


def look_at(muscle: opensim.Muscle, state: opensim.State) -> dict[str, float]:
    """All that a model of metabolic power reads of a muscle, under the names of a MuscleReport."""
    return {
        "activation": muscle.getActivation(state),
        "excitation": muscle.getControl(state),
        "fibre_length": muscle.getFiberLength(state),
        "fibre_velocity": muscle.getFiberVelocity(state),
        "active_force": muscle.getActiveFiberForce(state),
        "fibre_force": muscle.getFiberForce(state),
        "length_factor": muscle.getActiveForceLengthMultiplier(state),
    }


if __name__ == "__main__":
    main()
