"""An AXI4 slave for Amaranth's simulator, and the requests of several tags at once."""

import random
from collections import deque

import pytest

REGION = 4096  # bytes of memory of each tag
BEYOND = 1 << 20  # from this address on there is no memory


class AxiSlave:
    """Memory behind an AXI4 port: gaps on all channels, responses of different ids in any order, words of reads mixed.

    It checks the rules of the bus, and those of `AxiMaster` about what may be under way. `most` is the largest number of
    requests of an id that were.
    """

    def __init__(self, axi, *, size, seed=1, gap=0.0):
        self.axi, self.gap = axi, gap
        self.rng = random.Random(seed)
        self.data = bytearray(size)
        self.word_bytes = axi.signature.word_bytes
        self.reads = {}  # id: bursts as [address, beats left]
        self.addresses = deque()  # of writes whose words have not all come
        self.words = []
        self.written = {}  # id: responses that are still to be given
        self.most = 0

    def _pauses(self):
        return self.rng.random() < self.gap

    async def bench(self, ctx):
        """For ever; for a background testbench."""
        axi = self.axi
        read, write = None, None  # what is offered: id, and for a read (response, word, last)
        names = [*axi.signature.members]
        waiting = {}
        ctx.set(axi.rvalid, 0)
        while True:
            read = read or self._next_read()
            write = write or self._next_write()
            if read:
                tag, (response, word, last) = read
                for name, value in (("rid", tag), ("rresp", response), ("rdata", word), ("rlast", last)):
                    ctx.set(getattr(axi, name), value)
            if write:
                ctx.set(axi.bid, write[0])
                ctx.set(axi.bresp, write[1])
            ctx.set(axi.rvalid, bool(read))
            ctx.set(axi.bvalid, bool(write))
            for channel in ("ar", "aw", "w"):
                ctx.set(getattr(axi, f"{channel}ready"), not self._pauses())
            _, _, *values = await ctx.tick().sample(*(getattr(axi, name) for name in names))
            now = dict(zip(names, values, strict=True))
            self._check_stable(now, waiting)
            if now["arvalid"] and now["arready"]:
                self._begin(now, "ar")
            if now["awvalid"] and now["awready"]:
                self._begin(now, "aw")
            if now["wvalid"] and now["wready"]:
                self._word(now)
            if now["rvalid"] and now["rready"]:
                self._read_taken(read)
                read = None
            if write and now["bvalid"] and now["bready"]:
                self.written[write[0]].popleft()
                write = None

    def _check_stable(self, now, waiting):
        for channel in ("ar", "aw", "w"):
            payload = {name: value for name, value in now.items() if name.startswith(channel) and name[-5:] != "ready"}
            if channel in waiting:
                assert payload == waiting[channel], f"{channel} has changed while it waited"
            if now[f"{channel}valid"] and not now[f"{channel}ready"]:
                waiting[channel] = payload
            else:
                waiting.pop(channel, None)

    def _begin(self, now, channel):
        address, beats, tag = (now[f"{channel}{name}"] for name in ("addr", "len", "id"))
        beats += 1
        assert (now[f"{channel}burst"], 1 << now[f"{channel}size"]) == (1, self.word_bytes)
        assert address % self.word_bytes == 0
        assert address // 4096 == (address + beats * self.word_bytes - 1) // 4096, "a burst crosses 4 KiB"
        if channel == "ar":
            self.reads.setdefault(tag, deque()).append([address, beats])
            assert not self.written.get(tag), "a read of a tag that has writes under way"
            assert all(other != tag for other, _, _ in self.addresses), "a read of a tag that has writes under way"
        else:
            self.addresses.append((tag, address, beats))
            assert not self.reads.get(tag), "a write of a tag that has reads under way"
        writes = sum(other == tag for other, _, _ in self.addresses) + len(self.written.get(tag, ()))
        self.most = max(self.most, writes + len(self.reads.get(tag, ())))
        self._finish_writes()

    def _word(self, now):
        self.words.append((now["wdata"], now["wstrb"], now["wlast"]))
        self._finish_writes()

    def _finish_writes(self):
        """Carries out the oldest write once all of its words are there."""
        while self.addresses and any(last for _, _, last in self.words):
            tag, address, beats = self.addresses.popleft()
            words, self.words = self.words[:beats], self.words[beats:]
            assert [last for _, _, last in words] == [0] * (beats - 1) + [1], "a burst ends at the wrong word"
            for beat, (word, strobes, _) in enumerate(words):
                for byte in range(self.word_bytes):
                    if strobes >> byte & 1 and address < BEYOND:
                        self.data[address + beat * self.word_bytes + byte] = word >> 8 * byte & 255
            response = 0 if address < BEYOND else self.rng.choice([2, 3])
            self.written.setdefault(tag, deque()).append(response)

    def _next_read(self):
        tags = [tag for tag, bursts in self.reads.items() if bursts]
        if not tags or self._pauses():
            return None
        tag = self.rng.choice(tags)
        address, beats = self.reads[tag][0]
        if address >= BEYOND:
            return tag, (self.rng.choice([2, 3]), self.rng.getrandbits(8), int(beats == 1))
        word = int.from_bytes(self.data[address : address + self.word_bytes], "little")
        return tag, (0, word, int(beats == 1))

    def _read_taken(self, read):
        tag, (_, _, last) = read
        burst = self.reads[tag][0]
        burst[0] += self.word_bytes
        burst[1] -= 1
        if last:
            self.reads[tag].popleft()

    def _next_write(self):
        tags = [tag for tag, responses in self.written.items() if responses]
        if not tags or self._pauses():
            return None
        tag = self.rng.choice(tags)
        return tag, self.written[tag][0]


