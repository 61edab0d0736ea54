"""The control list executor of the model: control records, registers, both threads, errors."""

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import VG_END, PrimitiveData, PrimitiveMode, PrimitiveType, VgPrimitiveType
from vc4sim.clist import ListBuilder, compress, load_capture, walk
from vc4sim.model.cle.cle import BINNING, RENDERING, Cle, Rest
from vc4sim.model.cle.compressed import ListFormat
from vc4sim.model.cle.control_records import ControlRecord
from vc4sim.model.cle.list_thread import Step
from vc4sim.model.cle.pipeline import Recorder
from vc4sim.model.cle.primitives import Primitive
from vc4sim.model.memory import Memory

from .. import control_lists as lists
from ..block_host import host_of
from ..control_lists import BASE

SUB_LISTS = (BASE + 0x400, BASE + 0x500, BASE + 0x600)
CTERR, CTSUBS, CTRUN, CTRSTA = 1 << 3, 1 << 4, 1 << 5, 1 << 15
LIMIT = 10_000
#: Records that the executor keeps for itself.
SILENT = {
    Code.HALT,
    Code.NOP,
    Code.MARKER,
    Code.RESET_MARKER_COUNT,
    Code.BRANCH,
    Code.INCREMENT_SEMAPHORE,
    Code.WAIT_ON_SEMAPHORE,
    Code.BRANCH_TO_SUB_LIST,
    Code.RETURN_FROM_SUB_LIST,
}


class Bench:
    """An executor with recorders for pipelines, and a memory that lists are put into."""

    def __init__(self, memory=None):
        self.memory = memory or Memory(0x1000, BASE)
        self.binner, self.renderer = Recorder(), Recorder()
        self.cle = Cle(self.memory, self.binner, self.renderer)

    def put(self, base, *records):
        """A list of codes, (code, fields), or bytes; returns the address after it."""
        builder = ListBuilder(base)
        for record in records:
            if isinstance(record, bytes):
                builder.raw(record)
            elif isinstance(record, Code):
                builder.add(record)
            else:
                builder.add(record[0], **record[1])
        builder.store(self.memory)
        return builder.here

    def start(self, thread, *records, base=BASE):
        """Put a list into memory and give it to a thread; returns the address after it."""
        end = self.put(base, *records)
        self.give(thread, base, end)
        return end

    def give(self, thread, start, end):
        host_of(self.cle).write(f"CT{thread}CA", start)
        host_of(self.cle).write(f"CT{thread}EA", end)

    def run(self):
        return self.cle.run(LIMIT)

    def status(self, thread):
        return host_of(self.cle).read(f"CT{thread}CS")

    def codes(self, pipeline):
        """Codes of the records that it got."""
        return [item.code for item in pipeline.taken if isinstance(item, ControlRecord)]


@pytest.fixture
def bench():
    return Bench()


def branch(code, target):
    return code, {"absolute_branch_address": target}


CONFIGURED = (Code.TILE_BINNING_MODE_CONFIGURATION, {"width": 1, "height": 1})
RENDERED = (Code.TILE_RENDERING_MODE_CONFIGURATION, {"width": 64, "height": 64})
NV = (Code.NV_SHADER_STATE, {"shader_record_address": BASE})
VG = (Code.VG_SHADER_STATE, {"shader_record_address": BASE})
WIDTH = (Code.LINE_WIDTH, {"line_width": 1.0})


