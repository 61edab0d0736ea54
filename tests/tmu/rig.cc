// A texture unit, clients that write and load as fast as it lets them, and a memory. In front stands `NAMES`: with two, the first
// two clients and the other two are the same QPUs by another name each.
#include <deque>

namespace {
constexpr uint32_t QUADS = 4, LANES = 4, ELEMENTS = QUADS * LANES, SLOTS = 8, LINE_WORDS = 8;
// Words of a parameter: its name, its uniform, how many words must be there before it is written, the vector.
constexpr uint32_t PARAMETER_WORDS = 3 + ELEMENTS;

// A QPU with the parameters that it has to write, and where the words go that it loads.
struct Qpu {
    const uint32_t *parameters;
    uint32_t count;
    uint32_t *results; // of each word: the clock in which it was there, and its elements
    uint32_t quad = 0, slots = 0, there = 0, came = 0, loaded = 0;
    uint32_t written = 0, begun = 0;
    bool writes = false, loads = false, loading = false;
    const Qpu *twin = nullptr; // the same QPU by its other name
};

struct Line {
    uint32_t address, tag, due, word = 0;
};

// Pauses, each with a chance in steps of 1/256.
struct Chance {
    uint32_t chance, state;
    uint32_t draw() { return state ^= state << 13, state ^= state >> 17, state ^= state << 5; }
    bool pause() { return chance && (draw() >> 8 & 255) < chance; }
};

template <size_t N> struct Ports; // of QPU N
#define PORTS(N, QPU) \
    template <> struct Ports<N> { \
        static void drive(design::Design &tmu, const std::array<uint32_t, 6> &parameter, bool stb, bool load) { \
            if (stb) \
                design_ports::parameters__##QPU(tmu, parameter); \
            design_ports::clients__##N##__parameter_stb(tmu, {stb}); \
            design_ports::clients__##N##__load(tmu, {load}); \
        } \
        static uint32_t freed(design::Instance tmu) { return design_ports::clients__##N##__freed(tmu)[0]; } \
        static bool came(design::Instance tmu) { return design_ports::clients__##N##__came_stb(tmu)[0]; } \
        static std::array<uint32_t, 4> result(design::Instance tmu) { return design_ports::clients__##N##__result(tmu); } \
    };
PORTS(0, 0)
PORTS(1, 1)
#if NAMES == 1
PORTS(2, 2)
PORTS(3, 3)
#else
PORTS(2, 0)
PORTS(3, 1)
#endif

template <size_t N> void drive(Qpu &qpu, design::Design &tmu, Chance &gaps) {
    const uint32_t *parameter = qpu.parameters + PARAMETER_WORDS * qpu.written;
    const Qpu *twin = qpu.twin;
    const bool stb = qpu.written < qpu.count && !(twin && (twin->writes || twin->quad)) &&
                     (qpu.quad || (qpu.slots < SLOTS && qpu.came >= parameter[2] && !gaps.pause()));
    qpu.writes = stb;
    qpu.loads = !(twin && (twin->loads || twin->loaded % QUADS)) &&
                ((qpu.loaded % QUADS) || (qpu.there && !gaps.pause()));
    std::array<uint32_t, 6> words{};
    if (stb) {
        // Name and quad are in front of the data, the uniform is after it.
        uint32_t whole[6] = {parameter[0] | qpu.quad << 2};
        for (uint32_t word = 0; word < LANES + 1; word++) {
            const uint32_t value = word < LANES ? parameter[3 + LANES * qpu.quad + word] : parameter[1];
            whole[word] |= value << 4;
            whole[word + 1] = value >> 28;
        }
        std::copy(whole, whole + 6, words.begin());
        qpu.slots += qpu.quad == 0;
        if (++qpu.quad == QUADS)
            qpu.quad = 0, qpu.written++;
    }
    if (qpu.loads && qpu.loaded % QUADS == 0)
        qpu.there--;
    Ports<N>::drive(tmu, words, stb, qpu.loads);
}

template <size_t N> void look(Qpu &qpu, design::Instance tmu, uint32_t clock) {
    if (qpu.loading) {
        const auto words = Ports<N>::result(tmu);
        const uint32_t quad = qpu.loaded - 1;
        std::copy(words.begin(), words.end(), qpu.results + quad / QUADS * (1 + ELEMENTS) + 1 + quad % QUADS * LANES);
    }
    qpu.slots -= Ports<N>::freed(tmu);
    if (Ports<N>::came(tmu)) {
        qpu.results[(1 + ELEMENTS) * qpu.came++] = clock;
        qpu.there++;
    }
    qpu.loading = qpu.loads;
    qpu.loaded += qpu.loads;
}
} // namespace

// Runs until all words have been loaded, or for `clocks`; returns the clock, 0 if a check fails. With pauses the words of
// lines come in any order, and the cache is cleared at times.
extern "C" uint32_t run(const uint32_t *const *parameters, const uint32_t *counts, uint32_t *const *results,
                        uint32_t words, const uint32_t *memory, uint32_t base, uint32_t size, uint32_t latency,
                        uint32_t clocks, uint32_t chance, uint32_t seed, uint32_t *lines) {
    static design::Design tmu;
    tmu = design::Design();
    Chance gaps{chance, seed};
    Qpu qpus[4];
    for (uint32_t number = 0; number < 4; number++)
        qpus[number] = {parameters[number], counts[number], results[number]};
    for (uint32_t number = 0; NAMES == 2 && number < 4; number++)
        qpus[number].twin = &qpus[number ^ 2];
    std::deque<Line> waiting;
    *lines = 0;
    for (uint32_t clock = 1; clock <= clocks; clock++) {
        for (Qpu &qpu : qpus)
            qpu.writes = qpu.loads = false;
        drive<0>(qpus[0], tmu, gaps), drive<1>(qpus[1], tmu, gaps);
        drive<2>(qpus[2], tmu, gaps), drive<3>(qpus[3], tmu, gaps);
        uint32_t ripe = 0;
        while (ripe < waiting.size() && waiting[ripe].due <= clock)
            ripe++;
        const bool answers = ripe && !gaps.pause();
        const uint32_t chosen = answers && chance ? gaps.draw() % ripe : 0;
        std::array<uint32_t, 3> response{};
        if (answers) {
            const Line &line = waiting[chosen];
            const uint32_t offset = line.address - base + 8 * line.word, last = line.word == LINE_WORDS - 1;
            const bool inside = offset < size;
            const uint64_t value = inside ? memory[offset / 4] | uint64_t(memory[offset / 4 + 1]) << 32 : 0xbad;
            response = {line.tag | uint32_t(value << 3), uint32_t(value >> 29), uint32_t(value >> 61) | last << 3 | !inside << 4};
        }
        const bool takes = !gaps.pause();
        design_ports::bus__responses__payload(tmu, response);
        design_ports::bus__responses__valid(tmu, {answers});
        design_ports::bus__requests__ready(tmu, {takes});
        design_ports::clear(tmu, {chance && gaps.draw() % 512 == 0});
        tmu.settle(0);
        if (answers && ++waiting[chosen].word == LINE_WORDS)
            waiting.erase(waiting.begin() + chosen);
        if (takes && design_ports::bus__requests__valid(tmu)[0]) {
            const auto request = design_ports::bus__requests__payload(tmu);
            waiting.push_back({request[0], request[1] >> 9 & 7, clock + latency});
            ++*lines;
        }
        look<0>(qpus[0], tmu, clock), look<1>(qpus[1], tmu, clock);
        look<2>(qpus[2], tmu, clock), look<3>(qpus[3], tmu, clock);
        if (tmu.failure())
            return 0;
        tmu.commit();
        uint32_t loaded = 0;
        for (const Qpu &qpu : qpus)
            loaded += qpu.loaded - qpu.loading;
        if (loaded == QUADS * words)
            return clock;
    }
    return clocks + 1;
}
