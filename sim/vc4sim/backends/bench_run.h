// A run of the compiled GPU with memory and a host: what the benches for programs and for control lists share.
//
// It does in every clock what `TracedGpu` does in hardware, so both count the same clocks. In front of this file stand
// the compiled GPU, the access to its ports, namespaces `v3d_ports` and `qpu_ports`, and the other headers; after it the
// class of a bench, and `bench_create`, which makes one.

namespace bench {

// A bench adds what it offers in a clock, and what it makes of that clock.
class Runner {
public:
    Options options;
    Checks checks;
    Memory memory;
    Host host;
    std::array<Gather, joints::qpu::COUNT> gathers;
    Waves waves;
    uint32_t cycles = 0, retired = 0;
    bool stopped = false;
    Gpu gpu;

    // `events_a_clock`: of the bench, at the most.
    Runner(const Options &options, const uint8_t *image, const Write *writes, uint32_t write_count, uint32_t events_a_clock)
        : options(options), memory(this->options, image, checks), host(writes, write_count),
          events_a_clock(5 * joints::qpu::COUNT + 4 + events_a_clock) {}
    virtual ~Runner() = default;
    Runner(const Runner &) = delete;

    // Runs some clocks, to the end or while there is `room` for the events of one, at least of that; returns the number of events.
    uint32_t run(uint32_t clocks, uint32_t *room_for_events, uint32_t room) {
        events = room_for_events;
        const uint32_t *full = events + (room - events_a_clock) * EVENT_WORDS;
        watched = true;
        for (; clocks && events <= full && !stopped && checks.failure.empty(); clocks--)
            clock();
        watched = false;
        return (events - room_for_events) / EVENT_WORDS;
    }

    // Reads a register, when it has stopped and has said what it counted: everything goes on meanwhile.
    uint32_t read_register(uint32_t offset) {
        ports::s_axil__araddr(gpu.v3d, {offset});
        reads = true;
        for (read_answered = false; !read_answered && checks.failure.empty();)
            clock();
        return word;
    }

    // What `bench_report` tells; returns the end of it.
    virtual uint32_t *report(uint32_t *words) = 0;

protected:
    uint32_t started = 0;  // programs that have begun

    // What the bench says in this clock, before the GPU is evaluated.
    virtual void offer() = 0;
    // Whether the host may write the next register, when its clock has come.
    virtual bool may_write(const Write &) const { return true; }
    // Whether the binner waits for memory.
    virtual bool lacks_memory() const { return false; }
    // Whether the host has something to do.
    bool host_is_busy() const {
        return host.is_busy([this] { return lacks_memory(); });
    }
    // What it makes of the clock, when the GPU has been evaluated; sets `stopped`.
    virtual void observe() = 0;

    bool is_wanted(uint32_t kind) const { return options.kinds >> kind & 1; }

    // An event, with the number of its QPU or thread.
    template<size_t Words> void tell(uint32_t kind, const std::array<uint32_t, Words> &words, uint32_t of = 0) {
        static_assert(Words <= RECORD_WORDS, "an event has room for it");
        if (!watched || !is_wanted(kind))
            return;
        events[0] = kind | of << KIND_BITS;
        std::copy(words.begin(), words.end(), events + 1);
        events += EVENT_WORDS;
    }

private:
    const uint32_t events_a_clock;
    uint32_t *events = nullptr;  // place of the next one
    bool watched = false, reads = false, read_answered = false;
    uint32_t word = 0;
    std::array<uint32_t, QUEUES> highest = {}, told = {};  // levels of queues since the last record, and those in it

    void clock() {
        bool writes_now = offer_host();
        offer();
        memory.offer(gpu.v3d);
        if (waves.wants(cycles)) {
            gpu.settle(checks);
            waves.sample(gpu, cycles);
        }
        gpu.eval(checks);
        for (uint32_t number = 0; number < joints::qpu::COUNT; number++)
            gather(number);
        if (memory.clock(gpu.v3d))
            tell(WRITTEN, memory.written);
        if (is_wanted(BUS))
            tell_bus();
        observe();
        if (is_wanted(LEVELS))
            tell_levels();
        host.see(high(ports::irq(gpu.v3d)), cycles);
        cycles++;
        take_answers(writes_now);
        gpu.commit();
    }

    bool is_due(const Write &write) const {
        return (write.clock == ON_DEMAND ? lacks_memory() : host.is_time(write, cycles)) && may_write(write);
    }