class TestEnds:
    def test_a_list_runs_to_its_end(self, bench):
        end = bench.start(BINNING, WIDTH, Code.NOP, WIDTH)
        assert bench.status(BINNING) == CTRUN
        assert bench.run() is Rest.STOPPED
        assert bench.codes(bench.binner) == [Code.LINE_WIDTH] * 2
        assert bench.binner.taken[1].address == BASE + 6
        assert (host_of(bench.cle).read("CT0CA"), bench.status(BINNING)) == (end, 0)
        assert not bench.renderer.taken

    def test_an_end_that_moves_makes_it_go_on(self, bench):
        end = bench.start(RENDERING, WIDTH)
        bench.run()
        bench.put(end, WIDTH, WIDTH)
        host_of(bench.cle).write("CT1EA", end + 5)
        bench.run()
        assert len(bench.renderer.taken) == 2
        host_of(bench.cle).write("CT1EA", end + 10)
        bench.run()
        assert len(bench.renderer.taken) == 3
        host_of(bench.cle).write("CT1EA", end + 10)
        assert bench.status(RENDERING) == 0

    def test_halt(self, bench):
        bench.start(BINNING, WIDTH, Code.HALT, WIDTH)
        bench.run()
        assert bench.status(BINNING) == CTSUBS
        assert host_of(bench.cle).read("CT0CA") == BASE + 6
        host_of(bench.cle).write("CT0EA", BASE + 11)  # does not wake it
        assert bench.run() is Rest.STOPPED
        assert len(bench.binner.taken) == 1
        host_of(bench.cle).write("CT0CS", CTSUBS)
        assert bench.status(BINNING) == CTRUN
        bench.run()
        assert (len(bench.binner.taken), bench.status(BINNING)) == (2, 0)

    def test_a_new_address_ends_a_halt(self, bench):
        bench.start(BINNING, Code.HALT)
        bench.run()
        bench.give(BINNING, BASE + 0x100, bench.put(BASE + 0x100, WIDTH))
        bench.run()
        assert bench.codes(bench.binner) == [Code.LINE_WIDTH]

    def test_the_host_stops_a_thread(self, bench):
        bench.start(BINNING, branch(Code.BRANCH, BASE))
        assert bench.run() is Rest.LIMIT
        host_of(bench.cle).write("CT0CA", BASE + 0x200)  # not while it runs
        assert host_of(bench.cle).read("CT0CA") == BASE
        host_of(bench.cle).write("CT0CS", CTRUN)
        assert bench.status(BINNING) == CTSUBS
        assert bench.run() is Rest.STOPPED
        host_of(bench.cle).write("CT0CA", BASE + 0x200)
        assert (host_of(bench.cle).read("CT0CA"), bench.status(BINNING)) == (BASE + 0x200, 0)

    def test_a_reset_is_stronger_than_a_stop_and_that_than_going_on(self, bench):
        bench.start(BINNING, branch(Code.BRANCH, BASE))
        host_of(bench.cle).write("CT0CS", CTRUN | CTSUBS)
        assert bench.status(BINNING) == CTSUBS
        host_of(bench.cle).write("CT0CS", CTRSTA | CTRUN | CTSUBS)
        assert bench.status(BINNING) == 0
        host_of(bench.cle).write("CT0CS", CTSUBS)
        assert bench.status(BINNING) == CTRUN

    def test_a_record_that_begins_in_front_of_the_end_is_carried_out(self, bench):
        bench.start(BINNING, WIDTH, b"\xff")
        host_of(bench.cle).write("CT0EA", BASE + 3)
        bench.run()
        assert len(bench.binner.taken) == 1
        assert host_of(bench.cle).read("CT0CA") == BASE + 5


