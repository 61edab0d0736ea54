// The bench around the compiled GPU: starting of programs, trace, and detection of the end.
//
// It does in every clock what `GpuBench` does in hardware, so both count the same clocks. In front of this file stand
// the code of the GPU, namespace `cxxrtl_design`, and `bench_memory.h`.

namespace bench {

constexpr size_t RECORD_WORDS = 41;  // of an event: its kind and its content
enum Kind : uint32_t { RETIRED, WRITTEN };

class Bench {
public:
    Options options;
    Checks checks;
    Memory memory;
    uint32_t cycles = 0, retired = 0, interrupts = 0;
    bool done = false, stuck = false, stopped = false;
    cxxrtl_design::p_top gpu;

    Bench(const Options &options, const uint8_t *image, const uint32_t *launches, uint32_t count)
        : options(options), memory(this->options, image, checks), launches(launches, launches + 2 * count) {}

    // Runs some clocks, to the end or while there is room; returns the number of events.
    uint32_t run(uint32_t clocks, uint32_t *events, uint32_t room) {
        uint32_t *next = events, *full = events + (room - 1) * RECORD_WORDS;  // a clock has two events at most
        for (; clocks && next < full && !stopped && checks.failure.empty(); clocks--)
            next = clock(next);
        return (next - events) / RECORD_WORDS;
    }

    // Lets all signals follow registers and inputs. No check counts meanwhile.
    void settle() { gpu.step(&checks); }

private:
    std::vector<uint32_t> launches;
    size_t started = 0;  // words of `launches` taken
    uint32_t waiting = 0;

    uint32_t *clock(uint32_t *events) {
        bool offers = started < launches.size();
        set(gpu.p_start____valid, offers);
        for (size_t word = 0; offers && word < 2; word++)
            set_field(gpu.p_start____payload, 32 * word, 32, launches[started + word]);
        memory.offer(gpu);
        set(gpu.p_clk, false);
        settle();
        events = record(events);
        if (memory.clock(gpu))
            events = copy(events, WRITTEN, memory.written.data(), memory.written.size());
        watch(offers);
        set(gpu.p_clk, true);
        checks.settled = true;
        gpu.eval(&checks);
        checks.settled = false;
        gpu.commit();  // the next clock lets the signals settle
        return events;
    }

    void watch(bool offers) {
        stopped = done || stuck || cycles >= options.max_cycles;
        bool hopeless = waits_for_ever();
        done = started && !offers && high(gpu.p_idle) && !hopeless;
        stuck = waiting == options.grace;
        waiting = hopeless ? waiting + (waiting != options.grace) : 0;
        if (offers && high(gpu.p_start____ready))
            started += 2;
        interrupts += high(gpu.p_interrupt);
        cycles++;
    }

    bool waits_for_ever() const {
        uint64_t stall = field(gpu.p_trace____stall, 0, read(gpu.p_trace____stall).bits);
        return (high(gpu.p_trace____sp__valid) && (stall & options.hopeless_stalls)) ||
               !read(gpu.p_vpm__unbuilt).is_zero() || high(gpu.p_vpm__error);
    }

    uint32_t *record(uint32_t *events) {
        if (!high(gpu.p_trace____retired__stb))
            return events;
        retired++;
        const auto &bits = read(gpu.p_trace____retired);
        static_assert(sizeof bits.data / sizeof bits.data[0] < RECORD_WORDS, "a record has room for it");
        return copy(events, RETIRED, bits.data, sizeof bits.data / sizeof bits.data[0]);
    }

    static uint32_t *copy(uint32_t *events, Kind kind, const uint32_t *words, size_t count) {
        events[0] = kind;
        std::copy(words, words + count, events + 1);
        return events + RECORD_WORDS;
    }
};

}  // namespace bench

extern "C" {

bench::Bench *bench_create(const bench::Options *options, const uint8_t *image, const uint32_t *launches,
                           uint32_t count) {
    return new bench::Bench(*options, image, launches, count);
}

void bench_destroy(bench::Bench *bench) { delete bench; }

uint32_t bench_run(bench::Bench *bench, uint32_t clocks, uint32_t *events, uint32_t room) {
    return bench->run(clocks, events, room);
}

const char *bench_failure(bench::Bench *bench) { return bench->checks.failure.c_str(); }

const uint8_t *bench_memory(bench::Bench *bench) { return bench->memory.bytes.data(); }

// Whether it has stopped; the report is in the order of `FinalState`, the counters of stalls behind it.
bool bench_report(bench::Bench *bench, uint32_t *report) {
    auto &gpu = bench->gpu;
    bench->settle();
    const auto &stalls = bench::read(gpu.p_trace____stalls);
    const std::array<uint32_t, 9> words = {
        bench->done, bench->stuck, bench->cycles, bench->retired, bench->interrupts,
        uint32_t(bench::field(gpu.p_vpm__unbuilt, 0, 3)), bench::high(gpu.p_vpm__error),
        uint32_t(bench::field(gpu.p_trace____stall, 0, bench::read(gpu.p_trace____stall).bits)),
        uint32_t(bench::field(gpu.p_trace____sp__pc, 0, 32))};
    report = std::copy(words.begin(), words.end(), report);
    std::copy(stalls.data, stalls.data + stalls.bits / 32, report);
    return bench->stopped;
}

}
