// The bench for programs: starting of those that share a QPU, and detection of the end.
//
// It does in every clock what `GpuBench` does in hardware.

namespace bench {

using Start = std::array<uint32_t, START_WORDS>;  // `ProgramStart`

class Bench : public Runner {
public:
    // `setup`: so many registers are written before any program. `programs`: all, also those that share a QPU.
    Bench(const Options &options, const uint8_t *image, const Write *writes, uint32_t write_count, uint32_t setup,
          std::vector<Start> threads, uint32_t programs)
        : Runner(options, image, writes, write_count, 0), setup(setup), threads(std::move(threads)), programs(programs) {}

    // In the order of `FinalState`, after it is a `QpuState` for each QPU.
    uint32_t *report(uint32_t *words) override {
        gpu.settle(checks);
        const std::array<uint32_t, 6> own = {done, stuck, cycles, retired, interrupts, ports::vpm_error(gpu.v3d)[0]};
        words = std::copy(own.begin(), own.end(), words);
        for (size_t number = 0; number < joints::qpu::COUNT; number++)
            words = gathers[number].report(gpu.qpus[number], words);
        return words;
    }

private:
    const uint32_t setup;
    const std::vector<Start> threads;
    const uint32_t programs;
    size_t shared = 0;   // threads taken
    uint32_t begun = 0;  // programs that had begun before this clock
    uint32_t waiting = 0, interrupts = 0;
    bool offers = false, done = false, stuck = false;

    void offer() override {
        offers = (host.written > setup || (host.written == setup && host.answered)) && shared < threads.size();
        ports::fragments__valid(gpu.v3d, {offers});
        if (offers)
            ports::fragments__payload(gpu.v3d, threads[shared]);
    }

    // The host waits while the queue of programs is full.
    bool may_write(const Write &write) const override {
        return write.offset != START_OFFSET || host.asked - (started - shared) < QUEUE;
    }

    // A QPU that begins a program in this clock looks idle.
    void observe() override {
        stopped = done || stuck || cycles >= options.max_cycles;
        bool hopeless = waits_for_ever();
        done = programs && begun == programs && high(ports::idle(gpu.v3d)) && !hopeless;
        stuck = waiting == GRACE_CLOCKS;
        waiting = hopeless ? waiting + (waiting != GRACE_CLOCKS) : 0;
        interrupts += __builtin_popcount(ports::interrupts(gpu.v3d)[0]);
        begun = started;
        shared += offers && high(ports::fragments__ready(gpu.v3d));
    }

    bool waits_for_ever() const {
        bool fatal = high(ports::vpm_error(gpu.v3d)), runs = false, all_share = true;
        for (auto &qpu : gpu.qpus) {
            uint32_t stall = Gather::stall(qpu);
            fatal |= stall & HOPELESS_STALLS;
            if (Gather::runs(qpu)) {
                runs = true;
                all_share &= stall & SHARED_STALLS && !(stall & ~SHARED_STALLS);
            }
        }
        return fatal || (runs && all_share);
    }
};

}  // namespace bench

extern "C" bench::Runner *bench_create(const bench::Options *options, const uint8_t *image, const bench::Write *writes,
                                       uint32_t write_count, uint32_t setup, const bench::Start *threads,
                                       uint32_t thread_count, uint32_t programs) {
    return new bench::Bench(*options, image, writes, write_count, setup, {threads, threads + thread_count}, programs);
}