class TestSubLists:
    def test_two_levels(self, bench):
        bench.put(SUB_LISTS[0], branch(Code.BRANCH_TO_SUB_LIST, SUB_LISTS[1]), WIDTH, Code.RETURN_FROM_SUB_LIST)
        bench.put(SUB_LISTS[1], WIDTH, Code.HALT, Code.RETURN_FROM_SUB_LIST)
        bench.start(BINNING, branch(Code.BRANCH_TO_SUB_LIST, SUB_LISTS[0]), WIDTH, Code.RETURN_FROM_SUB_LIST, WIDTH)
        bench.run()
        assert bench.status(BINNING) == CTSUBS | 2 << 8
        assert host_of(bench.cle).read("CT00RA0") == SUB_LISTS[0] + 5
        host_of(bench.cle).write("CT0CS", CTSUBS)
        assert bench.run() is Rest.STOPPED
        assert [record.address for record in bench.binner.taken] == [
            SUB_LISTS[1],
            SUB_LISTS[0] + 5,
            BASE + 5,
            BASE + 11,
        ]
        # the return that had nowhere to go counts, too
        assert host_of(bench.cle).read("CT0LC") == 3
        assert (bench.status(BINNING), host_of(bench.cle).read("CT00RA0")) == (0, 0)

    def test_a_third_level_is_an_error(self, bench):
        for here, there in zip(SUB_LISTS, SUB_LISTS[1:], strict=False):
            bench.put(here, branch(Code.BRANCH_TO_SUB_LIST, there))
        bench.start(RENDERING, branch(Code.BRANCH_TO_SUB_LIST, SUB_LISTS[0]))
        bench.run()
        assert bench.status(RENDERING) == CTERR | CTSUBS | 2 << 8
        assert host_of(bench.cle).read("CT1CA") == SUB_LISTS[1]
        assert "deeper than 2" in str(bench.cle.threads[RENDERING].error)

    def test_branch(self, bench):
        bench.put(SUB_LISTS[0], WIDTH, branch(Code.BRANCH, BASE + 10))
        bench.start(BINNING, branch(Code.BRANCH, SUB_LISTS[0]), b"\xff" * 5, WIDTH)
        bench.run()
        assert [record.address for record in bench.binner.taken] == [SUB_LISTS[0], BASE + 10]
        assert host_of(bench.cle).read("CT0LC") == 0

    def test_a_new_address_empties_the_stack(self, bench):
        bench.put(SUB_LISTS[0], Code.HALT)
        bench.start(BINNING, branch(Code.BRANCH_TO_SUB_LIST, SUB_LISTS[0]))
        bench.run()
        bench.start(BINNING, Code.RETURN_FROM_SUB_LIST, WIDTH)
        assert bench.status(BINNING) == CTRUN
        bench.run()
        assert len(bench.binner.taken) == 1

    def test_counts_are_cleared_one_by_one(self, bench):
        start = (CONFIGURED, Code.FLUSH, Code.FLUSH_ALL_STATE, Code.RETURN_FROM_SUB_LIST)
        bench.start(BINNING, *start)
        bench.run()
        assert host_of(bench.cle).read("CT0LC") == 2 << 16 | 1
        host_of(bench.cle).write("CT0LC", 1 << 16)
        assert host_of(bench.cle).read("CT0LC") == 1
        host_of(bench.cle).write("CT0LC", ~1 & 0xFFFFFFFF)
        bench.start(BINNING, *start)
        bench.run()
        assert host_of(bench.cle).read("CT0LC") == 2 << 16 | 2
        host_of(bench.cle).write("CT0LC", 1)
        assert host_of(bench.cle).read("CT0LC") == 2 << 16

    def test_markers(self, bench):
        bench.start(BINNING, Code.MARKER, Code.MARKER)
        bench.run()
        assert bench.cle.threads[BINNING].markers == 2
        bench.start(BINNING, Code.RESET_MARKER_COUNT, Code.MARKER)
        bench.run()
        assert bench.cle.threads[BINNING].markers == 1
        assert not bench.binner.taken


