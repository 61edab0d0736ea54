"""The rules along the path that a run takes, with its values."""

import struct

import pytest

from vc4.config import preset
from vc4.isa.word import NOP_WORD
from vc4sim.asm import assemble
from vc4sim.backends import model
from vc4sim.backends.base import Ending, Job, Launch
from vc4sim.checker import Broken, Strict, check
from vc4sim.events import ALL_ELEMENTS, Retirement, Write

BASE, SIZE = 0x1000, 0x400
END = "thrend | nop | nop"


@pytest.fixture
def run(breaches):
    """Runs a source on the model; gives the breaches as (rule, instruction, instruction of the trigger)."""

    def run(text, uniforms=(), entries=(0,)):
        source = text if "thrend" in text else f"{text} | {END}"
        code = assemble(source.replace(" | ", "\n")).code.ljust(SIZE, b"\0")
        image = code + struct.pack(f"<{len(uniforms)}I", *uniforms)
        launches = tuple(Launch(BASE + 8 * entry, BASE + SIZE) for entry in entries)
        told = []
        job = Job(image=image, base=BASE, launches=launches, config=preset("qpu"), max_cycles=4000)
        outcome = model.run(job, told.append)
        found = breaches(BASE, len(image), told)
        assert found or outcome.ending is Ending.DONE
        return [(one.hazard.rule, one.offset // 8, one.trigger // 8) for one in found]

    return run


def statically(text):
    """The breaches that are seen without running."""
    source = text if "thrend" in text else f"{text} | {END}"
    found = check(assemble(source.replace(" | ", "\n")).words)
    return [(one.hazard.rule, one.offset // 8, one.trigger // 8) for one in found]


def events(text, base=BASE, qpu=0, thread=0):
    """Instructions that run one after the other, as far as the checker wants to know."""
    words = assemble(text.replace(" | ", "\n")).words
    return [Retirement(qpu, thread, base + 8 * index, word) for index, word in enumerate(words)]


class TestPaths:
    SKIP = "mov.setf -, {} | brr.allz -, r:skip | nop | nop | mov ra1, r0 | mov r1, r0 | nop | skip: | mov r0, ra1"

    def test_only_the_way_that_is_taken(self, run):
        assert statically(self.SKIP.format(0)) == [("R1", 7, 4)]
        assert run(self.SKIP.format(0)) == [("R1", 7, 4)]
        assert run(self.SKIP.format(1)) == []

    def test_a_loop_comes_back_to_its_beginning(self, run):
        loop = (
            "mov r0, 2 | nop | loop: | mov r1, ra1 | sub.setf r0, r0, 1 | brr.allnz -, r:loop | nop | nop | mov ra1, r0"
        )
        assert run(loop) == [("R1", 2, 7)]

    def test_behind_a_branch_to_a_register(self, run):
        """Where it goes, only the run knows."""
        jump = f"ldi ra0, {BASE + 8 * 7} | nop | bra -, ra0 | nop | nop | mov ra1, r0 | .long 0 | mov r0, ra1 | {END}"
        assert statically(jump) == []
        assert run(jump) == [("R1", 7, 5)]

    def test_every_launch_is_a_path_of_its_own(self, run):
        assert run(f"mov r0, ra1 | thrend | nop | mov ra1, r0 | mov r0, ra1 | {END}", entries=(0, 0, 4)) == []

    def test_the_end(self, run):
        assert run("thrend | mov r0, unif | mov ra14, r0", [7]) == [("R18", 1, 0), ("R18", 2, 0)]

    def test_a_target_outside_of_memory(self, run):
        assert run("brr -, 0x4000 | nop | nop | nop") == [("R27", 0, 0)]

    def test_a_branch_that_is_not_taken_leads_nowhere(self, run):
        branch = "mov.setf -, 1 | brr.allz -, 0x4000 | nop | nop | nop"
        assert statically(branch) == [("R27", 1, 1)]
        assert run(branch) == []

    def test_the_last_slot_of_a_branch_may_be_the_last_word(self, run):
        last = SIZE // 8 - 4
        text = " | ".join(["brr -, {}", *["nop"] * 3, "thrend", *["nop"] * (last - 5), "brr -, {}", *["nop"] * 3])
        assert run(text.format(8 * (last - 4), -8 * last)) == []

    def test_code_that_the_program_has_written(self):
        """What has run counts, whatever the same address held the time before."""
        strict = Strict(BASE, 64)
        for event in events("nop | mov ra1, r0"):
            strict(event)
        (again,) = events("mov r0, ra1")
        with pytest.raises(Broken, match="mov ra1, r0\n.*mov r0, ra1") as broken:
            strict(again)
        assert (broken.value.rule, broken.value.number) == ("R1", 3)


class TestValues:
    FIRST, ALL = "mov.setf -, elem_num | {}", "mov.setf -, 0 | {}"

    @pytest.mark.parametrize(
        ("rule", "text"),
        [
            ("R1", "mov.ifz ra1, r0 | mov.ifz r0, ra1"),
            ("R22", "mov.ifz r0, r1; mov r0, r2"),
            ("R23", "ldi vw_setup, 0x1a00 | mov.ifn vpm, r0"),
        ],
    )
    def test_elements_that_meet(self, run, rule, text):
        assert [one[0] for one in run(self.FIRST.format(text))] == [rule]
        assert rule in {one[0] for one in statically(self.FIRST.format(text))}

    @pytest.mark.parametrize(
        ("text", "rule"),
        [
            ("mov.ifn ra1, r0 | mov r0, ra1", "R1"),  # nothing is written
            ("mov.ifz ra1, r0 | mov.ifn r0, ra1", "R1"),  # conditions that are not opposite, but never meet
            ("mov.ifnz r0, r1; mov.ifn r0, r2", "R22"),
            ("ldi vw_setup, 0x1a00 | mov.ifz vpm, r0", "R23"),  # everything is written
        ],
    )
    def test_elements_that_do_not_meet(self, run, text, rule):
        assert run(self.ALL.format(text)) == []
        assert [one[0] for one in statically(self.ALL.format(text))] == [rule]

    @pytest.mark.parametrize(("amount", "rules"), [(0, []), (16, []), (3, ["R4"])])
    def test_a_rotation_by_nothing_is_none(self, run, amount, rules):
        for operand in ("ra1", "elem_num"):
            text = f"mov r5rep, unif | nop | mov r0, {operand} >> r5"
            assert [one[0] for one in run(text, [amount])] == rules
            assert [one[0] for one in statically(text)] == ["R4"]

    def test_an_amount_that_is_not_known(self, run):
        assert [one[0] for one in run("mov r0, ra1 >> r5")] == ["R4"]

    def test_the_amount_is_element_0(self, run):
        """A write that leaves element 0 alone does not change it."""
        text = "mov r5rep, unif | mov.setf -, {} | mov.ifz r5quad, 0 | nop | mov r0, ra1 >> r5"
        assert [one[0] for one in run(text.format("elem_num"), [4])] == []
        assert [one[0] for one in run(text.format("qpu_num"), [4])] == []
        assert [one[0] for one in run(text.replace(".ifz", ".ifnz").format("elem_num"), [4])] == ["R4"]

    def test_a_varying_changes_the_amount(self):
        by_r5 = events("mov r0, ra1 >> r5")[0]
        strict = Strict(BASE, 64)
        strict(Retirement(0, 0, BASE, NOP_WORD, writes=(Write("r5rep", ALL_ELEMENTS, 0b1111, bytes(64)),)))
        strict(by_r5)
        for event in events("mov r0, vary | nop"):
            strict(event)
        with pytest.raises(Broken, match="warning R4"):
            strict(by_r5)

    def test_a_branch_that_is_not_taken_writes_nothing(self, run):
        text = "mov.setf -, {} | brr.allz ra1, r:on | mov r0, ra1 | nop | nop | on: | nop"
        assert run(text.format(0)) == [("R1", 2, 1)]
        assert run(text.format(1)) == []


class TestElements:
    """Only what is read has to be there: of an address element 0, of a target element 15 (addendum), of r5 element 0, and of
    a rotation what comes from a later quad (restriction R2).
    """

    IN = "sub.setf -, elem_num, {} | {}"

    @pytest.mark.parametrize(
        ("text", "needed", "rule"),
        [
            ("mov.ifz ra1, r0 | mov vw_setup, ra1", 0, "R1"),
            ("mov.ifz ra1, r0 | mov vr_setup, ra1", 0, "R1"),
            ("mov.ifz ra1, r0 | mov r5rep, ra1", 0, "R1"),
            ("mov.ifz ra1, r0 | mov r5quad, ra1", 8, "R1"),
            ("mov.ifz r5quad, r0 | mov r1, r2 >> r5", 0, "R3"),
            ("mov.ifz r5rep, r0 | mov r1, r2 >> r5", 0, "R3"),
            ("mov.ifz vr_setup, r0", 0, "R23"),
        ],
    )
    def test_what_a_register_takes(self, run, text, needed, rule):
        """R23 is about the opposite: an element that is taken and not written."""
        for element in (needed, 5):
            found = [one[0] for one in run(self.IN.format(element, text))]
            assert (rule in found) == ((element == needed) != (rule == "R23")), element

    def test_uniforms(self, run):
        text = f"ldi r0, {BASE + SIZE} | sub.setf -, elem_num, {{}} | mov.ifz ra1, r0 | mov unif_addr, ra1 | ldi unif_addr, {BASE + SIZE}"
        assert [one[0] for one in run(text.format(0), [1])] == ["R1"]
        assert run(text.format(1), [1]) == []

    def test_the_target_of_a_branch(self, run):
        text = f"ldi ra1, {BASE + 8 * 8} | sub.setf -, elem_num, {{}} | ldi r0, {BASE + 8 * 8} | mov.ifz ra1, r0 | bra -, ra1 | nop | nop | nop"
        assert [one[0] for one in run(text.format(15))] == ["R1"]
        assert run(text.format(0)) == []

    @pytest.mark.parametrize(
        ("written", "read", "amount", "rules"),
        [
            (15, 0, 1, ["R2"]),  # from the last quad to the first
            (15, 0, 12, []),  # element 4 comes to 0
            (14, 15, 1, []),  # inside of a quad
            (0, 4, 4, []),  # to a later quad
            (4, 0, 12, ["R2"]),
            (4, 5, 12, []),  # element 9 comes to 5
        ],
    )
    def test_rotations(self, run, written, read, amount, rules):
        """Of one element Z is set, of another N."""
        values = [{written: 0, read: -1}.get(element, 1) for element in range(16)]
        text = f"ldi r3, {values} | mov.setf -, r3 | mov.ifz r0, r1 | mov.ifn r2, r0 >> {amount}"
        assert [one[0] for one in run(text)] == rules
        assert [one[0] for one in statically(text)] == ["R2"]

    def test_an_operand_that_is_taken_nowhere(self, run):
        text = "mov.setf -, {} | mov recip, r0 | mov.ifz r1, r4"
        assert [one[0] for one in run(text.format(0))] == ["R5"]
        assert run(text.format(1)) == []


class TestAllowed:
    def test_rules_are_left_out(self):
        strict = Strict(BASE, 64, allowed={"R1"})
        for event in events("mov ra1, r0 | mov r0, ra1"):
            strict(event)
        assert strict.retired == 2


class TestCounts:
    """What the checker cannot know, a run does: how often a loop runs, and words that are computed."""

    def test_lookups_of_a_loop(self):
        """Four are reliable (addendum)."""
        for count, broken in ((4, False), (5, True)):
            strict, found = Strict(BASE, 64), False
            word = events("mov t0s, r0")[0]
            for _ in range(count):
                try:
                    strict(word)
                except Broken as one:
                    found = one.rule == "R34"
            assert found == broken

    def test_a_set_up_that_is_computed(self, run):
        """Two vectors of the first are left (addendum, QPU reading of VPM)."""
        text = "mov vr_setup, unif | mov vr_setup, unif | mov r0, vpm | mov r0, vpm"
        assert statically(text) == []
        assert run(text, [0x0020_1A00, 0x0020_1A02]) == [("R33", 1, 1)]
        assert run(text, [0x0010_1A00, 0x0030_1A02]) == []


def test_threads_have_paths_of_their_own():
    text = "mov ra1, r0 | mov r0, ra1"
    first, second = events(text)
    strict = Strict(BASE, 64)
    strict(first)
    strict(events(text, qpu=1)[1])
    strict(events(text, thread=1)[1])
    with pytest.raises(Broken):
        strict(second)


def test_threads_share_flags():
    """A condition that holds in all elements is none, whichever thread has seen to that."""
    strict = Strict(BASE, 64)
    strict(Retirement(0, 0, BASE, NOP_WORD, flags=(0, ALL_ELEMENTS, 0)))
    strict(events("mov.ifz t0s, r0", thread=1)[0])
    with pytest.raises(Broken, match="R23"):
        strict(events("mov.ifz t0s, r0", qpu=1)[0])


def test_the_text():
    strict = Strict(BASE, 64)
    first, second = events("mov ra1, r0 | mov r0, ra1")
    strict(first)
    with pytest.raises(Broken) as broken:
        strict(second)
    assert str(broken.value).splitlines() == [
        "0x00001008: error R1: a register is not read in the instruction after the one that writes it",
        "    0x00001000  mov ra1, r0",
        "    0x00001008  mov r0, ra1",
        "    found: reads ra1, right after an instruction that writes ra1",
        "    chip:  The register file is written after the next instruction has read it.",
        "    here:  The reader gets the old value, however long it waits.",
    ]
