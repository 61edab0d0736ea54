"""Programs on a GPU of the library: what they compute, how they are launched, and what users do wrong."""

import json
from dataclasses import replace

import numpy as np
import pytest

import vc4sim
from vc4.config import preset
from vc4sim.cli import main
from vc4sim.events import Retirement, Start

from .conftest import ENDLESS, SAXPY, STORE, on_every_engine, on_model_and_native


def saxpy(gpu, count=64):
    """Runs it; returns y, what it should be, and the result."""
    x, y = gpu.array(np.arange(count, dtype=np.float32)), gpu.empty(count, np.float32)
    y[:] = 2
    result = gpu.run(SAXPY, uniforms=[1.5, x, y, count // 16])
    return y.numpy(), 1.5 * np.arange(count, dtype=np.float32) + 2, result


@on_model_and_native
def test_saxpy(on):
    gpu = vc4sim.Gpu(on=on, config="slice", lockstep=on != "model")
    found, expected, result = saxpy(gpu)
    assert found.dtype == np.float32
    assert np.array_equal(found, expected)
    assert result.instructions == 65
    assert result.config == "slice"
    assert not result.errors
    if on == "model":
        assert (result.cycles, result.compared, result.counters) == (None, None, {})
    else:
        assert result.cycles == 838
        assert result.compared == 65
        assert result.stalls["vdw"] > 0
        assert result.counters["L2C_MISSES"] == 16


def test_a_timeline(tmp_path):
    """Every instruction is in it."""
    file = tmp_path / "run.json"
    gpu = vc4sim.Gpu()
    result = gpu.run(STORE, uniforms=[7, gpu.empty(16, "u32")], timeline=file)
    told = json.loads(file.read_text())
    assert told["otherData"]["complete"]
    assert sum(one.get("cat") == "instruction" for one in told["traceEvents"]) == result.instructions


@pytest.mark.thorough
@pytest.mark.usefixtures("compiler")
def test_statistics_are_those_of_the_command(tmp_path, capsys):
    """The same program on the same engine, as text."""
    gpu = vc4sim.Gpu(on="native", config="qpu")
    result = gpu.run(STORE, uniforms=[7, gpu.empty(16, "u32")])
    (tmp_path / "store.qasm").write_text(STORE)
    arguments = ["--uniform", "7", "--uniform", "&out", "--buffer", "out=64", "--on", "native", "--stats"]
    assert main(["run", str(tmp_path / "store.qasm"), *arguments]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in str(result).splitlines()] == [
        line.split()[0] for line in printed[: len(str(result).splitlines())]
    ]


@on_every_engine
def test_one_after_the_other(on):
    """Two runs share memory."""
    gpu = vc4sim.Gpu(on=on, config="qpu", lockstep=on != "model")
    y = gpu.empty((2, 16), "i32")
    for row in range(2):
        result = gpu.run(STORE, uniforms=[row + 1, y[row]])
        assert (result.cycles is None) == (on == "model")
    assert y.numpy().tolist() == [[1] * 16, [2] * 16]


class TestLaunches:
    def test_several_qpus(self):
        """Each stores its number in its own vector."""
        gpu = vc4sim.Gpu()
        y = gpu.empty((4, 16), "i32")
        store = STORE.partition("\n:store\n")[2].replace("unif", "r3")
        result = gpu.run(f"mov r0, qpu_num\nshl r3, r0, 6\nadd r3, r3, unif\n{store}", uniforms=[y], qpus=4)
        assert np.array_equal(y.numpy(), np.repeat(np.arange(4), 16).reshape(4, 16))
        assert result.config == "slice"

    def test_uniforms_of_their_own_and_labels(self):
        gpu = vc4sim.Gpu()
        y = gpu.empty(32, "i32")
        gpu.run(STORE, starts=[vc4sim.Start(uniforms=[-5, y[:16]]), vc4sim.Start(pc="twice", uniforms=[21, y[16:]])])
        assert y.numpy().tolist() == [-5] * 16 + [42] * 16

    def test_more_launches_than_qpus(self):
        gpu, qpus = vc4sim.Gpu(), set()
        y = gpu.empty((20, 16), "i32")

        def watch(event):
            qpus.update({event.qpu} if isinstance(event, Start) else ())

        starts = [vc4sim.Start(uniforms=[number, y[number]]) for number in range(20)]
        result = gpu.run(STORE, starts=starts, qpus=2, watch=watch)
        assert y.numpy()[:, 3].tolist() == list(range(20))
        assert (qpus, result.config) == ({0, 1}, "slice")

    def test_several_runs_share_memory(self):
        gpu = vc4sim.Gpu()
        x, y = gpu.empty(16, "i32"), gpu.empty(16, "i32")
        for value in range(3):
            gpu.run(STORE, uniforms=[value, x])
            gpu.run(STORE, uniforms=[value + 10, y])
        assert (x.numpy() == 2).all()
        assert (y.numpy() == 12).all()

    def test_memory_grows_between_runs_only_by_what_is_new(self):
        gpu = vc4sim.Gpu()
        y = gpu.empty(16)
        gpu.run(STORE, uniforms=[1, y])
        before = len(gpu.memory)
        gpu.run(STORE, uniforms=[2, y])
        assert len(gpu.memory) == before

    @pytest.mark.parametrize(
        ("value", "word"),
        [
            (1.5, 0x3FC00000),
            (np.float32(-2), 0xC0000000),
            (-1, 0xFFFFFFFF),
            (np.uint32(0xFFFFFFFF), 0xFFFFFFFF),
            ("0x10", 16),
            ("2.0", 0x40000000),
        ],
    )
    def test_values_of_uniforms(self, value, word):
        gpu = vc4sim.Gpu()
        y = gpu.empty(16, "u32")
        gpu.run(STORE, uniforms=[value, y])
        assert set(y.numpy().tolist()) == {word}

    def test_addresses(self):
        gpu = vc4sim.Gpu()
        y, z = gpu.empty(16, "u32"), gpu.empty(16, "f16", address=0x20000)
        gpu.run(STORE, uniforms=[z[4:], y.address])
        assert set(y.numpy().tolist()) == {0x20008}
        label = vc4sim.assemble(STORE).program.labels["store"]
        gpu.run(STORE, uniforms=["&store", y])
        assert (y.numpy()[0] - label) % 64 == 0


class TestPrograms:
    def test_files_and_words(self, tmp_path):
        path = tmp_path / "store.qasm"
        path.write_text(STORE)
        words = tmp_path / "store.bin"
        words.write_bytes(vc4sim.assemble(path).program.code)
        for program in (path, str(path), words, vc4sim.assemble(STORE)):
            gpu = vc4sim.Gpu()
            y = gpu.empty(16, "u32")
            gpu.run(program, uniforms=[9, y])
            assert (y.numpy() == 9).all()

    def test_what_is_no_program(self, tmp_path):
        gpu = vc4sim.Gpu()
        with pytest.raises(vc4sim.BadInput, match="nothing.qasm: there is no such file"):
            gpu.run("nothing.qasm")
        with pytest.raises(vc4sim.AsmError, match="<source>:2"):
            gpu.run("nop\nfrob\n")
        with pytest.raises(vc4sim.BadInput, match="there are no instructions"):
            gpu.run("\n\n")


class TestEnds:
    def test_too_long(self):
        gpu = vc4sim.Gpu(max_cycles=4000)
        with pytest.raises(vc4sim.DidNotEnd, match="not ended after 4000 cycles: QPU 0 at .*<source>:3: here.1") as end:
            gpu.run(ENDLESS)
        assert end.value.result.instructions == 1001

    def test_memory_has_what_was_stored_before(self):
        gpu = vc4sim.Gpu()
        y = gpu.empty(16, "i32")
        with pytest.raises(vc4sim.DidNotEnd):
            gpu.run(STORE.replace("thrend", "mov vw_addr, 0"), uniforms=[3, y])
        assert (y.numpy() == 3).all()

    def test_units_that_are_missing(self):
        gpu = vc4sim.Gpu(config="qpu")
        with pytest.raises(vc4sim.DidNotEnd, match="qpu has no texture units: add --config slice"):
            gpu.run(SAXPY, uniforms=[1.5, gpu.empty(16), gpu.empty(16), 1])

    def test_broken_rules(self):
        broken = "mov ra5, unif\nmov r0, ra5\nthrend\nnop\nnop\n"
        gpu = vc4sim.Gpu()
        with pytest.raises(vc4sim.Broken) as found:
            gpu.run(broken, uniforms=[1], strict=True)
        assert found.value.rule == "R1"
        assert gpu.run(broken, uniforms=[1], strict=True, allow=["R1"]).checked == 5


class TestConfiguration:
    def test_one_of_your_own(self):
        config = replace(preset("slice"), qpus_per_slice=2)
        found, expected, result = saxpy(vc4sim.Gpu(config=config))
        assert np.array_equal(found, expected)
        assert result.config == "the configuration"
        with pytest.raises(vc4sim.BadInput, match="needs 4 QPUs at the same time, but the configuration has 2"):
            vc4sim.Gpu(config=config).run(STORE, uniforms=[1, 2], qpus=4)

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"on": "paper"}, "no engine is called 'paper': there are model, pysim, cxxrtl, native"),
            ({"lockstep": True}, "lockstep compares the RTL with the model: it is for pysim, cxxrtl, native"),
            ({"latency": 0}, "latency must be an integer from 1 to 1024, not 0"),
            ({"gap": 1.0}, "gap must be 0 to 0.95"),
            ({"seed": -1}, "seed must be an integer from 0 to"),
            ({"max_cycles": 0}, "max_cycles must be an integer from 1 to"),
            ({"latency": 1.5}, "latency must be an integer from 1 to 1024, not 1.5"),
        ],
    )
    def test_what_does_not_exist(self, options, text):
        with pytest.raises(vc4sim.BadInput, match=text):
            vc4sim.Gpu(**options)

    @pytest.mark.parametrize(
        ("options", "text"),
        [({"config": "huge"}, "no configuration is called 'huge'"), ({"errata": "x"}, "errata are")],
    )
    def test_what_does_not_exist_when_it_runs(self, options, text):
        gpu = vc4sim.Gpu(**options)
        with pytest.raises(vc4sim.BadInput, match=text):
            gpu.run(STORE, uniforms=[1, gpu.empty(16)])