class TestSemaphores:
    def test_rendering_waits_for_binning(self, bench):
        wait = bench.start(RENDERING, RENDERED, Code.WAIT_ON_SEMAPHORE, WIDTH, base=BASE + 0x100) - 5
        assert bench.run() is Rest.WAITING
        assert bench.status(RENDERING) == CTRUN | CTSUBS
        assert host_of(bench.cle).read("CT1CA") == wait  # after the record
        assert bench.cle.threads[RENDERING].waits == "the semaphore"
        bench.start(BINNING, CONFIGURED, Code.INCREMENT_SEMAPHORE, WIDTH)
        assert bench.run() is Rest.WAITING  # nothing was flushed yet
        end = host_of(bench.cle).read("CT0CA")
        host_of(bench.cle).write("CT0EA", bench.put(end, Code.FLUSH))
        assert bench.run() is Rest.STOPPED
        assert bench.codes(bench.renderer) == [RENDERED[0], Code.LINE_WIDTH]
        assert bench.status(RENDERING) == 0

    def test_a_flush_without_an_increment(self, bench):
        bench.start(BINNING, CONFIGURED, Code.INCREMENT_SEMAPHORE, Code.INCREMENT_SEMAPHORE, Code.FLUSH, Code.FLUSH)
        bench.run()
        assert bench.status(RENDERING) == 1 << 12
        assert bench.status(BINNING) == 1  # CTMODE: no tile list was begun

    def test_it_saturates(self, bench):
        bench.start(BINNING, CONFIGURED, *(Code.INCREMENT_SEMAPHORE, Code.FLUSH) * 9)
        bench.run()
        assert bench.status(RENDERING) == 7 << 12
        bench.start(RENDERING, *[Code.WAIT_ON_SEMAPHORE] * 8, base=BASE + 0x200)
        assert bench.run() is Rest.WAITING
        assert bench.status(RENDERING) == CTRUN | CTSUBS
        assert host_of(bench.cle).read("BFC") == 9

    @pytest.mark.parametrize(
        "store",
        [
            Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME,
            (Code.STORE_FULL_RESOLUTION_TILE_BUFFER, {"last_tile_of_frame": 1}),
            (Code.STORE_TILE_BUFFER_GENERAL, {"last_tile_of_frame": 1}),
        ],
    )
    def test_binning_waits_for_rendering(self, bench, store):
        bench.start(BINNING, Code.WAIT_ON_SEMAPHORE, WIDTH)
        last = bench.start(
            RENDERING,
            RENDERED,
            Code.INCREMENT_SEMAPHORE,
            Code.STORE_RESOLVED_TILE_COLOR_BUFFER,
            Code.STORE_FULL_RESOLUTION_TILE_BUFFER,
            Code.STORE_TILE_BUFFER_GENERAL,
            base=BASE + 0x200,
        )
        assert bench.run() is Rest.WAITING
        assert (host_of(bench.cle).read("RFC"), bench.cle.interrupts) == (0, set())
        host_of(bench.cle).write("CT1EA", bench.put(last, store))
        assert bench.run() is Rest.STOPPED
        assert (host_of(bench.cle).read("RFC"), bench.cle.interrupts) == (1, {"INT_FRDONE"})
        assert bench.codes(bench.binner) == [Code.LINE_WIDTH]

    def test_another_list_for_a_thread_that_waits(self, bench):
        bench.start(RENDERING, Code.WAIT_ON_SEMAPHORE, WIDTH)
        bench.run()
        host_of(bench.cle).write("CT1CS", CTRUN)
        assert bench.status(RENDERING) == CTSUBS
        bench.start(RENDERING, RENDERED, base=BASE + 0x100)
        host_of(bench.cle).write("CT1CS", CTSUBS)
        assert bench.run() is Rest.STOPPED
        assert bench.codes(bench.renderer) == [RENDERED[0]]

    def test_reset_clears_semaphore_and_increment(self, bench):
        bench.start(BINNING, CONFIGURED, Code.INCREMENT_SEMAPHORE, Code.FLUSH, Code.INCREMENT_SEMAPHORE)
        bench.run()
        host_of(bench.cle).write("CT0CS", CTRSTA)
        host_of(bench.cle).write("CT1CS", CTRSTA)
        assert (bench.status(BINNING), bench.status(RENDERING)) == (0, 0)
        bench.start(BINNING, Code.FLUSH)
        bench.run()
        assert (host_of(bench.cle).read("BFC"), bench.status(RENDERING)) == (2, 0)


