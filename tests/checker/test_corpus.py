"""Programs that are meant to work: what is found in them is written down here, and nothing else is found."""

import contextlib
import json
import lzma
import re

import pytest

from vc4.config import preset
from vc4sim.backends import model
from vc4sim.backends.base import Ending, Job
from vc4sim.checker import Subject, check
from vc4sim.problem import BadInput
from vc4sim.workload import example_names, load_case, load_example

#: Cases that do on purpose what a rule is about, with the instructions at which they do, checked or run.
ON_PURPOSE = {
    # which value a register has right after its write
    "regfile_latency": {"R1": [5, 11, 12, 21, 29, 30]},
    # what does not come from r0 to r3 turns inside its quad
    "rotate_quad": {"R4": [*range(17, 29), *range(40, 43), *range(46, 52)]},
    # r4 unpacked beside r4 as it is
    "unpack_r4": {"R32": list(range(12, 43, 5))},
}


def words_of(code):
    return [int.from_bytes(code[start : start + 8], "little") for start in range(0, len(code), 8)]


def by_rule(found, base=0):
    rules = {}
    for one in found:
        rules.setdefault(one.hazard.rule, []).append((one.offset - base) // 8)
    return rules


def test_cases(recorded):
    found = {}
    for folder in sorted(path.parent for path in recorded.glob("cases/qpu/*/case.json")):
        case = json.loads((folder / "case.json").read_text())
        base = case["program_addr"]
        entries = sorted({(launch["pc"] - base) // 8 for launch in case["launches"]})
        rules = by_rule(check(words_of((folder / "program.bin").read_bytes()), base, entries=entries))
        found |= {folder.name: rules} if rules else {}
    assert found == ON_PURPOSE


#: How far cases are run, and some that certainly do.
MOST_CYCLES = 40_000
RUN = {"branch_links", "ldi_forms", "mandelbrot", "nop_replay", "regfile_latency", "small_immediates", "uniforms"}


@pytest.mark.thorough
def test_runs_of_cases(recorded, breaches):
    """A run breaks what it is meant to break, and nothing else; of what is not built yet, it goes as far as it can."""
    run, broken = set(), {}
    for folder in sorted(path.parent for path in recorded.glob("cases/qpu/*/case.json")):
        with contextlib.suppress(BadInput):  # more QPUs than there are
            job, events = job_of(load_case(folder)), []
            outcome = model.run(job, events.append)
            run |= {folder.name} if outcome.ending is not Ending.STUCK else set()
            found = breaches(job.base, len(job.image), events)
            base = json.loads((folder / "case.json").read_text())["program_addr"] - job.base
            rules = {rule: sorted(set(places)) for rule, places in by_rule(found, base).items()}
            broken |= {folder.name: rules} if rules else {}
    assert run >= RUN
    assert broken == {name: rules for name, rules in ON_PURPOSE.items() if name in run}


def job_of(workload):
    return Job(
        image=workload.image,
        base=workload.base,
        launches=workload.launches,
        config=preset("qpu"),
        max_cycles=MOST_CYCLES,
    )


@pytest.mark.parametrize("name", example_names())
def test_examples(name, breaches):
    workload = load_example(name)
    assert check(words_of(workload.image)) == []
    events = []
    model.run(job_of(workload), events.append)
    assert breaches(workload.base, len(workload.image), events) == []


def test_shaders_of_a_driver(recorded):
    """Fragment, vertex and coordinate shaders that Mesa has made, with all rules there are."""
    shaders = set()
    for path in recorded.glob("cases/gl/*/shaders.txt.xz"):
        for text in lzma.decompress(path.read_bytes()).decode().split("MESA_SHADER_")[1:]:
            shaders.add((text.startswith("FRAGMENT"), tuple(re.findall(r"^0x([0-9a-f]{16}) ", text, re.MULTILINE))))
    assert len(shaders) >= 60
    for is_fragment, digits in sorted(shaders):
        subject = Subject.FRAGMENT if is_fragment else Subject.VERTEX
        assert check([int(word, 16) for word in digits], subject=subject, two_tmus=True) == []
