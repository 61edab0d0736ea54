// The bench around the compiled GPU: starting of programs, trace, and detection of the end.
//
// It does in every clock what `GpuBench` does in hardware, so both count the same clocks. In front of this file stand
// the code of the GPU, namespace `cxxrtl_design`, the access to its ports, namespace `ports`, and the other headers.

namespace bench {

// An event is its kind and its content.
constexpr size_t EVENT_WORDS = 1 + RECORD_WORDS;
enum Kind : uint32_t { RETIRED, WRITTEN };
constexpr uint32_t EVENTS_A_CLOCK = 2;

using Launch = std::array<uint32_t, 3>;  // address of the program, of its uniforms, and whether it is threaded

class Bench {
public:
    Options options;
    Checks checks;
    Memory memory;
    Gather gather;
    Waves waves;
    uint32_t cycles = 0, retired = 0, interrupts = 0;
    bool done = false, stuck = false, stopped = false;
    Gpu gpu;

    Bench(const Options &options, const uint8_t *image, const Launch *launches, uint32_t count)
        : options(options), memory(this->options, image, checks), launches(launches, launches + count) {}

    // Runs some clocks, to the end or while there is room for events; returns their number. Without `room` for a clock's
    // events nobody wants any.
    uint32_t run(uint32_t clocks, uint32_t *room_for_events, uint32_t room) {
        events = room_for_events;
        watched = room >= EVENTS_A_CLOCK;
        const uint32_t *full = events + (watched ? (room - EVENTS_A_CLOCK) * EVENT_WORDS : 0);
        for (; clocks && events <= full && !stopped && checks.failure.empty(); clocks--)
            clock();
        return (events - room_for_events) / EVENT_WORDS;
    }

    // Lets all signals follow registers and inputs.
    void settle() { gpu.eval(&checks); }

private:
    std::vector<Launch> launches;
    size_t started = 0;  // launches taken
    uint32_t waiting = 0;
    uint32_t *events = nullptr;  // place of the next one
    bool watched = false;

    // One evaluation: at its end all signals have settled, and the registers know their next values but have not taken
    // them yet. This is right as long as no signal needs a second one, see `narrow`.
    void clock() {
        bool offers = started < launches.size();
        ports::start__valid(gpu, {offers});
        if (offers)
            ports::start__payload(gpu, launches[started]);
        memory.offer(gpu);
        if (waves.wants(cycles)) {
            settle();
            waves.sample(gpu, cycles);
        }
        ports::clk(gpu, {true});
        checks.require(gpu.eval(&checks), "the signals have not settled");
        if (gather.complete) {
            retired++;
            tell(RETIRED, gather.record);
        }
        gather.clock(gpu);
        if (memory.clock(gpu))
            tell(WRITTEN, memory.written);
        watch(offers);
        gpu.commit();
        ports::clk(gpu, {false});
        gpu.prev_p_clk = gpu.p_clk;
    }

    void watch(bool offers) {
        stopped = done || stuck || cycles >= options.max_cycles;
        bool hopeless = waits_for_ever();
        done = started && !offers && high(ports::idle(gpu)) && !hopeless;
        stuck = waiting == options.grace;
        waiting = hopeless ? waiting + (waiting != options.grace) : 0;
        if (offers && high(ports::start__ready(gpu)))
            started++;
        interrupts += high(ports::interrupt(gpu));
        cycles++;
    }

    bool waits_for_ever() const {
        return (high(ports::trace__sp_valid(gpu)) && ports::trace__stall(gpu)[0] & options.hopeless_stalls) ||
               ports::vpm_unbuilt(gpu)[0] || high(ports::vpm_error(gpu));
    }

    template<size_t Words> void tell(Kind kind, const std::array<uint32_t, Words> &words) {
        static_assert(Words <= RECORD_WORDS, "an event has room for it");
        if (!watched)
            return;
        events[0] = kind;
        std::copy(words.begin(), words.end(), events + 1);
        events += EVENT_WORDS;
    }
};

}  // namespace bench

extern "C" {

bench::Bench *bench_create(const bench::Options *options, const uint8_t *image, const bench::Launch *launches,
                           uint32_t count) {
    return new bench::Bench(*options, image, launches, count);
}

void bench_destroy(bench::Bench *bench) { delete bench; }

// From now on, before the first clock, writes the clocks from `first` to the one before `last` to a VCD file.
void bench_waves(bench::Bench *bench, const char *path, uint32_t first, uint32_t last) {
    bench->waves.open(bench->gpu, path, first, last);
}

uint32_t bench_run(bench::Bench *bench, uint32_t clocks, uint32_t *events, uint32_t room) {
    return bench->run(clocks, events, room);
}

const char *bench_failure(bench::Bench *bench) { return bench->checks.failure.c_str(); }

const uint8_t *bench_memory(bench::Bench *bench) { return bench->memory.bytes.data(); }

// Whether it has stopped; the report is in the order of `FinalState`, the counters of stalls behind it.
bool bench_report(bench::Bench *bench, uint32_t *report) {
    auto &gpu = bench->gpu;
    bench->settle();
    const std::array<uint32_t, 9> words = {
        bench->done, bench->stuck, bench->cycles, bench->retired, bench->interrupts,
        ports::vpm_unbuilt(gpu)[0], ports::vpm_error(gpu)[0], ports::trace__stall(gpu)[0], ports::trace__sp_pc(gpu)[0]};
    report = std::copy(words.begin(), words.end(), report);
    std::copy(bench->gather.stalls.begin(), bench->gather.stalls.end(), report);
    return bench->stopped;
}

}
