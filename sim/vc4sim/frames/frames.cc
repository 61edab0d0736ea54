// The bench around the compiled GPU with control lists: a host that starts both threads, memory, what takes the place of
// binner and renderer, and trace.
//
// In front of this file stand the compiled GPU, the access to its ports, namespaces `v3d_ports` and `qpu_ports`, headers of
// the bench for programs, and constants for the fields of items, `ITEM_x`.

namespace bench {

// An event is its kind, with the number of the QPU or thread above it, and its content.
constexpr size_t EVENT_WORDS = 1 + RECORD_WORDS;
enum Kind : uint32_t { RETIRED, WRITTEN, STARTED, R4_ARRIVED, ITEM = R4_ARRIVED + 2, QUAD };
constexpr uint32_t QPU_SHIFT = 8, THREADS = 2;
constexpr uint32_t EVENTS_A_CLOCK = 4 * joints::qpu::COUNT + 1 + 2 * THREADS;
// Clocks in which nothing moves, after which nothing will.
constexpr uint32_t REST_CLOCKS = 600;

using Item = std::array<uint32_t, ITEM_WORDS>;
using Quad = std::array<uint32_t, 4>;

template<size_t Thread> struct Ports;

template<> struct Ports<0> {
    static bool valid(const V3d &v3d) { return high(ports::binner__items__valid(v3d)); }
    static Item payload(const V3d &v3d) { return ports::binner__items__payload(v3d); }
    static bool reads(const V3d &v3d) { return high(ports::vertex_reads__0__ready(v3d)); }
    static void take(V3d &v3d, bool ready, bool finished) {
        ports::binner__items__ready(v3d, {ready});
        ports::binner__finished(v3d, {finished});
    }
    static void read(V3d &v3d, bool valid, uint32_t address) {
        ports::vertex_reads__0__valid(v3d, {valid});
        ports::vertex_reads__0__payload(v3d, {address});
    }
};

template<> struct Ports<1> {
    static bool valid(const V3d &v3d) { return high(ports::renderer__items__valid(v3d)); }
    static Item payload(const V3d &v3d) { return ports::renderer__items__payload(v3d); }
    static bool reads(const V3d &v3d) { return high(ports::vertex_reads__1__ready(v3d)); }
    static void take(V3d &v3d, bool ready, bool finished) {
        ports::renderer__items__ready(v3d, {ready});
        ports::renderer__finished(v3d, {finished});
    }
    static void read(V3d &v3d, bool valid, uint32_t address) {
        ports::vertex_reads__1__valid(v3d, {valid});
        ports::vertex_reads__1__payload(v3d, {address});
    }
};

struct Random {
    uint32_t state;
    bool chance(uint32_t of_256) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return (state >> 12 & 255) < of_256;
    }
};

// In place of binner or renderer: reads all words of the vertices of a primitive, then takes it. Flushes and frames are
// finished some clocks later.
template<size_t Thread> class Taker {
public:
    // Whether vertices are read at all; else everything is taken at once.
    Taker(bool reads, uint32_t gap, uint32_t seed) : reads(reads), gap(gap), random{seed | 1} {}

    // By what was seen in the clock before.
    void offer(V3d &v3d) {
        bool may = !reads || (seen && asked == wanted && come == wanted);
        ready = may && !random.chance(gap);
        Ports<Thread>::take(v3d, ready, random.chance(64));
        asks = seen && asked < wanted && !random.chance(gap);
        Ports<Thread>::read(v3d, asks, asks ? address(asked) : 0);
    }

    // Carries out the clock; tells what is taken. Returns whether there was anything to do.
    template<class Tell> bool clock(const V3d &v3d, const Tell &tell) {
        if (answered) {
            std::array<uint32_t, 6> event = {come / quads, words};
            Quad quad = ports::vertex_words(v3d);
            std::copy(quad.begin(), quad.end(), event.begin() + 2);
            tell(QUAD, event);
            come++;
        }
        answered = asks && Ports<Thread>::reads(v3d);
        asked += answered;
        bool valid = Ports<Thread>::valid(v3d);
        if (!valid)
            return answered;
        Item item = Ports<Thread>::payload(v3d);
        if (!seen)
            look(item);
        if (ready) {
            tell(ITEM, item);
            seen = false;
        }
        return true;
    }

private:
    bool reads, ready = false, asks = false, answered = false, seen = false;
    uint32_t gap, words = 0, quads = 1, wanted = 0, asked = 0, come = 0;
    Random random;
    Item primitive;

    void look(const Item &item) {
        seen = true;
        wanted = asked = come = 0;
        uint32_t kind = field(item, ITEM_kind, 2);
        if (kind == ITEM_SHADER) {
            words = 3 + field(item, ITEM_point_size_included, 1) + (Thread ? field(item, ITEM_varyings, 8) : 4);
            quads = (std::min(words, MOST_VERTEX_WORDS) + 3) / 4;
        } else if (reads && kind == ITEM_PRIMITIVE && !field(item, ITEM_coordinates, 1)) {
            primitive = item;
            wanted = quads * VERTICES[field(item, ITEM_type, 4)];
        }
    }

    uint32_t address(uint32_t number) const {
        uint32_t place = field(primitive, ITEM_vertices + 32 * (number / quads), 32);
        uint32_t column = place >> PLACE_column & MOST_COLUMN, row = place >> PLACE_row & MOST_ROW;
        return column << ADDRESS_column | (row + number % quads * 4) << ADDRESS_row | 1 << ADDRESS_vertical;
    }
};

