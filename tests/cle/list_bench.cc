// The control list executor with a memory that has delays and gaps, pipelines that take what they get, and a host.

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

namespace {

namespace ports = executor_ports;
using Top = executor::p_top;
constexpr uint32_t BUS_BYTES = 8, LINE_BYTES = 64, TAG_BITS = 2, GRACE = 600;

struct Options {
    uint32_t base, size, latency, gap, pipeline_gap, seed, most_clocks;
};

struct Write {
    uint32_t clock, offset, data;
};

struct Item {
    uint32_t thread, words[5];
};

struct Result {
    uint32_t clocks, rests, items, lines, flushed, drawn, running[2], starved[2];
    char problem[64];
};

struct Burst {
    uint32_t address, beats, tag, age;
};

// What waves show.
struct Shown {
    Top &top;
    template<class Signals> void name(Signals *signals) { top.debug_info(signals, nullptr, "top "); }
    void show_clock(bool level) { ports::clk(top, {level}); }
};

class Bench {
public:
    Bench(Top &top, const Options &options, const uint8_t *memory, Result &result)
        : top(top), options(options), memory(memory), result(result), random{options.seed}, shown{top} {}

    // All of them.
    void write_waves(const char *path) { waves.open(shown, path, 0, options.most_clocks); }

    void run(const Write *script, uint32_t writes, Item *items, uint32_t most_items, uint32_t *lines, uint32_t most_lines) {
        uint32_t still = 0, next = 0;
        for (; still < GRACE + options.latency && result.clocks < options.most_clocks && result.items < most_items;
             result.clocks++) {
            bool writes_now = next < writes && script[next].clock <= result.clocks;
            ports::port__write_stb(top, {writes_now});
            if (writes_now) {
                ports::port__address(top, {script[next].offset});
                ports::port__write_data(top, {script[next].data});
                next++;
            }
            bool ready_request = !random.chance(options.gap), ready[2];
            ports::bus__requests__ready(top, {ready_request});
            for (bool &one : ready)
                one = !random.chance(options.pipeline_gap);
            ports::binner__items__ready(top, {ready[0]});
            ports::renderer__items__ready(top, {ready[1]});
            ports::binner__finished(top, {random.chance(64)});
            ports::renderer__finished(top, {random.chance(64)});
            respond();
            if (waves.wants(result.clocks)) {
                top.eval();
                waves.sample(shown, result.clocks);
            }
            ports::clk(top, {1});
            top.eval();
            still++;
            if (next < writes)
                still = 0;
            take(0, ports::binner__items__valid(top)[0], ready[0], ports::binner__items__payload(top), items, most_items, still);
            take(1, ports::renderer__items__valid(top)[0], ready[1], ports::renderer__items__payload(top), items, most_items,
                 still);
            result.flushed += ports::flushed(top)[0];
            result.drawn += ports::drawn(top)[0];
            for (int thread = 0; thread < 2; thread++) {
                result.running[thread] += ports::running(top)[0] >> thread & 1;
                result.starved[thread] += ports::starves(top)[0] >> thread & 1;
            }
            if (move(ready_request, lines, most_lines))
                still = 0;
            step();
        }
        result.rests = still >= GRACE + options.latency;
    }

    // Nobody else does anything meanwhile.
    uint32_t read(uint32_t offset) {
        ports::bus__requests__ready(top, {0});
        ports::bus__responses__valid(top, {0});
        ports::binner__items__ready(top, {0});
        ports::renderer__items__ready(top, {0});
        ports::binner__finished(top, {0});
        ports::renderer__finished(top, {0});
        ports::port__write_stb(top, {0});
        ports::port__address(top, {offset});
        ports::port__read_stb(top, {1});
        ports::clk(top, {1});
        top.eval();
        step();
        ports::port__read_stb(top, {0});
        top.eval();
        return ports::port__read_data(top)[0];
    }

private:
    Top &top;
    const Options &options;
    const uint8_t *memory;
    Result &result;
    Random random;
    Shown shown;
    bench::Waves waves;
    std::deque<Burst> reads;
    bool responds = false, waits[2] = {};
    std::array<uint32_t, 5> waiting[2];

