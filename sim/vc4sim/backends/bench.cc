// The bench around the compiled GPU: starting of programs, trace, and detection of the end.
//
// It does in every clock what `GpuBench` does in hardware, so both count the same clocks. In front of this file stand
// the compiled GPU, the access to its ports, namespaces `v3d_ports` and `qpu_ports`, and the other headers.

namespace bench {

// An event is its kind, with the number of the QPU above it, and its content.
constexpr size_t EVENT_WORDS = 1 + RECORD_WORDS;
enum Kind : uint32_t { RETIRED, WRITTEN, STARTED, R4_ARRIVED };  // of the last there is one for each source
constexpr uint32_t QPU_SHIFT = 8;

using Start = std::array<uint32_t, START_WORDS>;  // `ProgramStart`

constexpr uint32_t EVENTS_A_CLOCK = 4 * joints::qpu::COUNT + 1;

// What is done in the order of the program: registers that the host writes, and programs that share a QPU.
struct Work {
    std::vector<std::array<uint32_t, 2>> writes;  // offset and word
    uint32_t setup;                               // so many of them come before any program
    std::vector<Start> threads;
    uint32_t programs = 0;
};

class Bench {
public:
    Options options;
    Checks checks;
    Memory memory;
    std::array<Gather, joints::qpu::COUNT> gathers;
    Waves waves;
    uint32_t cycles = 0, retired = 0, interrupts = 0;
    bool done = false, stuck = false, stopped = false;
    Gpu gpu;

    Bench(const Options &options, const uint8_t *image, Work work)
        : options(options), memory(this->options, image, checks), work(std::move(work)) {}

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

    // Reads a register; the clocks that this takes do not count.
    uint32_t read_register(uint32_t offset) {
        ports::s_axil__araddr(gpu.v3d, {offset});
        ports::s_axil__rready(gpu.v3d, {true});
        bool offers = true;
        while (checks.failure.empty()) {
            ports::s_axil__arvalid(gpu.v3d, {offers});
            gpu.eval(checks);
            offers = offers && !high(ports::s_axil__arready(gpu.v3d));
            bool answered = high(ports::s_axil__rvalid(gpu.v3d));
            uint32_t word = ports::s_axil__rdata(gpu.v3d)[0];
            gpu.commit();
            if (answered)
                return word;
        }
        return 0;
    }

    // Lets all signals follow registers and inputs.
    void settle() { gpu.settle(checks); }

private:
    Work work;
    size_t written = 0, asked = 0, shared = 0;  // registers written, programs asked for, threads taken
    bool answered = true, is_set_up = false;    // the write before has been answered; those of the set-up
    uint32_t started = 0;
    uint32_t waiting = 0;
    uint32_t *events = nullptr;  // place of the next one
    bool watched = false;

    void clock() {
        offer_write();
        bool offers = is_set_up && shared < work.threads.size();
        ports::fragments__valid(gpu.v3d, {offers});
        if (offers)
            ports::fragments__payload(gpu.v3d, work.threads[shared]);
        memory.offer(gpu.v3d);
        if (waves.wants(cycles)) {
            settle();
            waves.sample(gpu, cycles);
        }
        gpu.eval(checks);
        uint32_t begun = started;
        for (uint32_t number = 0; number < joints::qpu::COUNT; number++)
            gather(number);
        if (memory.clock(gpu.v3d))
            tell(WRITTEN, memory.written);
        watch(begun);
        take_answers();
        shared += offers && high(ports::fragments__ready(gpu.v3d));
        gpu.commit();
    }

    // The host writes one register after the other, but waits while the queue of programs is full.
    void offer_write() {
        is_set_up = is_set_up || (answered && written == work.setup);
        bool offers = answered && written < work.writes.size() &&
            (work.writes[written][0] != START_OFFSET || asked - (started - shared) < QUEUE);
        ports::s_axil__awvalid(gpu.v3d, {offers});
        ports::s_axil__wvalid(gpu.v3d, {offers});
        ports::s_axil__bready(gpu.v3d, {true});
        if (offers) {
            ports::s_axil__awaddr(gpu.v3d, {work.writes[written][0]});
            ports::s_axil__wdata(gpu.v3d, {work.writes[written][1]});
            ports::s_axil__wstrb(gpu.v3d, {0b1111});
        }
    }

