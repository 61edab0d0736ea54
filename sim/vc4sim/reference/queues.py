"""The page of the queues that timelines show."""

from ..queues import LEVEL_CLOCKS, QUEUES, Queue
from .markdown import section, table

__all__ = ["page"]

_INTRODUCTION = f"""\
# Queues between blocks

What [a timeline](../user/profiling.md#what-happened-when) shows of the RTL under `queues`: a counter for each queue that a run
uses. Where it is full, what comes after it holds what comes in front; where it is empty, what comes after it waits.

A counter is the highest level in {LEVEL_CLOCKS} clocks, so a queue that was full for one of them is seen. An item counts until it has left; an
item of an empty queue that goes on at once counts for a clock or two. This page is made from `sim/vc4sim/queues.py`, which has the name of the
register that is read: the hardware has nothing for it."""


def _rows(*, of_qpu: bool) -> list[tuple[str, ...]]:
    return [(_name(one), f"{one.depth}", one.items, one.doc) for one in QUEUES if one.of_qpu == of_qpu]


def _name(queue: Queue) -> str:
    return f"`{queue.name.format(tmu='0')}`" + ", `1`" * ("{tmu}" in queue.name)


def page() -> str:
    """The page, in Markdown."""
    head = ("queue", "places", "items", "what is in it")
    lines = [_INTRODUCTION, ""]
    names = "Each QPU has them. A texture unit that is alone in its slice has queues for both names that programs have for units."
    lines += section("Of a QPU", names)
    lines += table(head, _rows(of_qpu=True))
    lines += section("Of the GPU", "Those that a configuration lacks are left out.")
    lines += table(head, _rows(of_qpu=False))
    return "\n".join(lines).rstrip() + "\n"
