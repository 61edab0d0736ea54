"""Commands of the console, also for other ways to the debugger."""

import cmd
import re
import shlex
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from typing import IO

from ...problem import BadInput
from ...workload.layout import number_of
from ..conditions import Condition
from ..expression import condition, format_of, with_format
from ..formats import Format
from ..session import Session, Stop
from ..state import FLAGS
from ..text import (
    GROUPS,
    breakpoint_lines,
    register_lines,
    source_lines,
    stop_lines,
    uniform_lines,
    value_lines,
    where_lines,
    word_lines,
)

__all__ = ["Console"]

#: Instructions of `list`, and uniforms, if it is not said how many.
_LINES, _UNIFORMS = 11, 8
_MOST = 1 << 31
#: What is set, and to what.
_SET = re.compile(r"(\[[^\]]*\]|\S+)(.*)")
_FORMATS = tuple(each.value for each in Format)


class Console(cmd.Cmd):
    """A command is a line of text; what it has to say goes to `stdout`. Wrong ones raise `BadInput`."""

    prompt = "(vc4) "

    def __init__(self, session: Session, stdout: IO[str] | None = None):
        super().__init__(stdout=stdout)
        self.session = session

    # What `cmd` asks for.

    def precmd(self, line: str) -> str:
        """A Ctrl-C at the prompt stops nothing."""
        self.session.forget_interrupt()
        return line

    def emptyline(self) -> bool:
        """Nothing."""
        return False

    def default(self, line: str) -> bool:
        """A beginning of one command is that command."""
        name, rest, _ = self.parseline(line)
        found = [one for one in self.names() if name and one.startswith(name)]
        if len(found) != 1:
            what = f"which of {', '.join(found)}" if found else "there is no such command, help lists them"
            raise BadInput(f"{line}: {what}")
        return self.onecmd(f"{found[0]} {rest or ''}")

    def names(self) -> list[str]:
        """Of all commands."""
        return sorted(
            name.removeprefix("do_") for name in self.get_names() if name.startswith("do_") and name != "do_EOF"
        )

    def onecmd(self, line: str) -> bool:
        """Carry out a line; what follows a `#` is a comment. Returns whether the session shall end. Raises `BadInput`."""
        return bool(super().onecmd(line.partition("#")[0].strip()))

    def say(self, lines: Iterable[str]) -> None:
        """Lines for people."""
        for line in lines:
            print(line, file=self.stdout)

    def do_help(self, arg: str) -> None:
        """`help [COMMAND]`: what commands do."""
        if not arg:
            self.say(self._help(name)[0] for name in self.names())
        elif arg not in self.names():
            raise BadInput(f"help {arg}: there is no such command")
        else:
            self.say(self._help(arg))

    def _help(self, name: str) -> list[str]:
        """What is said of a command, its use first: the documentation of its method."""
        return cleandoc(getattr(self, f"do_{name}").__doc__).replace("`", "").splitlines()

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        """What can follow a command, for the Tab key: labels, registers and formats."""
        listing = self.session.listing
        names = (*listing.labels, *listing.buffers, *(name for group in GROUPS.values() for name in group), *_FORMATS)
        return [name for name in names if name.startswith(text)]

    # How a run goes on.

    def do_step(self, line: str) -> None:
        """`step [N]`: one instruction of the QPU that is selected, or N of them. The other QPUs go on meanwhile."""
        self._stopped(self.session.step(self._count(line)))

    def do_next(self, line: str) -> None:
        """`next [N]`: the same, but a branch, an end or a thread switch is one step with its delay slots."""
        self._stopped(self.session.over(self._count(line)))

    def do_continue(self, line: str) -> None:
        """`continue`: go on until a breakpoint, or the end."""
        self._none(line)
        self._stopped(self.session.proceed())

    def do_finish(self, line: str) -> None:
        """`finish`: go on until the program of the QPU has ended, or a breakpoint."""
        self._none(line)
        self._stopped(self.session.finish())

    def do_until(self, line: str) -> None:
        """`until WHAT`: go on until WHAT, see `help break`, or a breakpoint, or the end."""
        self._stopped(self.session.until(self._condition(line)))

    def do_back(self, line: str) -> None:
        """`back [N], back next [N]`: undo instructions, as `step` and `next` make them.
        back continue: go back to the breakpoint that was met last, or to the beginning.
        back until WHAT: go back to where WHAT, see `help break`, was met last.
        """
        how, _, rest = line.partition(" ")
        if how == "continue":
            self._none(rest)
            stop = self.session.back_to_breakpoint()
        elif how == "until":
            stop = self.session.back_until(self._condition(rest))
        elif how == "next":
            stop = self.session.back_over(self._count(rest))
        else:
            stop = self.session.back(self._count(rest if how == "step" else line))
        self._stopped(stop)

    def do_goto(self, line: str) -> None:
        """`goto POSITION`: go on or back to a position, the number before every stop."""
        self._stopped(self.session.go_to(self._count(line, needed=True)))

    # Breakpoints.

    def do_break(self, line: str) -> None:
        """`break WHAT`: stop a run at
        PLACE            an instruction: LABEL, LABEL+INSTRUCTIONS, FILE:LINE, :LINE or an address
        REGISTER         that an instruction writes: r0 to r5, ra0, rb31, vw_addr, t0s ...; flags
        [PLACE, BYTES]   memory that is written; [PLACE] are 64 bytes; PLACE may be &BUFFER or &BUFFER+BYTES
        stall            a QPU that cannot go on
        start [KIND]     a program that begins: user, fragment, vertex, coordinate
        With `qpu N` after it, only QPU N counts.
        """
        one = self.session.add(self._condition(line))
        self.say([f"breakpoint {one.number}: {one.condition}"])

    def do_breakpoints(self, line: str) -> None:
        """`breakpoints`: all of them."""
        self._none(line)
        self.say(breakpoint_lines(self.session))

    def do_delete(self, line: str) -> None:
        """`delete N`: a breakpoint is gone."""
        self.session.remove(self._count(line, needed=True))

    def do_set(self, line: str) -> None:
        """`set WHAT VALUE ...`: change a register, one value for all elements or sixteen; an element of one (r0[3]); a flag; memory,
        [PLACE] and as many words as there are values. A value is an integer, a float with a dot, or &BUFFER; of a flag, 0 or 1.
        From then on the run is another one: to go back undoes the change, and to go on again makes it again.
        """
        match = _SET.fullmatch(line.strip())
        if not match:
            raise BadInput("set: it must be said what")
        self.session.set(match[1], match[2].replace(",", " ").split())
        is_flag = match[1] in FLAGS
        self.say(
            register_lines(self.session, [match[1]], Format.HEX)
            if is_flag
            else value_lines(self.session, match[1], Format.HEX)
        )

    # What there is to see.

    def do_qpu(self, line: str) -> None:
        """`qpu N`: steps and registers are those of QPU N."""
        self.session.select(self._count(line, needed=True))
        self._stopped(None)

    def do_where(self, line: str) -> None:
        """`where`: where all QPUs are, and what they wait for."""
        self._none(line)
        self.say(where_lines(self.session))

    def do_print(self, line: str) -> None:
        """`print WHAT [FORMAT]`: a register, an element of one (r0[3]), a flag (n, z, c), pc, unif (the next uniform), memory
        ([PLACE], [PLACE, BYTES]) or a place. FORMAT is hex, signed, unsigned, float, bytes, halves or half_floats.
        """
        what, format_ = with_format(line)
        if not what:
            raise BadInput("print: it must be said what")
        self.say(value_lines(self.session, what, format_))

    def do_registers(self, line: str) -> None:
        """`registers [accumulators|a|b] [FORMAT]`: r0 to r5 and flags, or a register file; see `help print` for FORMAT."""
        words = self._words(line, 2)
        group = words.pop(0) if words and words[0] in GROUPS else "accumulators"
        format_ = format_of(words.pop(0)) if words else Format.HEX
        if words:
            raise BadInput(f"{words[0]}: the groups are {', '.join(GROUPS)}")
        self.say(register_lines(self.session, GROUPS[group], format_))

    def do_uniforms(self, line: str) -> None:
        """`uniforms [N]`: the next ones that the program reads."""
        self.say(uniform_lines(self.session, self._count(line, _UNIFORMS)))

    def do_list(self, line: str) -> None:
        """`list [PLACE] [N]`: N instructions from PLACE on, or around the next one."""
        self.say(source_lines(self.session, *self._place(line)))

    def do_disassemble(self, line: str) -> None:
        """`disassemble [PLACE] [N]`: the same as words, with what they are, wherever they are from."""
        self.say(word_lines(self.session, *self._place(line)))

    def do_quit(self, line: str) -> bool:
        """`quit`: the end of the session."""
        self._none(line)
        return True

    def do_EOF(self, line: str) -> bool:
        """The input has ended."""
        print(file=self.stdout)
        return True

    def _stopped(self, stop: Stop | None) -> None:
        self.say(stop_lines(self.session, stop))

    def _condition(self, line: str) -> Condition:
        return condition(line, self.session.listing, self.session.qpus)

    @staticmethod
    def _words(line: str, most: int) -> list[str]:
        """The words of a line, at most so many. Raises `BadInput`."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise BadInput(f"{line}: {error}") from None
        if len(words) > most:
            raise BadInput(f"{words[most]}: is one word too many")
        return words

    def _place(self, line: str) -> tuple[int | None, int]:
        """Where instructions are to be shown, and how many."""
        words = self._words(line, 2)
        count = self._count(words.pop(), _LINES) if len(words) == 2 else _LINES
        return self.session.listing.locate(words[0]) if words else None, count

    def _none(self, line: str) -> None:
        self._words(line, 0)

    def _count(self, line: str, otherwise: int = 1, *, needed: bool = False) -> int:
        """A number of things."""
        words: Sequence[str] = self._words(line, 1)
        if not words:
            if needed:
                raise BadInput("a number is missing")
            return otherwise
        count = number_of(words[0])
        if count is None or not (0 if needed else 1) <= count <= _MOST:
            raise BadInput(f"{words[0]}: must be an integer from {0 if needed else 1} to {_MOST}")
        return count