    // Address and data of a write are taken together.
    void take_answers() {
        if (high(ports::s_axil__bvalid(gpu.v3d)))
            answered = true;
        if (high(ports::s_axil__awready(gpu.v3d))) {
            asked += work.writes[written][0] == START_OFFSET;
            written++;
            answered = false;
        }
    }

    // What a QPU does in this clock.
    void gather(uint32_t number) {
        const Qpu &qpu = gpu.qpus[number];
        Gather &gather = gathers[number];
        if (gather.complete) {
            retired++;
            tell(RETIRED, gather.record, number);
        }
        for (size_t source = 0; source < gather.r4.size(); source++)
            if (gather.r4[source].complete)
                tell(Kind(R4_ARRIVED + source), gather.r4[source].vector, number);
        gather.clock(qpu);
        if (high(qpu_ports::trace__start_stb(qpu))) {
            started++;
            tell(STARTED, qpu_ports::trace__start(qpu), number);
        }
    }

    // `begun`: programs that had begun before this clock. A QPU that begins one in it looks idle.
    void watch(uint32_t begun) {
        stopped = done || stuck || cycles >= options.max_cycles;
        bool hopeless = waits_for_ever();
        done = work.programs && begun == work.programs && high(ports::idle(gpu.v3d)) && !hopeless;
        stuck = waiting == options.grace;
        waiting = hopeless ? waiting + (waiting != options.grace) : 0;
        interrupts += __builtin_popcount(ports::interrupts(gpu.v3d)[0]);
        cycles++;
    }

    bool waits_for_ever() const {
        bool fatal = high(ports::vpm_error(gpu.v3d)), runs = false, all_share = true;
        for (auto &qpu : gpu.qpus) {
            uint32_t stall = Gather::stall(qpu);
            fatal |= stall & options.hopeless_stalls;
            if (Gather::runs(qpu)) {
                runs = true;
                all_share &= stall & options.shared_stalls && !(stall & ~options.shared_stalls);
            }
        }
        return fatal || (runs && all_share);
    }

    template<size_t Words> void tell(Kind kind, const std::array<uint32_t, Words> &words, uint32_t qpu = 0) {
        static_assert(Words <= RECORD_WORDS, "an event has room for it");
        if (!watched)
            return;
        events[0] = kind | qpu << QPU_SHIFT;
        std::copy(words.begin(), words.end(), events + 1);
        events += EVENT_WORDS;
    }
};

}  // namespace bench

extern "C" {

bench::Bench *bench_create(const bench::Options *options, const uint8_t *image, const uint32_t (*writes)[2],
                           uint32_t write_count, uint32_t setup, const bench::Start *threads, uint32_t thread_count,
                           uint32_t programs) {
    bench::Work work = {{}, setup, {threads, threads + thread_count}, programs};
    for (uint32_t number = 0; number < write_count; number++)
        work.writes.push_back({writes[number][0], writes[number][1]});
    return new bench::Bench(*options, image, std::move(work));
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

uint32_t bench_register(bench::Bench *bench, uint32_t offset) { return bench->read_register(offset); }

// Whether it has stopped; the report is in the order of `FinalState`, behind it is a `QpuState` for each QPU.
bool bench_report(bench::Bench *bench, uint32_t *report) {
    namespace ports = bench::ports;
    auto &gpu = bench->gpu;
    bench->settle();
    const std::array<uint32_t, 6> words = {
        bench->done, bench->stuck, bench->cycles, bench->retired, bench->interrupts,
        ports::vpm_error(gpu.v3d)[0]};
    report = std::copy(words.begin(), words.end(), report);
    for (size_t number = 0; number < joints::qpu::COUNT; number++)
        report = bench->gathers[number].report(gpu.qpus[number], report);
    return bench->stopped;
}

}
