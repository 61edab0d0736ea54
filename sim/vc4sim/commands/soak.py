"""`vc4 soak`: random frames and programs at once on the RTL, with a host that meddles, and the model beside it."""

import argparse
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

from tqdm import tqdm

from vc4.config import V3DConfig
from vc4.errata import Erratum

from ..backends.base import Waves
from ..problem import BadInput, ExitStatus
from ..soak import (
    Compared,
    Episode,
    Finding,
    compare_episode,
    compared,
    numbers_of,
    ranges_of,
    shrink_episode,
    side_by_side,
)
from .lockstep_frames import FRAMES_CONFIG, frames_config
from .options import Commands, add_config, config_words, fraction, integer, seconds, vcd_file

__all__ = ["register"]

#: Simulators whose host has scripts; the one that writes waves.
_ENGINES, _WAVES_ENGINE = ("native", "cxxrtl"), "cxxrtl"
_WAVES = "difference.vcd"
#: Characters of a line that says what is left.
_MOST_SHOWN = 200
_LARGEST_SEED = (1 << 31) - 1


def register(commands: Commands) -> None:
    """Add the sub-command."""
    parser = commands.add_parser(
        "soak",
        help="random frames and programs at once on the RTL, until told to stop",
        description="Draw random frames and run random programs of users beside them on the RTL, in lockstep with the model, while "
        "the host halts and steps QPUs, stops control lists, clears caches and resets what draws, and memory changes its "
        "pace or refuses addresses. An episode is a few frames; each has the next seed, until told to stop: by Ctrl-C, "
        "--seconds or --count. An episode that shows a difference is made as small as it gets.",
    )
    parser.add_argument("--on", choices=_ENGINES, default="native", help="simulator of the RTL (default: native)")
    add_config(parser, FRAMES_CONFIG)
    parser.add_argument(
        "--seed", type=integer(0, _LARGEST_SEED), default=1, metavar="N", help="of the first episode (default: 1)"
    )
    parser.add_argument("--count", type=integer(1, 1 << 40), metavar="N", help="at most N episodes (default: no end)")
    parser.add_argument("--seconds", type=seconds, metavar="S", help="begin none after S seconds (default: no end)")
    parser.add_argument("--jobs", type=integer(1, 64), default=1, metavar="N", help="N episodes at a time (default: 1)")
    parser.add_argument("--latency", type=integer(1, 1024), metavar="N", help="of memory (default: any)")
    parser.add_argument("--gap", type=fraction, metavar="P", help="chance that memory pauses in a clock (default: any)")
    parser.add_argument(
        "--keep",
        type=_numbers,
        metavar="PARTS",
        help="of each episode only these parts, as a replay has them, like 0,5,7-19",
    )
    parser.add_argument("--waves", metavar="FILE.vcd", type=vcd_file, help="write waves of the last episode")
    parser.add_argument(
        "--shrink-runs",
        type=integer(0, 1 << 20),
        default=200,
        metavar="N",
        help="make a failing episode small with at most N runs; 0: not at all (default: 200)",
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=Path("soak-failures"),
        metavar="DIR",
        help="folder for what is said about episodes that fail (default: soak-failures)",
    )
    parser.set_defaults(execute=_execute)


def _numbers(text: str) -> frozenset[int]:
    """Type of an option: numbers of parts."""
    try:
        return numbers_of(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers like 0,5,7-19, not {text!r}") from None


def _execute(options: argparse.Namespace) -> int:
    config = frames_config(options)
    if Erratum.HW_2885 in config.faults:
        raise BadInput(f"frames of an episode would wait for ever with {Erratum.HW_2885}: leave it out of --errata")
    if options.waves and (options.on != _WAVES_ENGINE or options.jobs > 1):
        raise BadInput(f"--waves is for one job on {_WAVES_ENGINE}: add --on {_WAVES_ENGINE}")
    memory = {"latency": options.latency, "gap": options.gap}
    compare = partial(compare_episode, on=options.on, waves=Waves(options.waves) if options.waves else None)
    begun = time.monotonic()
    total, episodes, found = Compared(), 0, None
    with ExitStack() as stack:
        results = stack.enter_context(
            side_by_side(
                partial(compared, config=config, compare=compare, keep=options.keep, **memory),
                _seeds(options, begun),
                options.jobs,
            )
        )
        progress = stack.enter_context(
            tqdm(total=options.count, unit=" episodes", disable=not sys.stderr.isatty(), leave=False)
        )
        try:
            for found in results:
                if isinstance(found, Finding):
                    break
                episodes += 1
                total = Compared(*map(sum, zip(total, found, strict=True)))
                progress.set_postfix_str(_shown(total, time.monotonic() - begun), refresh=False)
                progress.update()
        except KeyboardInterrupt:
            pass  # That is how it ends.
    if isinstance(found, Finding):
        _report(found, config, options)
        return ExitStatus.DIFFERS
    print(f"soak: {episodes} episodes, {_shown(total, time.monotonic() - begun)}, no difference")
    return ExitStatus.PASS


def _seeds(options: argparse.Namespace, begun: float) -> Iterator[int]:
    """Of the episodes, until told to stop."""
    for number in count():
        if number == options.count or (options.seconds and time.monotonic() - begun >= options.seconds):
            return
        yield (options.seed + number) & _LARGEST_SEED


def _shown(total: Compared, passed: float) -> str:
    return (
        f"{total.frames} frames, {total.programs} programs, {total.instructions} instructions, "
        f"{total.clocks / max(passed, 1e-9):,.0f} clocks a second"
    )


def _report(found: Finding, config: V3DConfig, options: argparse.Namespace) -> None:
    """Say what went wrong, and what is needed for it."""
    lines = [
        f"{found.what} in the episode of seed {found.seed}: {found.text}",
        f"replay: {_replay(found.seed, options)}",
    ]
    print("\n".join(lines))
    if options.shrink_runs:
        more = _shrunk(Episode(found.seed, config), options)
        print("\n".join(more))
        lines += more
    folder: Path = options.save
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed-{found.seed}.txt"
    path.write_text("\n".join(lines) + "\n")
    print(f"all of this is in {path}")


def _shrunk(episode: Episode, options: argparse.Namespace) -> list[str]:
    memory = {"latency": options.latency, "gap": options.gap}
    compare = partial(compare_episode, on=options.on)
    with tqdm(total=options.shrink_runs, unit=" runs", disable=not sys.stderr.isatty(), leave=False) as progress:
        small = shrink_episode(episode, compare, most=options.shrink_runs, told=progress.update, **memory)
    if not small:
        return ["not made smaller: it does not fail again"]
    count = f"{len(small.kept)} of {len(episode.parts)} parts, after {small.runs} runs"
    left = (f"  {line[:_MOST_SHOWN]}" for line in episode.lines(set(small.kept)))
    keep = ranges_of(map(episode.parts.index, small.kept))
    return [f"smallest: {count}: {small.error}", *left, f"replay: {_replay(episode.seed, options, keep)}"]


def _replay(seed: int, options: argparse.Namespace, keep: str | None = None) -> str:
    """The command that runs this episode alone, or what is left of it, with waves."""
    memory = {"--latency": options.latency, "--gap": options.gap, "--keep": keep}
    arguments = [f"{name} {value}" for name, value in memory.items() if value is not None]
    shown = shlex.quote(str(options.waves or _WAVES))
    return " ".join(
        [
            f"vc4 soak --on {_WAVES_ENGINE} {' '.join(config_words(options))} --seed {seed} --count 1",
            *arguments,
            f"--shrink-runs 0 --waves {shown}",
        ]
    )