    void step() {
        top.commit();
        ports::clk(top, {0});
        top.prev_p_clk = top.p_clk;
    }

    void fail(const char *what) {
        if (!result.problem[0])
            std::strcpy(result.problem, what);
    }

    void respond() {
        responds = responds || (reads.size() && reads.front().age >= options.latency && !random.chance(options.gap));
        std::array<uint32_t, (8 * BUS_BYTES + TAG_BITS + 2 + 31) / 32> payload = {};
        if (responds) {
            uint32_t address = reads.front().address;
            bool inside = address - options.base < options.size;
            set_field(payload, 0, TAG_BITS, reads.front().tag);
            for (uint32_t byte = 0; byte < BUS_BYTES; byte++)
                set_field(payload, TAG_BITS + 8 * byte, 8, inside ? memory[address - options.base + byte] : 0xEE);
            set_field(payload, TAG_BITS + 8 * BUS_BYTES, 1, !reads.front().beats);
            set_field(payload, TAG_BITS + 8 * BUS_BYTES + 1, 1, !inside);
        }
        ports::bus__responses__payload(top, payload);
        ports::bus__responses__valid(top, {responds});
    }

    // Requests and responses; whether there was one.
    bool move(bool ready_request, uint32_t *lines, uint32_t most_lines) {
        for (auto &burst : reads)
            burst.age++;
        bool moved = responds;
        if (responds && ports::bus__responses__ready(top)[0]) {
            responds = false;
            reads.front().address += BUS_BYTES;
            if (!reads.front().beats--)
                reads.pop_front();
        }
        if (!ports::bus__requests__valid(top)[0] || !ready_request)
            return moved;
        auto payload = ports::bus__requests__payload(top);
        Burst burst = {uint32_t(field(payload, 0, 32)), uint32_t(field(payload, 33, 8)),
                       uint32_t(field(payload, 41, TAG_BITS)), 0};
        if (field(payload, 32, 1))
            fail("it writes");
        if (burst.address % BUS_BYTES || burst.address % LINE_BYTES + (burst.beats + 1) * BUS_BYTES != LINE_BYTES)
            fail("a request that is not the rest of a line");
        reads.push_back(burst);
        if (result.lines < most_lines)
            lines[result.lines++] = burst.address / LINE_BYTES;
        return true;
    }

    void take(uint32_t thread, bool valid, bool ready, const std::array<uint32_t, 5> &payload, Item *items, uint32_t most,
              uint32_t &still) {
        if (waits[thread] && (!valid || payload != waiting[thread]))
            fail("an item changes");
        bool resets = thread ? ports::renderer__reset(top)[0] : ports::binner__reset(top)[0];
        waits[thread] = valid && !ready && !resets;
        waiting[thread] = payload;
        if (!valid)
            return;
        still = 0;
        if (!ready || result.items == most)
            return;
        Item &item = items[result.items++];
        item.thread = thread;
        std::memcpy(item.words, payload.data(), sizeof item.words);
    }
};

}  // namespace

extern "C" Top *make() { return new Top(); }

extern "C" void release(Top *top) { delete top; }

extern "C" void run(Top *top, const Options *options, const uint8_t *memory, const Write *script, uint32_t writes, Item *items,
                    uint32_t most_items, uint32_t *lines, uint32_t most_lines, Result *result, const char *waves) {
    Bench bench(*top, *options, memory, *result);
    if (waves)
        bench.write_waves(waves);
    bench.run(script, writes, items, most_items, lines, most_lines);
}

extern "C" uint32_t read(Top *top, uint32_t offset) {
    Options options = {};
    Result result = {};
    return Bench(*top, options, nullptr, result).read(offset);
}