// Of the host, no earlier than in a clock.
struct Write {
    uint32_t clock, offset, data;
};

class Bench {
public:
    Options options;
    Checks checks;
    Memory memory;
    std::array<Gather, joints::qpu::COUNT> gathers;
    Waves waves;
    uint32_t retired = 0;
    std::array<uint32_t, STALLS> stalls = {};
    uint32_t cycles = 0;
    uint32_t still = 0;  // of them, those since something has moved
    bool done = false, stopped = false;
    Gpu gpu;

    Bench(const Options &options, const uint8_t *image, std::vector<Write> writes, bool reads, uint32_t gap)
        : options(options), memory(this->options, image, checks), writes(std::move(writes)),
          binner(reads, gap, options.seed * 3), renderer(reads, gap, options.seed * 5) {}

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

    void settle() { gpu.settle(checks); }

private:
    std::vector<Write> writes;
    Taker<0> binner;
    Taker<1> renderer;
    size_t written = 0;
    bool answered = true;
    uint32_t *events = nullptr;  // place of the next one
    bool watched = false;

    void clock() {
        offer_write();
        binner.offer(gpu.v3d);
        renderer.offer(gpu.v3d);
        memory.offer(gpu.v3d);
        if (waves.wants(cycles)) {
            settle();
            waves.sample(gpu, cycles);
        }
        gpu.eval(checks);
        bool moves = written < writes.size() || !answered || high(ports::bus__requests__valid(gpu.v3d));
        for (uint32_t number = 0; number < joints::qpu::COUNT; number++)
            moves |= gather(number);
        if (memory.clock(gpu.v3d))
            tell(WRITTEN, memory.written);
        moves |= binner.clock(gpu.v3d, [this](Kind kind, const auto &words) { tell(kind, words, 0); });
        moves |= renderer.clock(gpu.v3d, [this](Kind kind, const auto &words) { tell(kind, words, 1); });
        take_answers();
        uint32_t waiting = ports::vertex_stalls(gpu.v3d)[0];
        for (size_t stall = 0; stall < STALLS; stall++)
            stalls[stall] += waiting >> stall & 1;
        still = moves ? 0 : still + 1;
        done = still >= REST_CLOCKS + options.latency;
        cycles++;
        stopped = done || cycles >= options.max_cycles;
        gpu.commit();
    }

    void offer_write() {
        bool offers = answered && written < writes.size() && writes[written].clock <= cycles;
        ports::s_axil__awvalid(gpu.v3d, {offers});
        ports::s_axil__wvalid(gpu.v3d, {offers});
        ports::s_axil__bready(gpu.v3d, {true});
        if (offers) {
            ports::s_axil__awaddr(gpu.v3d, {writes[written].offset});
            ports::s_axil__wdata(gpu.v3d, {writes[written].data});
            ports::s_axil__wstrb(gpu.v3d, {0b1111});
        }
    }

    // Address and data of a write are taken together.
    void take_answers() {
        if (high(ports::s_axil__bvalid(gpu.v3d)))
            answered = true;
        if (high(ports::s_axil__awready(gpu.v3d)) && written < writes.size()) {
            written++;
            answered = false;
        }
    }

    // What a QPU does in this clock; returns whether it runs.
    bool gather(uint32_t number) {
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
        if (high(qpu_ports::trace__start_stb(qpu)))
            tell(STARTED, qpu_ports::trace__start(qpu), number);
        return Gather::runs(qpu);
    }

    template<size_t Words> void tell(Kind kind, const std::array<uint32_t, Words> &words, uint32_t of = 0) {
        static_assert(Words <= RECORD_WORDS, "an event has room for it");
        if (!watched)
            return;
        events[0] = kind | of << QPU_SHIFT;
        std::copy(words.begin(), words.end(), events + 1);
        events += EVENT_WORDS;
    }
};

}  // namespace bench

extern "C" {

bench::Bench *bench_create(const bench::Options *options, const uint8_t *image, const bench::Write *writes,
                           uint32_t write_count, bool reads, uint32_t gap) {
    return new bench::Bench(*options, image, {writes, writes + write_count}, reads, gap);
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

uint32_t bench_register(bench::Bench *bench, uint32_t offset) { return bench->read_register(offset); }

// Whether it has stopped; the report is in the order of `FrameState`.
bool bench_report(bench::Bench *bench, uint32_t *report) {
    const std::array<uint32_t, 3> words = {bench->done, bench->cycles - bench->still, bench->retired};
    report = std::copy(words.begin(), words.end(), report);
    std::copy(bench->stalls.begin(), bench->stalls.end(), report);
    return bench->stopped;
}

}
