"""VPM and DMA of the model against the figures and tables of the guide, by random set-ups; and set-ups that make no sense."""

import random
import re
from collections import Counter

import numpy as np
import pytest

from vc4.config import V3DConfig
from vc4.regs.table import register
from vc4sim.asm import assemble
from vc4sim.backends import model
from vc4sim.backends.base import Ending, Job
from vc4sim.launch import Launch
from vc4sim.model.memory import Memory
from vc4sim.model.unbuilt import Waiting
from vc4sim.model.vpm.unit import VpmUnit

from .vpm_reference import ReferenceVpm

#: The first bits of a set-up: of writes, stores and their pitch to `vw_setup`, of reads, loads and their pitch to `vr_setup`.
WRITE, STORE, STRIDE = 0 << 30, 2 << 30, 3 << 30
READ, LOAD, PITCH = 0 << 30, 1 << 31, 9 << 28
PORTS = 2
NAMES = {field.name for field in register("ERRSTAT").fields}


class Pair:
    """The model and the reference beside it: everything is done to both, and must do the same.

    setups : set-ups that were written
    """

    def __init__(self, rows, base, image, ports=PORTS):
        self.memory = Memory(len(image), base, image)
        self.vpm = VpmUnit(rows, self.memory)
        self.ports = self.vpm.ports[:ports]
        self.reference = ReferenceVpm(rows, base, image, ports)
        self.wrote = []
        self.memory.on_write = lambda *event: self.wrote.append(event)
        self.setups = 0

    def fill(self, rng):
        """Both VPMs, with noise."""
        noise = np.frombuffer(rng.randbytes(self.vpm.words.nbytes), "<u4").reshape(self.vpm.words.shape)
        self.vpm.words[:] = noise
        self.reference.words = noise.tolist()

    def reserve(self, blocks):
        """VPMBASE."""
        self.vpm.reserve(blocks)
        self.reference.reserve(blocks)

    def vw_setup(self, number, word):
        """A set-up of writes, and of stores."""
        self.setups += 1
        self.ports[number].write_setup(word)
        self.reference.vw_setup(number, word)

    def vr_setup(self, number, word):
        """A set-up of reads, and of loads."""
        self.setups += 1
        self.ports[number].read_setup(word)
        self.reference.vr_setup(number, word)

    def write(self, number, vector):
        """A vector."""
        self.ports[number].write(np.array(vector, np.uint32))
        self.reference.vpm_write(number, vector)

    def read(self, number):
        """A vector, or none; whether there was one."""
        expected = self.reference.vpm_read(number)
        port = self.ports[number]
        if expected is None:
            with pytest.raises(Waiting, match="^vpm, and no read is set up$"):
                port.wait()
            return False
        port.wait()
        assert port.read().tolist() == expected
        return True

    def end(self, number):
        """The end of a program."""
        self.ports[number].cancel()
        self.reference.end(number)

    def load(self, number, address):
        """A block from memory."""
        self.ports[number].load(address)
        self.reference.vr_addr(number, address)
        self.same_words()

    def store(self, number, address):
        """A block to memory: not a byte more."""
        self.wrote.clear()
        self.ports[number].store(address)
        self.reference.vw_addr(number, address)
        wrote = {}
        for first, data in self.wrote:
            wrote |= dict(enumerate(data, first))
        assert wrote == self.reference.wrote

    def same_words(self):
        """All words, all error bits, and whether memory was left."""
        assert self.vpm.words.tolist() == self.reference.words
        assert self.vpm.errors == self.reference.errors
        assert self.vpm.errors <= NAMES
        assert (self.vpm.fault is not None) == self.reference.fault

    def same(self):
        """Everything."""
        self.same_words()
        assert self.memory.data == self.reference.memory


def vector(rng):
    return [rng.getrandbits(32) for _ in range(16)]