class TestErrors:
    #: List, and which of its bytes is the record that is wrong.
    WRONG = {
        "reserved": (BINNING, (WIDTH, b"\x09"), 5, "9 is no control record"),
        "repeat": (BINNING, (b"\x13",), 0, "19 is no control record"),
        "rendering in binning": (BINNING, (RENDERED,), 0, "TILE_RENDERING_MODE_CONFIGURATION in a binning list"),
        "binning in rendering": (RENDERING, (Code.NOP, CONFIGURED), 1, "CONFIGURATION in a rendering list"),
        "flush in rendering": (RENDERING, (RENDERED, Code.FLUSH), 11, "FLUSH in a rendering list"),
        "clipped in binning": (BINNING, (b"\x31\0\0\0\0",), 0, "in a binning list"),
        "flush first": (BINNING, (Code.FLUSH,), 0, "FLUSH in front of any configuration"),
        "start first": (BINNING, (Code.START_TILE_BINNING,), 0, "in front of any configuration"),
        "store first": (RENDERING, (Code.STORE_TILE_BUFFER_GENERAL,), 0, "in front of any configuration"),
        "primitives first": (BINNING, (NV, Code.VERTEX_ARRAY_PRIMITIVES), 5, "in front of any configuration"),
        "no shader": (BINNING, (CONFIGURED, Code.VERTEX_ARRAY_PRIMITIVES), 16, "in front of any shader state"),
        "no format": (BINNING, (CONFIGURED, NV, Code.COMPRESSED_PRIMITIVE_LIST), 21, "any primitive list format"),
        "indices for VG": (BINNING, (CONFIGURED, VG, Code.VERTEX_ARRAY_PRIMITIVES), 21, "indices after VG_SHADER"),
        "VG for indices": (BINNING, (CONFIGURED, NV, b"\x2a\x01"), 21, "with coordinates after NV_SHADER_STATE"),
        "reserved value": (BINNING, (b"\x38\x14",), 0, "primitive_type 4 is reserved"),
        "no such lists": (BINNING, (b"\x38\x30",), 0, "there are no lists of POINTS with coordinates"),
        "outside of memory": (BINNING, (branch(Code.BRANCH, 0x50),), -BASE + 0x50, "outside of memory"),
    }

    @pytest.mark.parametrize("name", WRONG)
    def test_the_thread_stops_and_says_where(self, bench, name):
        thread, records, offset, what = self.WRONG[name]
        bench.start(thread, *records)
        assert bench.run() is Rest.STOPPED
        assert bench.status(thread) & ~1 == CTERR | CTSUBS
        assert host_of(bench.cle).read(f"CT{thread}CA") == BASE + offset
        error = bench.cle.threads[thread].error
        assert error.address == BASE + offset
        assert what in error.what
        assert bench.status(1 - thread) == 0

    def test_the_other_thread_goes_on(self, bench):
        bench.start(BINNING, b"\x09")
        bench.start(RENDERING, *[WIDTH] * 20, base=BASE + 0x100)
        bench.run()
        assert len(bench.renderer.taken) == 20

    def test_going_on_tries_again(self, bench):
        end = bench.start(BINNING, b"\x09", WIDTH)
        bench.run()
        host_of(bench.cle).write("CT0EA", end)
        assert bench.status(BINNING) == CTERR | CTSUBS
        host_of(bench.cle).write("CT0CS", CTSUBS)
        assert bench.status(BINNING) == CTRUN
        bench.run()
        assert bench.status(BINNING) == CTERR | CTSUBS
        bench.put(BASE, Code.NOP)
        host_of(bench.cle).write("CT0CS", CTSUBS)
        bench.run()
        assert (bench.status(BINNING), len(bench.binner.taken)) == (0, 1)

    def test_a_new_list_ends_the_error(self, bench):
        bench.start(BINNING, b"\x09")
        bench.run()
        host_of(bench.cle).write("CT0CA", BASE + 0x100)
        assert bench.status(BINNING) == CTERR
        bench.start(BINNING, WIDTH)
        assert bench.status(BINNING) == CTRUN
        bench.run()
        assert len(bench.binner.taken) == 1

    def test_a_list_that_breaks_off_is_ended_for_the_pipeline(self, bench):
        fields = {"primitive_mode": PrimitiveMode.POINTS, "length": 10, "index_of_first_vertex": 0xFFFD}
        bench.start(BINNING, CONFIGURED, NV, (Code.VERTEX_ARRAY_PRIMITIVES, fields), WIDTH)
        bench.run()
        assert bench.binner.taken[3:] == [Primitive(PrimitiveType.POINTS, (n,)) for n in range(0xFFFD, 0x10000)] + [
            None
        ]
        assert host_of(bench.cle).read("CT0CA") == BASE + 21
        assert host_of(bench.cle).read("CT0PC") == 0

    def test_a_list_that_ends_early_has_no_primitives_left(self, bench):
        words = BASE + 0x200
        bench.put(words, b"".join(word.to_bytes(4, "little") for word in (0, 1, 2, VG_END)))
        fields = {"primitive_type": VgPrimitiveType.RHTS, "length": 100, "coordinate_array_address": words}
        bench.start(BINNING, CONFIGURED, VG, (Code.VG_COORDINATE_ARRAY_PRIMITIVES, fields), WIDTH)
        bench.run()
        assert [one.vertices for one in bench.binner.taken if isinstance(one, Primitive)] == [(0, 1)]
        assert host_of(bench.cle).read("CT0PC") == 0

    def test_an_error_in_a_compressed_list_is_where_it_is(self, bench):
        form = (
            Code.PRIMITIVE_LIST_FORMAT,
            {"primitive_type": PrimitiveType.POINTS, "data_type": PrimitiveData.INDEX_16},
        )
        bench.start(RENDERING, RENDERED, NV, form, Code.COMPRESSED_PRIMITIVE_LIST, b"\x04\x04\x02")
        bench.run()
        assert [item.vertices for item in bench.renderer.taken if isinstance(item, Primitive)] == [(1,), (2,)]
        assert bench.renderer.taken[-1] is None
        assert host_of(bench.cle).read("CT1CA") == BASE + 11 + 5 + 2 + 1 + 2


