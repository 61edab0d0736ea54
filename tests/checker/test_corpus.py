"""Programs that are meant to work: what is found in them is written down here, and nothing else is found."""

import json
import lzma
import re

import pytest

from vc4sim.checker import Subject, check
from vc4sim.workload import example_names, load_example

#: Cases that do on purpose what a rule is about, with the instructions at which they do.
ON_PURPOSE = {
    "regfile_latency": {"R1": [5, 11, 12, 21, 29, 30]},
    "rotate_quad": {"R4": [*range(17, 29), *range(40, 43), *range(46, 52)]},
    "unpack_r4": {"R32": list(range(12, 43, 5))},
}


def words_of(code):
    return [int.from_bytes(code[start : start + 8], "little") for start in range(0, len(code), 8)]


def by_rule(found):
    rules = {}
    for one in found:
        rules.setdefault(one.hazard.rule, []).append(one.offset // 8)
    return rules


def test_cases(shared):
    found = {}
    for folder in sorted(path.parent for path in shared.glob("cases/qpu/*/case.json")):
        case = json.loads((folder / "case.json").read_text())
        base = case["program_addr"]
        entries = sorted({(launch["pc"] - base) // 8 for launch in case["launches"]})
        rules = by_rule(check(words_of((folder / "program.bin").read_bytes()), base, entries=entries))
        found |= {folder.name: rules} if rules else {}
    assert found == ON_PURPOSE


@pytest.mark.parametrize("name", example_names())
def test_examples(name):
    workload = load_example(name)
    assert check(words_of(workload.image)) == []


def test_shaders_of_a_driver(shared):
    """Fragment, vertex and coordinate shaders that Mesa has made, with all rules there are."""
    shaders = set()
    for path in shared.glob("cases/gl/*/shaders.txt.xz"):
        for text in lzma.decompress(path.read_bytes()).decode().split("MESA_SHADER_")[1:]:
            shaders.add((text.startswith("FRAGMENT"), tuple(re.findall(r"^0x([0-9a-f]{16}) ", text, re.MULTILINE))))
    assert len(shaders) >= 60
    for is_fragment, digits in sorted(shaders):
        subject = Subject.FRAGMENT if is_fragment else Subject.VERTEX
        assert check([int(word, 16) for word in digits], subject=subject, two_tmus=True) == []
