"""Train the networks of `myomass reproduce network-sizes`: many depths and widths, at several thresholds.

    python benchmarks/network_sizes.py --out myomass_experiments/data/network_sizes.npz

makes the file that comes along; with a GPU in ten minutes. Networks of one threshold learn from the same samples. The
more units a network has, the smaller its steps: the rate is 3e-3 up to 96 units and falls with the root of their
number, to 5e-4 for 12 layers of 256. Networks that the file holds already are not trained again: what was interrupted
goes on with the next one.
"""

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

from myomass.muscles.network.training import Progress, Settings, draw, train
from myomass_experiments.network_kink import (
    DEPTHS,
    SUBJECT,
    WIDTHS,
    Design,
    Kept,
    designs,
    load_networks,
    measures,
    save_networks,
    scene,
)

RATE, SMALL = 3e-3, 96  # the rate of networks up to so many units
RATES_WEIGHT = 1e-2  # of the error of rates in the loss


def settings_of(design: Design, args: argparse.Namespace) -> Settings:
    """Settings with which a network is trained."""
    rate = RATE * min(1.0, SMALL / (design.width * design.depth)) ** 0.5
    given = {"steps": args.steps, "batch": args.batch, "samples": args.samples, "rates_weight": RATES_WEIGHT}
    return Settings(hidden=(design.width,) * design.depth, rate=rate, threshold=design.threshold, **given)


def learn(settings: Settings, drawn: tuple) -> Kept:
    """Train one network; returns it with its history."""
    history = {"step": [], "error": []}

    def remember(progress: Progress) -> None:
        history["step"].append(progress.step)
        history["error"].append(progress.error)

    return Kept(train(SUBJECT, settings, report=remember, drawn=drawn), history)


def check_same(name: str, kept: Kept, settings: Settings, path: Path) -> None:
    """Stop with an error if a network in the file was trained with other settings."""
    before, wanted = kept.weights.about["settings"], json.loads(json.dumps(asdict(settings)))
    different = [key for key, value in wanted.items() if before.get(key) != value]
    if different:
        raise SystemExit(f"{path} has {name} with other {', '.join(different)}: give the same, or another --out")


def train_all(args: argparse.Namespace) -> dict[str, Kept]:
    """Train all networks, and write the file after each."""
    networks, drawn = load_networks(args.out) if args.out.exists() else {}, {}
    wanted = designs(tuple(args.widths), tuple(args.depths))
    for number, design in enumerate(wanted, 1):
        settings = settings_of(design, args)
        if design.name in networks:
            check_same(design.name, networks[design.name], settings, args.out)
            continue
        if design.threshold not in drawn:
            drawn = {design.threshold: draw(SUBJECT, settings)}
        before = time.perf_counter()
        networks[design.name] = kept = learn(settings, drawn[design.threshold])
        networks = {one.name: networks[one.name] for one in wanted if one.name in networks} | networks
        save_networks(args.out, networks)
        took, best = time.perf_counter() - before, min(kept.history["error"])
        print(f"{number}/{len(wanted)} {design.name}: validation error {best:.2e}, {took:.1f} s", flush=True)
    return networks


def report(networks: dict[str, Kept], args: argparse.Namespace) -> None:
    """Print a table of the numbers near the kink, and write all numbers as JSON."""
    seen, numbers = scene(), {}
    print("largest errors of place, of the Jacobian where taught; extra variation of the Jacobian; validation error")
    for name, kept in networks.items():
        numbers[name] = found = measures(seen, kept) | {"history": kept.history}
        numbers[name]["settings"] = kept.weights.about["settings"]
        values = [found[key] for key in ("largest_place_error_of_length", "largest_jacobian_error_where_taught")]
        values += [found["extra_variation_of_jacobian"], found["validation_error"]]
        print(f"  {name:36s}" + "".join(f"{value:11.2e}" for value in values))
    if args.json is not None:
        args.json.write_text(json.dumps(numbers, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--depths", type=int, nargs="+", default=DEPTHS)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--samples", type=int, default=60_000)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.npz")
    parser.add_argument("--json", type=Path, metavar="FILE.json")
    args = parser.parse_args()
    report(train_all(args), args)


if __name__ == "__main__":
    main()