class Slow(Recorder):
    """A pipeline that takes its time: `waits` says for what, once for each step."""

    def __init__(self):
        super().__init__()
        self.waits = {}

    def record(self, record):
        super().record(record)
        while text := self.waits.get(record.code, ""):
            self.out_of_memory = True
            yield text
        self.out_of_memory = False
        yield ""


class TestPipelines:
    @pytest.fixture
    def slow(self, bench):
        pipeline = Slow()
        bench.cle = Cle(bench.memory, pipeline, bench.renderer)
        return pipeline

    def test_who_hears_of_the_end_may_start_the_next_list(self, bench, slow):
        """A driver of Mesa does: its host gives the next list as soon as the interrupt is there."""
        bench.start(BINNING, CONFIGURED, Code.FLUSH)
        while not bench.cle.interrupts:
            bench.cle.step()
        assert not host_of(bench.cle).read("CT0CS") & CTRUN
        bench.start(BINNING, Code.FLUSH, base=SUB_LISTS[0])
        assert bench.run() is Rest.STOPPED
        assert bench.cle.flush_count == 2

    def test_status_of_the_pipelines(self, bench, slow):
        slow.waits[Code.FLUSH] = "memory"
        bench.start(BINNING, CONFIGURED, Code.INCREMENT_SEMAPHORE, Code.FLUSH, WIDTH)
        assert host_of(bench.cle).read("PCS") == 0
        assert bench.run() is Rest.WAITING
        assert bench.cle.threads[BINNING].waits == "memory"
        assert host_of(bench.cle).read("PCS") == 1 << 8 | 1
        assert host_of(bench.cle).read("CT0LC") == 1 << 16  # met, but not done
        assert (host_of(bench.cle).read("BFC"), bench.status(RENDERING), bench.cle.interrupts) == (0, 0, set())
        assert len(slow.taken) == 2
        slow.waits.clear()
        bench.cle.step()
        assert host_of(bench.cle).read("PCS") == 3
        assert bench.run() is Rest.STOPPED
        assert host_of(bench.cle).read("PCS") == 0
        assert (host_of(bench.cle).read("BFC"), bench.status(RENDERING), bench.cle.interrupts) == (
            1,
            1 << 12,
            {"INT_FLDONE"},
        )
        assert len(slow.taken) == 3

    def test_a_reset_of_the_pipeline_drops_what_is_under_way(self, bench, slow):
        slow.waits[Code.FLUSH] = "memory"
        bench.start(BINNING, CONFIGURED, Code.FLUSH, WIDTH)
        bench.run()
        host_of(bench.cle).write("PCS", 1 << 5)
        assert (slow.resets, bench.renderer.resets) == (0, 1)
        assert bench.run() is Rest.WAITING
        host_of(bench.cle).write("PCS", 1 << 4)
        assert slow.resets == 1
        assert bench.run() is Rest.STOPPED
        assert bench.status(BINNING) & CTSUBS
        assert host_of(bench.cle).read("CT0CA") == BASE + 17
        host_of(bench.cle).write("CT0CS", CTSUBS)
        bench.run()
        assert host_of(bench.cle).read("BFC") == 0
        assert [item.code for item in slow.taken][-1] is Code.LINE_WIDTH

    def test_a_stopped_thread_finishes_the_record(self, bench, slow):
        bench.start(BINNING, CONFIGURED, Code.FLUSH, WIDTH)
        while len(slow.taken) < 2:
            bench.cle.step()
        host_of(bench.cle).write("CT0CS", CTRUN)
        assert bench.run() is Rest.STOPPED
        assert (host_of(bench.cle).read("BFC"), len(slow.taken)) == (1, 2)

    def test_a_reset_ends_a_list_early(self, bench):
        fields = {"primitive_mode": PrimitiveMode.POINTS, "length": 1000}
        bench.start(BINNING, CONFIGURED, NV, (Code.VERTEX_ARRAY_PRIMITIVES, fields))
        while len(bench.binner.taken) < 10:
            bench.cle.step()
        left = host_of(bench.cle).read("CT0PC")
        assert left == 1000 - 7
        host_of(bench.cle).write("CT0CS", CTRSTA)
        assert host_of(bench.cle).read("CT0PC") == 0
        bench.start(BINNING, WIDTH)
        bench.run()
        assert bench.binner.taken[10] is None
        assert bench.codes(bench.binner)[-1] is Code.LINE_WIDTH
        assert len(bench.binner.taken) == 12


