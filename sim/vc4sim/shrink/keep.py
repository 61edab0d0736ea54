"""Keeps a run as a case directory, for `vc4 run`."""

import json
from pathlib import Path

from vc4.isa.word import WORD_BYTES

from ..asm import disassemble_program
from ..backends import model
from ..backends.base import Job
from .shrink import Shrunk

__all__ = ["keep"]


def keep(shrunk: Shrunk, folder: Path, description: str) -> list[str]:
    """Write the run into `folder` with the memory that the model leaves, and a listing.

    Returns the options of `vc4 run` that give it the memory with which it fails, if that is not the usual one.
    """
    job = shrunk.job
    code = job.image[shrunk.code.start * WORD_BYTES : shrunk.code.stop * WORD_BYTES]
    address = job.base + shrunk.code.start * WORD_BYTES
    expected = model.run(job).memory
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.bin").write_bytes(job.image)
    (folder / "program.bin").write_bytes(code)
    (folder / "expected.bin").write_bytes(expected)
    comment = "".join(f"# {line}\n" for line in str(shrunk.error).splitlines())
    (folder / "listing.txt").write_text(comment + disassemble_program(code, address), encoding="utf-8")
    case = _case(job, address, len(code), folder.name, description)
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")
    usual = {"latency": Job.latency, "gap": Job.gap, "seed": Job.seed}
    return [
        text
        for name, value in usual.items()
        if getattr(job, name) != value
        for text in (f"--{name}", str(getattr(job, name)))
    ]


def _case(job: Job, address: int, size: int, name: str, description: str) -> dict:
    """What `case.json` says."""
    whole = {"addr": job.base, "size": len(job.image), "expected_offset": 0, "tol": {"kind": "exact"}}
    return {
        "format": 1,
        "name": name,
        "description": description,
        "mem_base": job.base,
        "mem_size": len(job.image),
        "program_addr": address,
        "program_size": size,
        "qpus": job.reserved.start,
        "launches": [
            {"pc": launch.pc, "unif": launch.uniforms, "threaded": int(launch.threaded)} for launch in job.launches
        ],
        "uniform_words_per_launch": 0,
        "memory": {"latency": job.latency, "gap": job.gap, "seed": job.seed},
        "compare": [whole],
    }