    // Registers of the bench are written at once, others of the GPU one after the other.
    bool offer_host() {
        const Write *write = host.offer([this](const Write &one) { return is_due(one); });
        while (write && write->offset >= OWN) {
            if (write->offset == DRAWN)
                host.count(write->data, cycles);
            else
                memory.set(write->offset - OF_MEMORY, write->data);
            host.take();
            write = host.offer([this](const Write &one) { return is_due(one); });
        }
        ports::s_axil__awvalid(gpu.v3d, {write != nullptr});
        ports::s_axil__wvalid(gpu.v3d, {write != nullptr});
        ports::s_axil__bready(gpu.v3d, {true});
        if (write) {
            ports::s_axil__awaddr(gpu.v3d, {write->offset});
            ports::s_axil__wdata(gpu.v3d, {write->data});
            ports::s_axil__wstrb(gpu.v3d, {0b1111});
        }
        ports::s_axil__arvalid(gpu.v3d, {reads});
        ports::s_axil__rready(gpu.v3d, {true});
        return write;
    }

    // Address and data of a write are taken together.
    void take_answers(bool writes_now) {
        host.answered = host.answered || high(ports::s_axil__bvalid(gpu.v3d));
        if (writes_now && high(ports::s_axil__awready(gpu.v3d))) {
            host.take();
            host.answered = false;
        }
        reads = reads && !high(ports::s_axil__arready(gpu.v3d));
        read_answered = high(ports::s_axil__rvalid(gpu.v3d));
        word = ports::s_axil__rdata(gpu.v3d)[0];
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
                tell(R4_ARRIVED + source, gather.r4[source].vector, number);
        gather.clock(qpu, is_wanted(RETIRED), is_wanted(R4_ARRIVED) || is_wanted(R4_ARRIVED + 1));
        if (is_wanted(SLOT) && high(qpu_ports::trace__slot_end(qpu)) && Gather::runs(qpu))
            tell_slot(qpu, number);
        if (high(qpu_ports::trace__start_stb(qpu))) {
            started++;
            tell(STARTED, qpu_ports::trace__start(qpu), number);
        }
    }

    // `Slot`: what it ends with.
    void tell_slot(const Qpu &qpu, uint32_t number) {
        const auto issue = qpu_ports::trace__issue(qpu);
        uint64_t word = field(issue, ISSUE_word, 64);
        uint32_t state = uint32_t(field(issue, ISSUE_thread, 1)) | qpu_ports::trace__issue_stb(qpu)[0] << 1;
        const std::array<uint32_t, 6> slot = {cycles,         qpu_ports::trace__stall(qpu)[0], qpu_ports::trace__sp_pc(qpu)[0],
                                              uint32_t(word), uint32_t(word >> 32),            state};
        tell(SLOT, slot, number);
    }

    // What `Peaks` tells: the highest levels of some clocks.
    void tell_levels() {
        const std::array<uint32_t, QUEUES> levels = queue_levels(gpu);
        for (size_t queue = 0; queue < QUEUES; queue++)
            highest[queue] = std::max(highest[queue], levels[queue]);
        if (cycles % LEVEL_CLOCKS != LEVEL_CLOCKS - 1 && !stopped)
            return;
        std::array<uint32_t, 1 + (QUEUES + 3) / 4> record = {uint32_t(cycles - cycles % LEVEL_CLOCKS)};
        for (size_t queue = 0; queue < QUEUES; queue++)
            record[1 + queue / 4] |= std::min(highest[queue], MOST_LEVEL) << queue % 4 * 8;
        if (highest != told)
            tell(LEVELS, record);
        told = highest;
        highest = {};
    }

    // `Transfer`: a request of this clock, and the end of an answer.
    void tell_bus() {
        const Request &one = memory.request;
        if (memory.asked)
            tell(BUS, std::array<uint32_t, 6>{cycles, 0, one.tag, one.write, one.address, one.beats + 1});
        if (memory.ended)
            tell(BUS, std::array<uint32_t, 6>{cycles, 1, memory.ended_tag, 0, 0, 0});
    }
};

}  // namespace bench

extern "C" {

void bench_destroy(bench::Runner *bench) { delete bench; }

// From now on, before the first clock, writes the clocks from `first` to the one before `last` to a VCD file.
void bench_waves(bench::Runner *bench, const char *path, uint32_t first, uint32_t last) {
    bench->waves.open(bench->gpu, path, first, last);
}

uint32_t bench_run(bench::Runner *bench, uint32_t clocks, uint32_t *events, uint32_t room) {
    return bench->run(clocks, events, room);
}

const char *bench_failure(bench::Runner *bench) { return bench->checks.failure.c_str(); }

const uint8_t *bench_memory(bench::Runner *bench) { return bench->memory.bytes.data(); }

uint32_t bench_register(bench::Runner *bench, uint32_t offset) { return bench->read_register(offset); }

// Whether it has stopped, and what the bench has to say then.
bool bench_report(bench::Runner *bench, uint32_t *words) {
    bench->report(words);
    return bench->stopped;
}

}