def test_prefix(bench):
    bench.start(BINNING, CONFIGURED, WIDTH, Code.START_TILE_BINNING, WIDTH)
    modes = []
    while bench.cle.step()[BINNING] is Step.MOVED:
        modes.append(bench.status(BINNING) & 1)
    assert modes[0] == 1
    assert modes[-1] == 0
    assert sorted(modes, reverse=True) == modes


def test_frame_counts(bench):
    bench.start(BINNING, CONFIGURED, *[Code.FLUSH] * 300)
    bench.run()
    assert host_of(bench.cle).read("BFC") == 300 % 256
    host_of(bench.cle).write("BFC", 0xFE)
    assert host_of(bench.cle).read("BFC") == 300 % 256
    host_of(bench.cle).write("RFC", 1)
    assert host_of(bench.cle).read("BFC") == 300 % 256
    host_of(bench.cle).write("BFC", 1)
    assert host_of(bench.cle).read("BFC") == 0


def test_every_register_can_be_read_and_written(bench):
    for name in Cle.registers:
        assert host_of(bench.cle).read(name) == 0
        host_of(bench.cle).write(name, 0)
    for name in ("CT00RA0", "CT1PC", "CT01RA0"):
        host_of(bench.cle).write(name, 0xFFFFFFFF)
        assert host_of(bench.cle).read(name) == 0