class Draw:
    """Set-ups with every field drawn: often from all its values, more often so that there is little to do."""

    def __init__(self, rng):
        self.rng = rng

    def count(self, width, small):
        """A count of `width` bits, mostly below `small`."""
        return self.rng.choice([0, self.rng.getrandbits(width)] + [self.rng.randrange(1, small)] * 6)

    def write(self):
        """All but the reserved size."""
        return WRITE | self.rng.getrandbits(30) & ~0x300 | self.rng.randrange(3) << 8

    def read(self):
        """The same, with NUM."""
        return READ | self.rng.getrandbits(30) & ~0x300 | self.rng.randrange(3) << 8

    def load(self):
        """MODEW, MPITCH, ROWLEN, NROWS, VPITCH, VERT, Y and X."""
        mode = self.rng.choice([0, 0, 2, 3, 4, 5, 6, 7])
        return LOAD | mode << 28 | self.rng.choice([0, self.rng.getrandbits(4)]) << 24 | self.rng.getrandbits(24)

    def pitch(self):
        """MPITCHB, and bits that are not used."""
        return PITCH | self.rng.getrandbits(28)

    def store(self):
        """UNITS, DEPTH, LANED, HORIZ, Y, X and MODEW; at most some thousands of elements."""
        units, depth = self.count(7, 17), self.count(7, 20)
        if (units or 128) * (depth or 128) > 4000:
            units = self.rng.randrange(1, 20)
        mode = self.rng.choice([0, 0, 2, 3, 4, 5, 6, 7])
        laned = self.rng.randrange(4) == 0
        return STORE | units << 23 | depth << 16 | laned << 15 | self.rng.getrandbits(12) << 3 | mode

    def stride(self):
        """STRIDE and BLOCKMODE, and bits that are not used."""
        stride = self.rng.choice([0, 64, self.rng.getrandbits(6), self.rng.getrandbits(16)])
        return STRIDE | self.rng.getrandbits(14) << 16 | stride


#: Programs of the property test, and set-ups of each: together 10,000.
SEEDS, SETUPS = 20, 500
#: Memory that ends where addresses do; the blocks that reach furthest fit.
SIZE = 1 << 24
BASE = 2**32 - SIZE


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, SEEDS))])
def test_random_set_ups(seed):
    """Two QPUs, every field of every set-up: all elements of vectors, loads and stores, and what is fetched ahead."""
    rng = random.Random(seed)
    pair = Pair(rng.choice([64, 128, 192, 256]), BASE, rng.randbytes(SIZE))
    pair.fill(rng)
    draw = Draw(rng)

    def address():
        return BASE + rng.randrange(SIZE // 3)

    while pair.setups < SETUPS:
        number = rng.randrange(PORTS)
        match rng.randrange(9):
            case 0 | 1:
                pair.vw_setup(number, draw.write())
                for _ in range(rng.randrange(1, 6)):
                    pair.write(number, vector(rng))
            case 2 | 3:
                pair.vr_setup(number, draw.read())
                for _ in range(rng.randrange(24)):
                    pair.write(number, vector(rng))
                    if not pair.read(number):
                        break
            case 4 | 5:
                if rng.randrange(2):
                    pair.vr_setup(number, draw.pitch())
                pair.vr_setup(number, draw.load())
                pair.load(number, address())
            case 6 | 7:
                if rng.randrange(2):
                    pair.vw_setup(number, draw.stride())
                pair.vw_setup(number, draw.store())
                pair.store(number, address())
            case 8:
                rng.choice([pair.end, pair.read])(number)
    pair.same()
    assert not pair.reference.fault, "the addresses were meant to lie in memory"


#: Programs of the fuzz test, and commands of each.
FUZZES, COMMANDS = 20, 500


def bad_word(rng):
    """A set-up as a program gets it wrong: any bits at all, one of them flipped, or a reserved code."""
    word = rng.choice([rng.getrandbits(32), *(kind | rng.getrandbits(28) for kind in (WRITE, STORE, LOAD, PITCH))])
    if rng.randrange(3) == 0:
        word = rng.choice([1 << 30 | word & (1 << 30) - 1, STORE | word & 0x3F07_FFF8 | 1, word & 0x3FFF_FFFF | 0x300])
    if word >> 30 == 2 and (word >> 23 & 127 or 128) * (word >> 16 & 127 or 128) > 2000:
        word = word & ~(127 << 23) | rng.randrange(1, 16) << 23
    return word


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, FUZZES))])
def test_bad_set_ups(seed, record_property):
    """Reserved codes, rows that are not reserved or not there, addresses outside of memory, reads of what was not set up.

    Nothing is raised but `Waiting`; no byte of memory or VPM changes that the guide does not name.
    """
    rng = random.Random(seed)
    size, base = rng.choice([(64, 0x1000), (4096, 0x1_0000), (4096, 0), (1000, 2**32 - 1000)])
    pair = Pair(rng.choice([64, 128, 192]), base, rng.randbytes(size))
    pair.fill(rng)
    pair.reserve(rng.randrange(32))

    def address():
        near = base + rng.choice([0, size]) + rng.randrange(-200, 200)
        return rng.choice([near, near, base + rng.randrange(size), rng.getrandbits(32)]) % 2**32

    for _ in range(COMMANDS):
        number = rng.randrange(PORTS)
        match rng.randrange(7):
            case 0:
                pair.vw_setup(number, bad_word(rng))
            case 1:
                pair.vr_setup(number, bad_word(rng))
            case 2:
                pair.load(number, address())
            case 3:
                pair.store(number, address())
            case 4:
                pair.write(number, vector(rng))
            case 5:
                pair.read(number)
            case 6:
                if rng.randrange(16) == 0:
                    pair.end(number)
                elif rng.randrange(16) == 0:
                    pair.reserve(rng.randrange(32))
    pair.same()
    print(f"seed {seed}: {pair.setups} bad set-ups in {COMMANDS} commands, errors {sorted(pair.vpm.errors)}")
    record_property("set-ups", pair.setups)
    assert pair.setups > COMMANDS // 6


