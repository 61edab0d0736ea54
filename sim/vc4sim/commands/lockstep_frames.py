"""`vc4 lockstep --frames`: random frames on the RTL, with the model beside it."""

import argparse
import dataclasses
import shlex
import sys

from tqdm import tqdm

from vc4.config import V3DConfig

from ..backends.base import Waves
from ..backends.engines import WAVES_ENGINE
from ..lockstep import Difference
from ..problem import BadInput, ExitStatus
from ..random_frames import RandomFrame, compare_frame, frame_job, shrink_frame
from .options import config_of, config_words

__all__ = ["FRAMES_CONFIG", "compare_frames", "frames_config"]

#: The configuration of frames, if none is asked for.
FRAMES_CONFIG = "gpu"
_WAVES = "difference.vcd"
#: Characters of a thing that is left of a failing frame.
_MOST_SHOWN = 200


def frames_config(options: argparse.Namespace) -> V3DConfig:
    """The configuration that was chosen, with all that draws. Raises `BadInput` if it lacks texture units."""
    config = config_of(options)
    if not config.tmus_per_slice:
        raise BadInput(f"frames look up textures, which {options.config} cannot: add --config {FRAMES_CONFIG}")
    return dataclasses.replace(config.drawing, trace=True)


def compare_frames(options: argparse.Namespace) -> int:
    """As many frames as asked for, each with the next seed."""
    config = frames_config(options)
    waves = Waves(options.waves) if options.waves else None
    compared = 0
    with tqdm(total=options.frames, unit=" frames", disable=not sys.stderr.isatty(), leave=False) as progress:
        for seed in range(options.seed, options.seed + options.frames):
            frame = RandomFrame(seed)
            job = frame_job(frame, config, latency=options.latency, gap=options.gap)
            try:
                compared += compare_frame(job, options.on, waves)
            except (Difference, AssertionError) as error:
                progress.close()
                _report(frame, config, error, options)
                return ExitStatus.DIFFERS
            progress.update()
    plural = "s" * (options.frames != 1)
    print(f"lockstep: {compared} instructions in {options.frames} frame{plural}, no difference")
    return ExitStatus.PASS


def _report(
    frame: RandomFrame, config: V3DConfig, error: Difference | AssertionError, options: argparse.Namespace
) -> None:
    """Say what went wrong, and what is needed for it."""
    what = "DIFFERENCE" if isinstance(error, Difference) else "FAILED CHECK"
    print(f"{what} in the random frame of seed {frame.seed}: {error}")
    print(f"replay: {_replay(frame.seed, options)}")
    if not options.shrink_runs:
        return
    memory = {"latency": options.latency, "gap": options.gap}
    with tqdm(total=options.shrink_runs, unit=" runs", disable=not sys.stderr.isatty(), leave=False) as progress:
        small = shrink_frame(frame, config, options.on, most=options.shrink_runs, told=progress.update, **memory)
    if not small:
        print("not made smaller: it does not fail again")
        return
    print(f"smallest: {len(small.kept)} of {len(frame.things)} things, after {small.runs} runs: {small.error}")
    for line in small.lines:
        print(f"  {line[:_MOST_SHOWN]}")


def _replay(seed: int, options: argparse.Namespace) -> str:
    """The command that draws this frame alone, with waves."""
    memory = {"--latency": options.latency, "--gap": options.gap}
    arguments = [f"{name} {value}" for name, value in memory.items() if value is not None]
    shown = shlex.quote(str(options.waves or _WAVES))
    return " ".join(
        [
            f"vc4 lockstep --frames 1 --on {WAVES_ENGINE} {' '.join(config_words(options))} --seed {seed}",
            *arguments,
            f"--shrink-runs 0 --waves {shown}",
        ]
    )