class TestFrames:
    def test_all_records(self):
        """A frame with every record; the pipelines get what the lists say, in their order."""
        bench = Bench(lists.frame())
        bench.give(RENDERING, lists.RENDERING, lists.RENDERING_END)
        bench.give(BINNING, lists.BINNING, lists.BINNING_END)
        assert bench.run() is Rest.STOPPED
        assert bench.cle.interrupts == {"INT_FLDONE", "INT_FRDONE"}
        assert (host_of(bench.cle).read("BFC"), host_of(bench.cle).read("RFC")) == (1, 1)
        assert host_of(bench.cle).read("CT1LC") == lists.TILES
        codes = {
            item.code for p in (bench.binner, bench.renderer) for item in p.taken if isinstance(item, ControlRecord)
        }
        assert codes == set(Code) - SILENT - {Code.FLUSH_ALL_STATE}
        strips = [[(n, n + 1, n + 2) for n in range(0, lists.STRIP, 1 + tile)] for tile in range(lists.TILES)]
        drawn = [item for item in bench.renderer.taken if isinstance(item, Primitive)]
        assert [item.vertices for item in drawn] == sum(strips, [])
        clipped = [index for index, item in enumerate(drawn) if item.clipped]
        assert clipped == [len(strips[0]), len(strips[0]) + len(strips[1]) + len(strips[2])]

    def test_captured_frames(self, recorded):
        """Mesa's own lists, with empty tile lists: everything is executed that is printed."""
        folders = sorted((recorded / "cases/gl").glob("*/case.json"))
        assert folders
        for path in folders:
            capture = load_capture(path.parent)
            if any(BINNING in job.threads and "tile_memory" not in job.details for job in capture.jobs):
                continue  # it does not say where its tile lists are
            bench = Bench(Memory(capture.memory_size))
            for number, job in enumerate(capture.jobs):
                job.load(bench.memory)
                if "tile_memory" in job.details:
                    tiles = job.details.object("tile_memory")
                    start = tiles.integer("alloc_addr", 0, capture.memory_size)
                    bench.memory.write(start, bytes([Code.RETURN_FROM_SUB_LIST.value]) * 32 * 256)
                found = {BINNING: [], RENDERING: []}
                for thread in job.threads:
                    begin, end = (job.registers[f"CT{thread}{name}"] for name in ("CA", "EA"))
                    threads = bench.cle.threads[thread].threads
                    found[thread] = [
                        line for line in walk(bench.memory, begin, end, threads) if isinstance(line, ControlRecord)
                    ]
                    bench.give(thread, begin, end)
                assert bench.run() is Rest.STOPPED, capture.name
                assert [thread.error for thread in bench.cle.threads] == [None, None]
                assert bench.cle.frame_count == number + 1
                for thread, pipeline in ((BINNING, bench.binner), (RENDERING, bench.renderer)):
                    taken = [item.address for item in pipeline.taken if isinstance(item, ControlRecord)]
                    assert taken == [line.address for line in found[thread] if line.code not in SILENT]
                    pipeline.taken.clear()


def test_compressed_lists_move_the_address(bench):
    data = compress(ListFormat(PrimitiveType.TRIANGLES), [(0, 1, 2), (2, 1, 3)])
    form = (
        Code.PRIMITIVE_LIST_FORMAT,
        {"primitive_type": PrimitiveType.TRIANGLES, "data_type": PrimitiveData.INDEX_16},
    )
    end = bench.start(RENDERING, RENDERED, NV, form, Code.COMPRESSED_PRIMITIVE_LIST, data)
    found = []
    while bench.cle.step()[RENDERING] is Step.MOVED:
        found.append(host_of(bench.cle).read("CT1CA"))
    list_start = end - len(data)
    assert [address for address in dict.fromkeys(found) if address >= list_start] == [
        list_start,
        list_start + 7,
        list_start + 8,
        end,
    ]
