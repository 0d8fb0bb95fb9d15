"""Spec -> Model: bodies and joints become a few packed arrays, and each family packs what acts on them."""

from dataclasses import replace

import numpy as np

from .constraints.pack import no_constraints, with_constraints
from .deformables.hang import with_carriers, with_soft_bodies
from .forces.pack import no_forces, with_forces
from .joints.chain import fill_link
from .joints.records import link_dtype, records
from .model.coordinate import Coordinate, Frame, Marker
from .model.model import Model, body_dtype
from .model.shape import body_shapes
from .model.spec import BodySpec, Spec, UnknownName, known_names
from .model.validate import check_gravity, check_mass, parents_first
from .muscles.pack import with_muscles
from .muscles.packed import no_muscles
from .reduction.pack import with_reduction


def compile_spec(spec: Spec, *, massless: bool = False) -> Model:
    """The model of a spec. Raises an error about the first thing that is wrong with it."""
    if spec.soft_bodies and spec.reductions:
        name = next(iter(spec.soft_bodies))
        raise ValueError(f"spec {spec.name!r} is reduced, and its soft body {name!r} knows no reduced coordinates")
    if spec.soft_bodies:
        skeleton = _compile_tree(Spec(spec.name, spec.gravity, spec.bodies), massless=True, empty=True)
        carried = _compile_tree(with_carriers(spec, skeleton), massless=massless, empty=True)
        return with_soft_bodies(carried, spec, skeleton)
    return _compile_tree(spec, massless=massless)


def _compile_tree(spec: Spec, *, massless: bool, empty: bool = False) -> Model:
    """The model of a spec without soft bodies; `empty`: it may have no bodies either."""
    gravity = check_gravity(spec)
    if not spec.bodies and not empty:
        raise ValueError(f"spec {spec.name!r} has no bodies; add one with add_body")
    ordered, bodies = parents_first(spec), list(spec.bodies.values())
    for body in ordered:
        body.check()
    if not massless:
        check_mass(ordered)
    numbering = {body.name: i for i, body in enumerate(bodies)}
    dofs = np.concatenate([[0], np.cumsum([body.joint.ndof for body in bodies])])
    chains = [body.joint.links() for body in ordered]
    links = records(1 + sum(len(parts) for parts, _ in chains), link_dtype(np.float64))
    links["R0"][0] = np.eye(3)
    packed = records(len(bodies), body_dtype(np.float64))
    places = {None: (0, np.eye(4))}  # body -> its last link, and its joint's frame in that link
    params, first, at = [], 1, 0
    for body, (parts, E_lj) in zip(ordered, chains, strict=True):
        i, (parent, E) = numbering[body.name], places[body.parent]
        E = E @ body.E_pj
        for link, part in enumerate(parts, start=first):
            fill_link(links[link], replace(part, E_before=E @ part.E_before), at, dofs[i])
            links[link]["parent"] = parent
            params.append(part.joint.parameters())
            at += len(params[-1])
            parent, E = link, np.eye(4)
        first += len(parts)
        _fill_body(packed[i], links[parent], body, E_lj)
        packed[i]["link"] = parent
        places[body.name] = (parent, E_lj)
    parents = [-1 if body.parent is None else numbering[body.parent] for body in bodies]
    shapes = tuple(body_shapes(body.inertia, body.shapes, body.colour) for body in bodies)
    arrays = np.concatenate([*params, [0.0]]), gravity, dofs, numbering, np.array(parents)
    named = shapes, _coordinates(spec), _on_bodies(spec, "marker"), _on_bodies(spec, "frame"), _joint_names(spec)
    model = Model(spec.name, links, packed, *arrays, no_forces(), no_constraints(), no_muscles(), *named, source=spec)
    model = with_constraints(with_forces(model, spec.forces), spec.constraints)
    if spec.muscles or spec.reflexes:
        model = with_muscles(model, spec.muscles, spec.reflexes)
    return with_reduction(model, spec.reductions) if spec.reductions else model


def _coordinates(spec: Spec) -> tuple[Coordinate, ...]:
    """The spec's coordinates, checked; none where no body names any."""
    if all(body.coordinates is None for body in spec.bodies.values()):
        return ()
    owners: dict[str, str] = {}
    for body in spec.bodies.values():
        for one in body.coordinates or ():
            if one.name in owners:
                raise ValueError(f"bodies {owners[one.name]!r} and {body.name!r} both have a coordinate {one.name!r}")
            if one.name in spec.bodies and (one.name != body.name or body.joint.ndof != 1):
                raise ValueError(f"body {body.name!r}: its coordinate {one.name!r} has the name of a body")
            owners[one.name] = body.name
    return tuple(spec.coordinates.values())


def _joint_names(spec: Spec) -> dict[str, str]:
    """Joints that have names of their own -> the bodies that hang by them."""
    found: dict[str, str] = {}
    for body in spec.bodies.values():
        if body.joint_name is None:
            continue
        if not isinstance(body.joint_name, str) or not body.joint_name:
            raise ValueError(
                f"body {body.name!r}: joint_name must be a string that is not empty, and is {body.joint_name!r}"
            )
        if body.joint_name in found:
            raise ValueError(
                f"bodies {found[body.joint_name]!r} and {body.name!r} both hang by a joint {body.joint_name!r}"
            )
        found[body.joint_name] = body.name
    return found


def _on_bodies(spec: Spec, what: str) -> dict[str, Marker | Frame]:
    """The spec's markers or frames, on bodies that it has."""
    named = getattr(spec, f"{what}s")
    for name, one in named.items():
        if one.body is not None and one.body not in spec.bodies:
            raise UnknownName(f"{what} {name!r} is on an unknown body {one.body!r}; {known_names(spec.bodies)}")
    return dict(named)


def _fill_body(packed: np.ndarray, link: np.ndarray, body: BodySpec, E_lj: np.ndarray) -> None:
    """Write the body's frame and inertia, and the same inertia about the origin of its last link."""
    E_lb = E_lj @ body.E_jb
    if body.inertia is not None:
        E_lb = E_lb @ body.inertia.frame
        m, moments = body.inertia.mass, np.array(body.inertia.moments)
        R, c = E_lb[:3, :3], E_lb[:3, 3]
        about_origin = R * moments @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
        link["mass"], link["moment"], link["inertia"] = m, m * c, about_origin[np.triu_indices(3)]
        packed["mass"], packed["moments"] = m, moments
    packed["R_lb"], packed["p_lb"] = E_lb[:3, :3], E_lb[:3, 3]


Spec._compiled_by = compile_spec
