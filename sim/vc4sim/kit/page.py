"""The page of the documentation about the kit, made from the questions."""

import textwrap
from collections.abc import Iterable, Iterator

from .answers import Verdict, text_of
from .question import Question
from .run import identity
from .table import GROUPS, QUESTIONS

__all__ = ["page"]

_BY_NAME = {question.name: question for question in QUESTIONS}
#: Questions of the examples, and columns of one.
_DECIDED, _UNKNOWN, _COLUMNS = "fadd_overflow", "mul24_carry", 100

_INTRODUCTION = """\
# Questions to a chip

Much of the VideoCore IV is not documented: what is done here instead is *chosen*, and [choices](../reference/choices.md) says where.
`vc4 kit` asks a Raspberry Pi. It writes {count} questions, which are programs of a QPU and rendering lists that give another answer for
each rule that fits what is known, and a program in C that runs them and prints the answers.

## How is a chip asked?

Here, where `vc4` is:

    vc4 kit -o kit

On a Raspberry Pi 1, 2, 3, Zero or Zero 2, whose GPU this is (that of the 4 and 5 is another one), with the folder `kit`:

```
cc -std=c99 -O2 -Wall -Wextra -Werror -o kit kit.c
sudo ./kit > answers.txt
```

The program needs nothing but a C compiler, of 32 or 64 bits. It takes memory from the firmware and switches the GPU on by `/dev/vcio`, and
reaches registers and memory by `/dev/mem`. So nothing else may use the GPU: boot without a line `dtoverlay=vc4-kms-v3d` in `config.txt`, to a
console. `gpu_mem=64` there is enough. A question takes a few milliseconds. One that does not end within a second gets that as its answer,
and the GPU is switched off and on. `sudo ./kit fadd_overflow ftoi_range` asks these two.

It has been run on a stand-in for a board only, with this GPU behind it. If a question stops the board itself, ask the others by their
names, in the order of this page; the dangerous ones come last.

## What do the answers say?

    vc4 kit ask > answers.txt
    vc4 kit read answers.txt

The first command asks the model of the GPU instead, `--on native --lockstep` the RTL beside it. The second says of each answer which rule
it decides, beginning with those that are wrong here:

{read}

The status is 0 if the chip does what is done here, 1 if it does something else in one of them, 2 if the file is wrong. A file of answers is
welcome: it makes of choices facts.

{answers}

A line is a question, a fingerprint of all that the chip got, and its words; the first one has IDENT0 to IDENT2.

## The questions

*Breaks R1* and so on names [restrictions](../reference/restrictions.md) that a program breaks because what then happens is the question. All
other programs keep to them. The first candidate is what is done here.
"""
_NOT_ASKED = """\
## What is not asked?

* **Where a candidate could stop the board or the whole kit**: load immediates in modes 5 to 7, which may count semaphores; branches close to
  another one, or to addresses that are no multiple of 8; branches, switches and ends in each other's slots; uniforms after the end of a stream;
  reads that are never set up; reserved records and compressed lists; vertex shaders that use DMA.
* **What depends on time**, so that one answer decides nothing: which QPU takes a program, turns of QPUs and threads, what caches replace and
  count, order of DMA and other accesses to memory, performance counters.
* **What needs a host that meddles**: halts and single steps, stops and resets of lists, interrupts, error and debug registers.
* **Threads of fragment shaders**, and what a new program finds: accumulators, set-ups of the VPM, halves of the register files. Programs that
  a host starts have one thread, and the program before is not the kit's own.
* **Levels of detail of varyings** are those of lookups: the unit has coordinates of quads, whoever computed them. A user program asks.
* **Formats of textures**, child images, cubes, borders and FLIPY: the rules have too many parts for one program each;
  [conformance tests](../reference/conformance.md) decide some.
* **The geometry of the pipeline**: lines, RHTs, sample positions, edges, depth offsets, planes of Z and varyings, the binner's lists. Their
  candidates are formulas, not a few rules.
* **Means of samples, full dumps, coverage**: the rules have one candidate, so that there is nothing to tell apart.
"""


def page() -> str:
    """All of it."""
    lines = [_INTRODUCTION.format(count=len(QUESTIONS), read=_block(_verdicts()), answers=_block(_file()))]
    for title, questions in GROUPS.items():
        lines += [f"### {title}", "", *(line for question in questions for line in _question(question)), ""]
    return "\n".join([*lines, _NOT_ASKED])


def _block(lines: Iterable[str]) -> str:
    return "\n".join(["```", *lines, "```"])


def _verdicts() -> Iterator[str]:
    """What is said of a chip that has another rule, and of one with a rule that is nobody's."""
    for name, answer in ((_DECIDED, _BY_NAME[_DECIDED].candidates[1].answer), (_UNKNOWN, (5,) * 16)):
        yield from Verdict(_BY_NAME[name], answer).lines()


def _file() -> Iterator[str]:
    """The first lines of a file of answers, cut off."""
    answers = {_BY_NAME[_DECIDED]: _BY_NAME[_DECIDED].chosen.answer, _BY_NAME[_UNKNOWN]: None}
    yield from (
        textwrap.shorten(line, _COLUMNS, placeholder=" ...") for line in text_of(identity(), answers).splitlines()
    )


def _question(question: Question) -> Iterator[str]:
    breaks = f"; breaks {', '.join(sorted(question.breaks))}" if question.breaks else ""
    yield f"* `{question.name}` ([choice](../reference/{question.page}){breaks}): {question.asks}"
    yield from (f"  * {candidate.rule}" for candidate in question.candidates)