#: Whole programs made of such commands, and what comes of them.
ENDINGS = {"", "DMA load", "DMA store", "vpm, and no read is set up"}
CODE_BYTES, DATA_BYTES = 0x400, 0x1000


def bad_program(rng):
    """Statements that write and read all registers of the VPM; addresses lie after the program."""
    for _ in range(rng.randrange(1, 40)):
        address = 0x1_0000 + CODE_BYTES + rng.randrange(DATA_BYTES)
        yield rng.choice(
            [
                f"ldi {rng.choice(['vr_setup', 'vw_setup'])}, {bad_word(rng)}",
                f"ldi {rng.choice(['vr_addr', 'vw_addr'])}, {address}",
                f"ldi vpm, {rng.getrandbits(32)}",
                f"read {rng.choice(['vpm', 'vr_busy', 'vw_busy', 'vr_wait', 'vw_wait'])}",
            ]
        )
    yield "thrend\nnop\nnop\n"


@pytest.mark.parametrize("programs", [100, pytest.param(300, marks=pytest.mark.thorough)])
def test_bad_programs(programs):
    """Programs of bad commands on the model come to a defined end, by name."""
    endings = Counter()
    for seed in range(programs):
        rng = random.Random(seed)
        code = assemble("\n".join(bad_program(rng))).code
        image = code + bytes(CODE_BYTES - len(code)) + rng.randbytes(DATA_BYTES)
        job = Job(image=image, base=0x1_0000, launches=(Launch(0x1_0000, 0x1_0000),), config=V3DConfig())
        outcome = model.run(job)
        assert outcome.ending in (Ending.DONE, Ending.STUCK), f"seed {seed}"
        assert outcome.memory[: len(code)] == code, f"seed {seed}"
        what = re.sub(
            r"^QPU 0 at 0x[0-9a-f]{8}(: | waits for )| at 0x[0-9a-f]{8} is outside of memory$", "", outcome.why
        )
        assert what in ENDINGS, f"seed {seed}: {outcome.why}"
        endings[what] += 1
    print(f"{programs} programs: {dict(endings)}")
    assert set(endings) == ENDINGS
