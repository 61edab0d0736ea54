"""`L2c` against the memory behind it."""

import random

import pytest

BASE, SIZE, LINE = 0x4000, 0x2000, 64


def request(address, beats=0, tag=0):
    return {"address": address, "beats": beats, "tag": tag}


def random_requests(rng, count, *, tags=4):
    """Requests to few lines, of few sets, some of them outside of memory."""
    lines = [BASE + LINE * rng.randrange(SIZE // LINE) for _ in range(6)]
    requests = []
    for _ in range(count):
        if rng.random() < 0.15:
            near = BASE + LINE * rng.choice([*range(0, SIZE // LINE, 4), -1, SIZE // LINE])
            lines[rng.randrange(len(lines))] = near
        first = rng.randrange(8)
        beats = rng.choice([0, 7 - first, rng.randrange(8 - first)])
        requests.append(request(rng.choice(lines) + 8 * first, beats, rng.randrange(tags)))
    return requests


@pytest.fixture
def data():
    return random.Random(5).randbytes(SIZE)


@pytest.mark.parametrize(
    ("latency", "gap", "client_gap"),
    [
        (1, 0.0, 0.0),
        (20, 0.3, 0.2),
        pytest.param(1, 0.4, 0.0, marks=pytest.mark.thorough),
        pytest.param(6, 0.0, 0.6, marks=pytest.mark.thorough),
        pytest.param(40, 0.0, 0.0, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 8))])
def test_random_requests(run, data, seed, latency, gap, client_gap):
    rng = random.Random(seed)
    traffic = run(
        random_requests(rng, 80), seed=seed, latency=latency, gap=gap, client_gap=client_gap, base=BASE, data=data
    )
    assert traffic.hits
    assert traffic.misses
    assert traffic.hits + traffic.misses == 80


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 8))])
def test_random_clears_and_switches(run, data, seed):
    """Memory changes with each clear: who asks after it gets what memory holds then, also of a line on its way."""

    async def during(ctx, dut, traffic):
        rng = random.Random(seed)
        while True:
            for _ in range(rng.randrange(1, 60)):
                await ctx.tick()
            if rng.random() < 0.5:
                ctx.set(dut.enable, rng.randrange(2))
            else:
                ctx.set(dut.clear, 1)
                traffic.memory.changes += 1
                await ctx.tick()
                ctx.set(dut.clear, 0)
                await ctx.tick()
                traffic.changes = traffic.memory.changes

    requests = random_requests(random.Random(seed), 100)
    run(requests, seed=seed, latency=9, gap=0.2, base=BASE, data=data, during=during)


def test_a_hit_comes_after_five_clocks_and_then_a_word_a_clock(run, data):
    """Requests of one word and of a line, one tag, one after the other without a gap."""
    warm = [request(BASE, 7), request(BASE + LINE, 7)]
    short = [request(BASE + 8 * (number % 16)) for number in range(40)]
    traffic = run([*warm, None, *short], latency=2, base=BASE, data=data)
    answers = traffic.clocks[16:]
    assert answers == list(range(answers[0], answers[0] + 40))

    long = [request(BASE + LINE * (number % 2), 7) for number in range(10)]
    traffic = run([*warm, None, *long], latency=2, base=BASE, data=data)
    answers = traffic.clocks[16:]
    assert answers == list(range(answers[0], answers[0] + 80))


def test_requests_that_have_waited_come_a_word_a_clock(run, data):
    """Six of them wait for one line; they follow each other without a gap, and so do those that hit after them."""
    traffic = run([request(BASE + 8 * (number % 8)) for number in range(30)], latency=20, base=BASE, data=data)
    assert traffic.memory.lines == [BASE]
    gaps = [after - before for before, after in zip(traffic.clocks, traffic.clocks[1:], strict=False)]
    assert sum(gaps) == len(gaps) + sum(gap - 1 for gap in gaps[:2])


def test_clocks_of_a_hit_and_of_a_miss(run, data):
    """The clocks of the first word, counted from the request."""
    traffic = run([request(BASE), None, request(BASE)], latency=4, base=BASE, data=data)
    miss, hit = (came - asked for came, asked in zip(traffic.clocks, traffic.asked, strict=True))
    assert hit == 5
    # Three until memory is asked, four until the first word and seven more for the line, one until its tag is written, two
    # until it is looked up again, and then it is a hit.
    assert miss == 3 + 4 + 7 + 1 + 2 + hit