class Traffic:
    """Random requests, each tag to its own part of the memory, or to where `is_refused(tag, page address)` says there is none.

    `requests` and `words` are for the streams; `expected` has for each tag its responses (word or `None`, last, error);
    `data` is the memory at the end; `errors` are the addresses of the requests that fail, in the order of each tag.
    """

    def __init__(self, rng, *, tags, count, word_bytes, beyond=BEYOND):
        self.data = bytearray(tags * REGION)
        self.requests, self.words = [], []
        self.expected = {tag: [] for tag in range(tags)}
        self.errors = {tag: [] for tag in range(tags)}
        words = REGION // word_bytes
        for _ in range(count):
            tag, write, fails = rng.randrange(tags), rng.randrange(2), rng.random() < 0.15
            beats = rng.choice([1, 1, rng.randrange(1, 9), rng.randrange(1, 17)])
            at = tag * REGION + rng.randrange(words - beats + 1) * word_bytes
            address = at + (beyond if fails else 0)
            self.requests.append({"address": address, "write": write, "beats": beats - 1, "tag": tag})
            if fails:
                self.errors[tag].append(address)
            for beat in range(beats):
                place = slice(at + beat * word_bytes, at + (beat + 1) * word_bytes)
                last = int(beat == beats - 1)
                if not write:
                    word = None if fails else int.from_bytes(self.data[place], "little")
                    self.expected[tag].append((word, last, int(fails)))
                    continue
                strobes, word = rng.getrandbits(word_bytes), rng.getrandbits(8 * word_bytes)
                self.words.append({"data": word, "strobes": strobes, "last": last})
                for byte in range(word_bytes):
                    if strobes >> byte & 1 and not fails:
                        self.data[place.start + byte] = word >> 8 * byte & 255
            if write:
                self.expected[tag].append((None, 1, int(fails)))

    @property
    def responses(self):
        return sum(map(len, self.expected.values()))

    def check(self, found):
        """Compares what came: responses with `tag`, `data`, `last`, `error`."""
        for tag, expected in self.expected.items():
            came = [one for one in found if one.tag == tag]
            for one, (word, last, error) in zip(came, expected, strict=True):
                assert (one.last, one.error) == (last, error), f"tag {tag}"
                assert word in (None, one.data), f"tag {tag}"


@pytest.fixture(scope="session")
def axi_slave():
    """`axi_slave(axi, size=..., seed=..., gap=...)`: an `AxiSlave`."""
    return AxiSlave


@pytest.fixture(scope="session")
def traffic():
    """`traffic(rng, tags=..., count=..., word_bytes=...)`: a `Traffic`."""
    return Traffic
