"""What a session shows, as lines of text: the same in the console and in the terminal interface."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from vc4.isa.registers import ELEMENTS
from vc4.isa.word import WORD_BYTES

from ..workload.compare import WORD_BYTES as DATA_BYTES
from .conditions import AtAddress
from .expression import evaluate, memory_place
from .formats import Format, table
from .listing import Line
from .session import Reason, Session, Stop
from .state import ACCUMULATORS, FILES, FLAGS, next_uniforms, suspended_pc, vector

__all__ = [
    "GROUPS",
    "breakpoint_lines",
    "line_text",
    "register_lines",
    "source_lines",
    "stop_lines",
    "uniform_lines",
    "value_lines",
    "where_lines",
    "word_lines",
]

#: Registers that are shown together.
GROUPS = {"accumulators": (*ACCUMULATORS, *FLAGS), "a": FILES[0], "b": FILES[1]}
_NAME = 6


def line_text(line: Line, width: int = 0) -> str:
    """An instruction: address, place in the source if there is one, text; the place takes `width` columns at least."""
    place = f"{line.place:{width}}  " if width or line.place else ""
    return f"{line.address:#010x}  {place}{line.text}"


def stop_lines(session: Session, stop: Stop | None) -> Iterator[str]:
    """Why a run has stopped, if it has run, and where it is now."""
    if stop:
        yield from _reason_lines(stop)
    yield f"{session.target.position}: {_where(session, session.qpu)}"


def _reason_lines(stop: Stop) -> Iterator[str]:
    if stop.effects:
        yield f"    {stop.effects}"
    if stop.breakpoint is not None:
        yield f"breakpoint {stop.breakpoint}: {stop.text}"
    elif stop.text:
        yield stop.text
    elif stop.reason in (Reason.BEGINNING, Reason.INTERRUPTED):
        yield stop.reason.value


def _where(session: Session, qpu: int) -> str:
    line = session.line(qpu)
    if line is None:
        return f"QPU {qpu} runs nothing"
    short = replace(line, text=" ".join(line.text.split()))  # comments stand in a column of their own
    return f"QPU {qpu} at {line_text(short)}"


def where_lines(session: Session) -> Iterator[str]:
    """Where all QPUs are that run something, what they wait for, and what kind of program it is."""
    yield f"position {session.target.position}"
    for qpu in range(session.qpus):
        if session.line(qpu) is not None:
            wait = session.target.wait_of(qpu)
            mark = "*" if qpu == session.qpu else " "
            thread = session.target.gpu.qpus[qpu].thread
            kind, _ = session.target.launches.get((qpu, thread), ("", None))
            waits = f"  (waits for {wait})" if wait else ""
            yield f"{mark} {_where(session, qpu)}  [{kind}, thread {thread}]{waits}"
            suspended = suspended_pc(session.target.gpu, qpu)
            if suspended is not None:
                line = session.listing.line(suspended, session.target.memory)
                yield f"    suspended at {line_text(line)}  [thread {1 - thread}]"


def source_lines(session: Session, address: int | None, count: int) -> Iterator[str]:
    """So many instructions around an address, or around that of the QPU; `>` is where it is, `*` has a breakpoint."""
    lines = _lines(session, address, count)
    width = max((len(line.place) for line in lines), default=0)
    return _marked(session, lines, (line_text(line, width) for line in lines))


def word_lines(session: Session, address: int | None, count: int) -> Iterator[str]:
    """The same as words, with their disassembly and, after `#`, their places in the source."""
    lines = _lines(session, address, count)
    return _marked(session, lines, map(_word_text, lines))


def _word_text(line: Line) -> str:
    word = "-" * 16 if line.word is None else f"{line.word:016x}"
    place = f"  # {line.place}" if line.place else ""
    return f"{line.address:#010x}  {word}  {line.disassembly}{place}"


def _lines(session: Session, address: int | None, count: int) -> list[Line]:
    """So many instructions from an address on, as far as memory goes, or around that of the QPU."""
    current, memory = session.line(), session.target.memory
    if address is None and current is None:
        return []
    first = address if address is not None or current is None else current.address - count // 2 * WORD_BYTES
    assert first is not None
    end = memory.base + len(memory.data) - WORD_BYTES
    places = (first + number * WORD_BYTES for number in range(count))
    return [session.listing.line(place, memory) for place in places if memory.base <= place <= end]


def _marked(session: Session, lines: Sequence[Line], texts: Iterable[str]) -> Iterator[str]:
    """Texts of instructions with their marks."""
    conditions = (one.condition for one in session.breakpoints.values())
    broken = {one.address for one in conditions if isinstance(one, AtAddress)}
    here = session.line()
    for line, text in zip(lines, texts, strict=True):
        is_here = here is not None and line.address == here.address
        yield f"{'*' if line.address in broken else ' '}{'>' if is_here else ' '} {text}"
    if not lines:
        yield "there are no instructions"


def register_lines(session: Session, names: Sequence[str], format_: Format) -> Iterator[str]:
    """Registers of the QPU that is selected; a row each if all elements are the same."""
    gpu, qpu = session.target.gpu, session.qpu
    for name in names:
        words = vector(gpu, qpu, name).tolist()
        if name in FLAGS:
            yield f"{name:{_NAME}}{''.join(map(str, words))}"
        else:
            yield from _named(name, table(words, format_))


def _named(name: str, rows: Sequence[str]) -> Iterator[str]:
    """Rows with a name before the first one."""
    for number, row in enumerate(rows):
        yield f"{name if number == 0 else '':{_NAME}}{row}"


def value_lines(session: Session, text: str, format_: Format) -> Iterator[str]:
    """A value, see `evaluate`; memory with its addresses. Raises `BadInput`."""
    value = evaluate(text, session.target.gpu, session.qpu, session.listing)
    words = value.words.tolist()
    if not text.startswith("["):
        yield from _named(text, table(words, format_)) if len(words) > 1 else [f"{text} = {format_.text(words[0])}"]
        return
    address, _ = memory_place(text, session.listing)
    for first in range(0, len(words), ELEMENTS):
        rows = table(words[first : first + ELEMENTS], format_)
        yield f"{address + DATA_BYTES * first:#010x}"
        yield from (f"  {row}" for row in rows)


def uniform_lines(session: Session, count: int) -> Iterator[str]:
    """The next uniforms of the QPU that is selected."""
    found = next_uniforms(session.target.gpu, session.qpu, count)
    for address, word in found:
        yield f"{address:#010x}  {Format.HEX.text(word)}  {Format.SIGNED.text(word)}  {Format.FLOAT.text(word)}"
    if not found:
        yield "there is no uniform left"


def breakpoint_lines(session: Session) -> Iterator[str]:
    """All breakpoints."""
    for one in session.breakpoints.values():
        yield f"{one.number}: {one.condition}"
    if not session.breakpoints:
        yield "there are no breakpoints"
