// The bench for control lists: what takes the place of the renderer, and of the binner if there is none, and detection of the end.
//
// It does in every clock what `ListBench` does in hardware. In front of this file stand constants for the fields of items,
// `ITEM_x`, and more.

namespace bench {

constexpr uint32_t THREADS = 2;

using Item = std::array<uint32_t, ITEM_WORDS>;
using Quad = std::array<uint32_t, 4>;

template<size_t Thread> struct Ports;

#if !HAS_BINNER
template<> struct Ports<0> {
    static bool valid(const V3d &v3d) { return high(ports::binner__items__valid(v3d)); }
    static Item payload(const V3d &v3d) { return ports::binner__items__payload(v3d); }
    static bool reads(const V3d &v3d) { return high(ports::binner_reads__ready(v3d)); }
    static void take(V3d &v3d, bool ready, bool finished) {
        ports::binner__items__ready(v3d, {ready});
        ports::binner__finished(v3d, {finished});
    }
    static void read(V3d &v3d, bool valid, uint32_t address) {
        ports::binner_reads__valid(v3d, {valid});
        ports::binner_reads__payload(v3d, {address});
    }
};
#endif

template<> struct Ports<1> {
    static bool valid(const V3d &v3d) { return high(ports::renderer__items__valid(v3d)); }
    static Item payload(const V3d &v3d) { return ports::renderer__items__payload(v3d); }
    static bool reads(const V3d &v3d) { return high(ports::renderer_reads__ready(v3d)); }
    static void take(V3d &v3d, bool ready, bool finished) {
        ports::renderer__items__ready(v3d, {ready});
        ports::renderer__finished(v3d, {finished});
    }
    static void read(V3d &v3d, bool valid, uint32_t address) {
        ports::renderer_reads__valid(v3d, {valid});
        ports::renderer_reads__payload(v3d, {address});
    }
};

// In place of binner or renderer: reads all words of the vertices of a primitive, then takes it. Flushes and frames are
// finished some clocks later. It does in every clock what `Taker` does in hardware.
template<size_t Thread> class Taker {
public:
    // Whether vertices are read at all; else everything is taken at once.
    Taker(bool reads, uint32_t gap, uint32_t seed) : reads(reads), gap(gap), random{seed | 1} {}

    // By what was seen in the clock before.
    void offer(V3d &v3d) {
        bool may = !reads || (seen && asked == wanted && come == wanted);
        ready = may && !random.chance(gap);
        Ports<Thread>::take(v3d, ready, random.chance(FINISH_CHANCE));
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
            uint32_t more = Thread ? field(item, ITEM_varyings, 8) : CLIP_WORDS;
            words = SCREEN_WORDS + field(item, ITEM_point_size_included, 1) + more;
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

#if HAS_BINNER
// The GPU has one of its own.
struct NoTaker {
    NoTaker(bool, uint32_t, uint32_t) {}
    void offer(V3d &) {}
    template<class Tell> bool clock(const V3d &v3d, const Tell &) { return high(ports::bins(v3d)); }
};
#endif

class Bench : public Runner {
public:
    Bench(const Options &options, const uint8_t *image, const Write *writes, uint32_t write_count, bool reads, uint32_t gap)
        : Runner(options, image, writes, write_count, 2 * THREADS), binner(reads, gap, options.seed * SEED_FACTORS[0]),
          renderer(reads, gap, options.seed * SEED_FACTORS[1]) {}

    // In the order of `FrontState`.
    uint32_t *report(uint32_t *words) override {
        const std::array<uint32_t, 3> own = {still >= rest(), cycles - still, retired};
        words = std::copy(own.begin(), own.end(), words);
        return std::copy(stalls.begin(), stalls.end(), words);
    }

private:
#if HAS_BINNER
    NoTaker binner;
#else
    Taker<0> binner;
#endif
    Taker<1> renderer;
    std::array<uint32_t, STALLS> stalls = {};
    uint32_t still = 0;  // clocks since something has moved

    bool lacks_memory() const override { return ports::vertex_stalls(gpu.v3d)[0] >> TILE_MEMORY_STALL & 1; }

    uint32_t rest() const { return REST_CLOCKS + options.latency; }

    void offer() override {
        binner.offer(gpu.v3d);
        renderer.offer(gpu.v3d);
    }

    void observe() override {
        bool moves = host_is_busy() || high(ports::bus__requests__valid(gpu.v3d));
        for (auto &qpu : gpu.qpus)
            moves |= Gather::runs(qpu);
        moves |= binner.clock(gpu.v3d, [this](uint32_t kind, const auto &words) { tell(kind, words, 0); });
        moves |= renderer.clock(gpu.v3d, [this](uint32_t kind, const auto &words) { tell(kind, words, 1); });
        uint32_t waiting = ports::vertex_stalls(gpu.v3d)[0];
        for (size_t stall = 0; stall < STALLS; stall++)
            stalls[stall] += waiting >> stall & 1;
        still = moves ? 0 : still + 1;
        stopped = still >= rest() || cycles + 1 >= options.max_cycles;
    }
};

}  // namespace bench

extern "C" bench::Runner *bench_create(const bench::Options *options, const uint8_t *image, const bench::Write *writes,
                                       uint32_t write_count, bool reads, uint32_t gap) {
    return new bench::Bench(*options, image, writes, write_count, reads, gap);
}