class TestListeners:
    def test_events(self):
        gpu, events = vc4sim.Gpu(config="qpu"), []
        gpu.run(STORE, uniforms=[1, gpu.empty(16)], watch=events.append)
        assert isinstance(events[0], Start)
        assert sum(isinstance(event, Retirement) for event in events) == 16

    def test_waves_only_where_there_are_some(self, tmp_path):
        gpu = vc4sim.Gpu()
        with pytest.raises(vc4sim.BadInput, match="model writes no waves: pysim and cxxrtl do"):
            gpu.run(STORE, uniforms=[1, gpu.empty(16)], waves=tmp_path / "run.vcd")

    @pytest.mark.thorough
    def test_waves(self, tmp_path):
        gpu = vc4sim.Gpu(on="pysim", config="qpu")
        gpu.run(STORE, uniforms=[1, gpu.empty(16)], waves=tmp_path / "run.vcd")
        assert (tmp_path / "run.vcd").stat().st_size > 10_000
        assert (tmp_path / "run.gtkw").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"uniforms": ["&nothing"]}, "there is no buffer of this name"),
        ({"uniforms": [1 << 32]}, "must fit into 32 bits"),
        ({"uniforms": [1e99]}, "of 32 bits"),
        ({"uniforms": [None]}, "must be an integer, a float or something in memory"),
        ({"uniforms": [np.zeros(3)]}, "must be an integer, a float or something in memory"),
        ({"uniforms": [1], "starts": [vc4sim.Start()]}, "starts have uniforms of their own"),
        ({"qpus": 0}, "qpus must be 1 to 16, not 0"),
        ({"starts": [vc4sim.Start()] * 17}, "needs 17 QPUs at the same time"),
        ({"starts": [vc4sim.Start(pc="third")]}, "launch third: must be an address"),
    ],
)
def test_launches_that_cannot_be(arguments, text):
    with pytest.raises(vc4sim.BadInput, match=text):
        vc4sim.Gpu().run(STORE, **arguments)