def test_hits_pass_misses(run, data):
    """Four lines are on their way; the words of another one do not wait for them."""
    misses = [request(BASE + LINE * (number + 4), 7, tag) for number, tag in enumerate((1, 2, 3, 1))]
    hits = [request(BASE, 7, 0)] * 4
    traffic = run([request(BASE, 7, 0), None, *misses, *hits], latency=100, base=BASE, data=data)
    assert traffic.order == [0, 0, 0, 0, 0, 1, 2, 3, 1]
    assert traffic.memory.most >= 4


@pytest.mark.parametrize("tags", [(0, 0, 0, 0), (0, 1, 2, 3)])
def test_a_line_on_its_way_is_not_fetched_again(run, data, tags):
    requests = [request(BASE + 8 * number, 1, tag) for number, tag in enumerate(tags)]
    traffic = run(requests, latency=30, base=BASE, data=data)
    assert traffic.memory.lines == [BASE]
    assert (traffic.hits, traffic.misses) == (0, 4)


def test_all_ways_of_a_set_are_used_before_one_is_replaced(run, data):
    """Five lines of one set, of four: first in, first out."""
    lines = [BASE + 4 * LINE * number for number in range(5)]  # four sets
    requests = [request(line) for line in (*lines[:4], *lines[:4], lines[4], *lines[1:4], lines[0])]
    traffic = run(requests, base=BASE, data=data)
    assert traffic.memory.lines == [*lines, lines[0]]


def test_all_lines_fit(run, data):
    lines = [BASE + LINE * number for number in range(16)]
    traffic = run([request(line, 7) for line in lines * 2], base=BASE, data=data)
    assert traffic.memory.lines == lines


@pytest.mark.parametrize(("size", "sets"), [(512, 2), (2048, 8), (32768, 128)])
def test_its_size(run, size, sets):
    """Ways plus one lines in a set push one out, and lines of other sets do not."""
    lines = [BASE + LINE * sets * number for number in range(5)]
    requests = [request(line) for line in (*lines, lines[4], lines[1], lines[0])]
    traffic = run(requests, base=BASE, data=bytes(5 * LINE * sets), size=size)
    assert traffic.memory.lines == [*lines, lines[0]]


def test_a_line_on_its_way_is_not_kept_by_a_clear(run, data):
    """Some of its words are old ones: who asks after the clear, while they come or later, gets none of them."""

    async def during(ctx, dut, traffic):
        words = dut.bus.responses
        count = 0
        while count < 2:
            _, _, valid, ready = await ctx.tick().sample(words.valid, words.ready)
            count += valid and ready
        ctx.set(dut.clear, 1)
        traffic.memory.changes += 1
        await ctx.tick()
        ctx.set(dut.clear, 0)
        traffic.changes = 1

    requests = [request(BASE, 7)] * 2 + [None] + [request(BASE, 7)] * 2
    traffic = run(requests, gap=0.8, client_gap=0.9, base=BASE, data=data, during=during)
    assert traffic.memory.lines == [BASE, BASE]


def test_a_line_that_is_replaced_is_not_found_any_more(run, data):
    """Not even by the next request, nor when its words would be read late."""
    lines = [BASE + 4 * LINE * number for number in range(5)]  # of one set of four
    warm = [request(line, 7) for line in lines[:4]]
    requests = [*warm, None, request(lines[4], 7, 1), request(lines[0], 7, 2)]
    traffic = run(requests, latency=1, base=BASE, data=data)
    assert traffic.memory.lines == [*lines, lines[0]]


def test_errors_are_passed_on_and_not_kept(run, data):
    """Only the words that memory has not got are wrong, and the line is asked for by each request."""
    end = BASE + SIZE - LINE + 32  # half of the last line is there
    short = data[: SIZE - 32]
    requests = [request(BASE + SIZE - LINE, 7, 1)] * 3 + [request(end, 3, 2), request(end - 8, 1, 3)]
    traffic = run(requests, latency=10, base=BASE, data=short)
    assert traffic.memory.lines == [BASE + SIZE - LINE] * 5
    assert traffic.hits == 0


def test_disabled_it_asks_memory_each_time(run, data):
    async def during(ctx, dut, traffic):
        while True:
            ctx.set(dut.enable, 0)
            await ctx.tick()

    traffic = run([request(BASE, 7, 1)] * 4, base=BASE, data=data, during=during)
    assert traffic.memory.lines == [BASE] * 4
    assert (traffic.hits, traffic.misses) == (0, 0)
