"""The cases with lookups, on the model alone."""

import json

import pytest

from vc4.config import PRESETS
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D
from vc4sim.workload.case import load_case

#: Of all cases that look something up, those that do more than load their operands, and some of the others.
CASES = {
    "tmu_gather": "bcm2835",
    "life": "slice",
    "fir_q15": "slice",
    "histogram_4qpu": "bcm2835",
    "matmul_16": "slice",
    "crc32": "slice",
}


@pytest.mark.parametrize("name", CASES)
def test_some(recorded, name):
    run(recorded, name, CASES[name])


@pytest.mark.thorough
def test_all_others(recorded):
    cases = {path.parent.name: json.loads(path.read_text()) for path in (recorded / "cases/qpu").glob("*/case.json")}
    names = {name for name, case in cases.items() if case["counts"]["tmu"]} - set(CASES)
    assert len(names) > 25
    for name in sorted(names):
        run(recorded, name, "slice")


def run(recorded, name, config):
    case = load_case(recorded / "cases/qpu" / name)
    model = V3D(PRESETS[config], Memory(len(case.image), case.base, case.image))
    assert model.finish(case.launches)
    assert not model.errors
    assert not case.differences(bytes(model.memory.data)), name
