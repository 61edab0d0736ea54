"""Captured frames as jobs for the RTL."""

import dataclasses
from collections.abc import Iterator

from vc4.config import V3DConfig, preset

from ..clist import Capture, CaptureJob
from ..render import Host
from .job import FrontJob

__all__ = ["front_jobs"]


def front_jobs(capture: Capture, config: V3DConfig, **options) -> Iterator[tuple[CaptureJob, FrontJob]]:
    """Each job of a frame that bins, with memory as it is after binning: so both threads can go at once.

    The model draws all of them, with the same errata, for later ones may need what earlier ones have drawn. `options` : see `FrontJob`
    """
    host = Host(capture, dataclasses.replace(preset("bcm2835"), errata=config.errata))
    for job in capture.jobs:
        images: list[bytes] = []
        for _ in host.run(job, binned=lambda images=images: images.append(host.memory.read(0, capture.memory_size))):
            pass
        for image in images:
            yield job, FrontJob(image=image, registers=job.starts, config=config, **options)
