"""The page of what a host and a board say to each other."""

from vc4.boards.facts import CONFIG_FIELDS
from vc4.boards.protocol import (
    ANSWER_START,
    COMMANDS,
    MOST_WORDS,
    REQUEST_START,
    WORD_BYTES,
    Answer,
    Fact,
    Request,
    StateBit,
    Status,
)
from vc4.errata import Erratum

from .markdown import section, table
from .texts import docs_of, fields_of, member_texts

__all__ = ["page"]

_INTRODUCTION = f"""# Protocol of boards

What a host and a [board](../user/boards.md) say to each other over a serial line, or over any other stream of bytes: eight bits, no
parity, one stop bit. A host sends a request, waits for its answer, and sends the next one. `vc4.boards.protocol` has the
numbers, from which this page, the hardware and the host are made.

A frame is a first byte, {REQUEST_START:#04x} for a request and {ANSWER_START:#04x} for an answer; a header; words of {WORD_BYTES} bytes,
{MOST_WORDS} at the most; and a check of four bytes, the CRC-32 of Ethernet (`zlib.crc32`) over header and words. All numbers have
their lowest byte first.
"""
_LOST = """When the line damages a byte, loses one or adds one, the check is wrong, or the frame does not come to its end. The board drops such a
request, without an answer, and does nothing. A request also ends when the next byte does not come within GAP_CLOCKS, a
twentieth of a second, and the board looks for a first byte again. It ignores everything that comes between a request and the end of
the answer to it.

A host that gets no undamaged answer in time sends nothing for longer than GAP_CLOCKS, and then the same request again, with the same
number. The board has either not seen it before, or it has done it: then it sends the same answer again, and does nothing. So each
request is done once, which matters for registers, where a read or a write may start something. A request with any other
number than the same or the next one is dropped. CONNECT is taken with any number: with it a host begins, and begins again."""


def page() -> str:
    """The page."""
    lines = [_INTRODUCTION]
    for title, layout in (("Requests", Request), ("Answers", Answer)):
        lines += section(title, f"{docs_of(layout)[:-1]}:")
        lines += table(
            ("bytes", "field", "is"), ((_bytes(one), f"`{one.name}`", one.text) for one in fields_of(layout))
        )
    lines += section("Commands")
    head = ("number", "command", "does", "`address`", "words of the request", "words of the answer")
    lines += table(
        head,
        (
            (f"{command.value}", f"`{command.name}`", form.does, form.address, form.carries, form.answers)
            for command, form in COMMANDS.items()
        ),
    )
    lines += section("Status", docs_of(Status))
    lines += table(("value", "name", "means"), _members(Status))
    lines += section("What if bytes are lost?", _LOST)
    lines += section("Facts", "What CONNECT and FACTS answer, a word each:")
    lines += table(("word", "fact", "is"), _members(Fact))
    lines += ["Bits of STATE:", "", *table(("bit", "name", "1"), _members(StateBit))]
    lines += ["Bits of CONFIG, by the fields of [`V3DConfig`](python/config.md):", ""]
    lines += table(
        ("bits", "field"),
        (
            (f"{one.low + one.width - 1}:{one.low}" if one.width > 1 else f"{one.low}", f"`{one.name}`")
            for one in CONFIG_FIELDS
        ),
    )
    lines += ["Bits of ERRATA, see [errata](errata.md):", ""]
    lines += table(("bit", "fault"), ((f"{bit}", f"{one}: {one.value}") for bit, one in enumerate(Erratum)))
    return "\n".join(lines).rstrip() + "\n"


def _bytes(field) -> str:
    """Of a frame, whose first one is number 0."""
    first, last = 1 + field.low // 8, (field.low + field.width) // 8
    return f"{first}" if first == last else f"{first} to {last}"


def _members(kind) -> list[tuple[str, str, str]]:
    texts = member_texts(kind)
    return [(f"{one.value}", f"`{one.name}`", texts[one.name]) for one in kind]
