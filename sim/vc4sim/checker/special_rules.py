"""The rules that the table says in words only, a function each."""

from vc4.isa.decode import decode
from vc4.isa.hazards import Hazard
from vc4.isa.word import WORD_BYTES

from .effects import Does
from .path_state import Memory, Turn
from .rule import Breaches, Rule
from .scoreboard import HELD
from .table_rules import ALONE
from .threads import THREADS, Threads, is_switch
from .tmu import LOOKUPS, PARAMETER_WRITES, PARAMETERS, RESULTS, UNDER_WAY, Counts
from .vpm import UNREAD, Unread, read_setup, rows_read

__all__ = ["WHOLE"]

#: Most parameters of a lookup, s among them.
_MOST_PARAMETERS = 4
#: Lookups that a chip keeps apart reliably.
_MOST_LOOKUPS = 4
#: Writes that give uniforms a new address.
_ADDRESSES = ("unif_addr", "unif_addr_rel")


def _lookups(hazard: Hazard, turn: Turn, counts: Counts) -> Breaches:
    """R13: a fifth parameter, or parameters that wait where a branch leads to."""
    if any(counts) and turn.branch is not None:
        yield turn.branch, "a branch leads here, where parameters wait for s"
    for act in turn.acts.of(hazard.trigger):
        if counts[PARAMETER_WRITES[str(act.what)]] >= _MOST_PARAMETERS:
            yield turn.offset, f"{act} after {_MOST_PARAMETERS} parameters"


def _switches(_hazard: Hazard, turn: Turn, held: bool, threads: Threads) -> Breaches:
    """R16: a switch with the scoreboard taken, and results that are read in front of their switch, or not in time."""
    if held and is_switch(turn):
        yield turn.offset, "a thread switch while the scoreboard is taken"
    is_threaded = threads.has_switched or turn.elements is None  # a run knows when it has come to the first switch
    if is_threaded and threads.reads_too_early(turn.acts):
        yield turn.offset, "a result of a TMU is read, and the threads have not switched since it was asked for"
    if threads.slots == 1 and any(threads.behind(turn.acts).old):
        yield threads.switch, "the threads switch, and results of a TMU from before the last switch are not read"


def _left_over(_hazard: Hazard, turn: Turn, counts: Counts) -> Breaches:
    """R21: results that are not read. How many varyings there are, the program does not say."""
    if turn.node.left == 1 and any(RESULTS.step(turn, counts)):
        yield turn.offset, "the program ends, and results of a TMU are not read"


def _bounds(_hazard: Hazard, turn: Turn) -> Breaches:
    """R27: targets outside of the program or between instructions, and a last instruction with something after it."""
    program, offset = turn.program, turn.offset
    goal = program.goal(turn.node.index) if turn.taken else None
    if goal and decode(turn.word).immediate % WORD_BYTES:
        yield offset, f"the distance is no multiple of {WORD_BYTES}"
    if goal and goal.offset is not None and goal.offset not in range(len(program.words) * WORD_BYTES):
        address = (program.base + goal.offset) & 0xFFFF_FFFF
        yield offset, f"the target {address:#010x} is outside of the program"
    if program.runs_off(turn.node):
        yield offset, "the program goes on after its last instruction"


def _queued_reads(_hazard: Hazard, turn: Turn, unread: Unread) -> Breaches:
    """R33: reads that are set up too early; the chip takes them when it has only one more vector to fetch."""
    if read_setup(turn) is not None and sum(unread) > 1:
        yield turn.offset, f"a read is set up while {sum(unread)} vectors are still to be read"


def _queued_lookups(hazard: Hazard, turn: Turn, counts: Counts) -> Breaches:
    """R34: a lookup while four others are under way."""
    for act in turn.acts.of(hazard.trigger):
        if counts[LOOKUPS[str(act.what)]] >= _MOST_LOOKUPS:
            yield turn.offset, f"{act} while {counts[LOOKUPS[str(act.what)]]} lookups are under way"


def _reserved_rows(_hazard: Hazard, turn: Turn) -> Breaches:
    """R35: vectors in rows that are not reserved."""
    setup, rows = read_setup(turn), turn.program.user_rows
    beyond = [] if setup is None else [row for row in rows_read(setup) if row >= rows]
    if beyond:
        yield turn.offset, f"row {min(beyond)} is set up to be read, of {rows} that are reserved"


def _forget(turn: Turn, branch: int | None) -> int | None:
    # The uniform from which the new address is made may still come from the old one.
    sets = any(act.does is Does.WRITE and act.what in _ADDRESSES for act in turn.acts)
    return None if sets else branch if turn.branch is None else turn.branch


def _stale_uniforms(hazard: Hazard, turn: Turn, branch: int | None) -> Breaches:
    """R30: a uniform is read after the target of a branch, at the address from before."""
    branch = _forget(turn, branch)
    if branch is not None:
        text = "after the target of a branch, without a new address"
        yield from ((branch, f"{act} {text}") for act in turn.acts.of(hazard.affected))


def _unbreakable(_hazard: Hazard, _turn: Turn) -> Breaches:
    """R29: no word has two signals."""
    return iter(())


#: Functions of the rules that `generic` does not know, by their numbers.
WHOLE: dict[str, Rule] = {
    "R13": Rule(_lookups, (PARAMETERS,)),
    "R16": Rule(_switches, (HELD, THREADS)),
    "R21": Rule(_left_over, (RESULTS,)),
    "R26": ALONE,
    "R27": Rule(_bounds),
    "R29": Rule(_unbreakable),
    "R30": Rule(_stale_uniforms, (Memory(None, _forget),)),
    "R33": Rule(_queued_reads, (UNREAD,)),
    "R34": Rule(_queued_lookups, (UNDER_WAY,)),
    "R35": Rule(_reserved_rows),
}
