// The bench for rendering: a host that starts a list and waits for the interrupt of its end.
//
// It does in every clock what `DrawBench` does in hardware. In front of this file stand its constants.

namespace bench {

// When a tile was drawn, in the order of `TileClocks`.
struct Tile {
    uint32_t x, y, first, last;
};

class Bench : public Runner {
public:
    std::vector<Tile> tiles;
    std::vector<uint8_t> hidden;  // of each quad with samples, whether it has gone no further

    Bench(const Options &options, const uint8_t *image, const Write *writes, uint32_t write_count, uint32_t first, uint32_t last,
          bool whole)
        : Runner(options, image, writes, write_count, 1), first(first), last(last), whole(whole) {}

    // In the order of `DrawState`.
    uint32_t *report(uint32_t *words) override {
        const std::array<uint32_t, 5> own = {drawn, cycles, retired, stored, clocks};
        words = std::copy(own.begin(), own.end(), words);
        for (auto &count : counts)
            words = std::copy(count.begin(), count.end(), words);
        return words;
    }

private:
    static constexpr uint32_t QPUS = joints::qpu::COUNT;
    bool drawn = false;
    const uint32_t first, last;    // clocks that are counted
    const bool whole;              // it ends when the host has done all, too, and no program runs
    uint32_t still = 0, seen = 0;  // clocks since something has moved, and instructions by then
    uint32_t begun = 0, stored = 0, clocks = 0;
    std::array<std::array<uint32_t, 2>, STAGES + QPUS> counts = {};  // clocks in which a stage waits, or is held
    // The same of the clocks since the last record: see `Span`.
    uint32_t span_first = 0, span_clocks = 0, span_tile = 0;
    std::array<uint32_t, STAGES + QPUS> span = {};

    void offer() override {}

    bool lacks_memory() const override { return ports::vertex_stalls(gpu.v3d)[0] >> TILE_MEMORY_STALL & 1; }

    void observe() override {
        auto activity = ports::activity(gpu.v3d);
        bool passes = field(activity, QUAD_PASSES, 1);
        bool moves = host_is_busy() || high(ports::bins(gpu.v3d)) || high(ports::bus__requests__valid(gpu.v3d)) || seen != retired ||
                     passes;
        seen = retired;
        drawn = high(ports::irq(gpu.v3d)) && (!whole || (host.has_ended() && high(ports::idle(gpu.v3d))));
        mark(activity);
        if (passes)
            hidden.push_back(field(activity, QUAD_HIDDEN, 1));
        if (cycles >= first && cycles < last) {
            if (field(activity, TILE_BEGINS, 1))
                begin_span(field(activity, TILE_X, 8) | field(activity, TILE_Y, 8) << 8);
            count(activity);
        }
        still = moves ? 0 : still + 1;
        stopped = drawn || still >= STILL_CLOCKS + options.latency || cycles + 1 >= options.max_cycles;
        if (stopped || span_clocks == SPAN_CLOCKS)
            tell_span();
    }

    void begin_span(uint32_t tile) {
        tell_span();
        span_tile = 1 << 16 | tile;
    }

    void tell_span() {
        std::array<uint32_t, 3 + STAGES + QPUS> record = {span_first, span_clocks, span_tile};
        std::copy(span.begin(), span.end(), record.begin() + 3);
        if (span_clocks)
            tell(STAGED, record);
        span_clocks = span_tile = 0;
        span = {};
    }

    template<class Words> void mark(const Words &activity) {
        if (field(activity, TILE_BEGINS, 1))
            tiles.push_back({uint32_t(field(activity, TILE_X, 8)), uint32_t(field(activity, TILE_Y, 8)), cycles, 0});
        begun += field(activity, TILE_DRAWN, 1);
        if (field(activity, TILE_STORED, 1) && begun) {
            stored += !tiles[begun - 1].last;
            tiles[begun - 1].last = cycles + 1;
        }
    }

    template<class Words> void count(const Words &activity) {
        clocks++;
        if (!span_clocks++)
            span_first = cycles;
        for (uint32_t waits = field(activity, AT_WAITS, STAGES); waits; waits &= waits - 1)
            add(__builtin_ctz(waits), true, false);
        for (uint32_t held = field(activity, AT_HELD, STAGES); held; held &= held - 1)
            add(__builtin_ctz(held), false, true);
        for (uint32_t number = 0; number < QPUS; number++) {
            bool runs = Gather::runs(gpu.qpus[number]);
            uint32_t stall = runs ? Gather::stall(gpu.qpus[number]) : 0;
            bool behind = stall & -stall & WAITS_BEHIND;
            add(STAGES + number, !runs || (stall && !behind), behind);
        }
    }

    void add(uint32_t stage, bool waits, bool held) {
        counts[stage][0] += waits;
        counts[stage][1] += held;
        span[stage] += waits | held << 16;
    }
};

}  // namespace bench

extern "C" {

bench::Runner *bench_create(const bench::Options *options, const uint8_t *image, const bench::Write *writes, uint32_t write_count,
                            uint32_t first, uint32_t last, bool whole) {
    return new bench::Bench(*options, image, writes, write_count, first, last, whole);
}

// How many tiles have begun; their words if there is a place for them.
uint32_t draw_tiles(bench::Runner *runner, uint32_t *words) {
    auto &tiles = static_cast<bench::Bench *>(runner)->tiles;
    for (size_t number = 0; words && number < tiles.size(); number++) {
        auto &tile = tiles[number];
        const std::array<uint32_t, 4> own = {tile.x, tile.y, tile.first, tile.last};
        words = std::copy(own.begin(), own.end(), words);
    }
    return tiles.size();
}


// The bytes of `Bench::hidden`; how many there are.
uint32_t draw_hidden(bench::Runner *runner, uint8_t *bytes) {
    auto &hidden = static_cast<bench::Bench *>(runner)->hidden;
    if (bytes)
        std::copy(hidden.begin(), hidden.end(), bytes);
    return hidden.size();
}

}
