// A load and a store of the DMA engines: the VPM and memory, with delays and gaps, and what the engines must keep to.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>

namespace {

namespace ports = design_ports;
using Top = design::Design;
constexpr uint32_t PAGE = 4096, ROW_BYTES = 64;

struct Options {
    uint32_t base, size, latency, gap, vpm_gap, seed, most_clocks;
    uint32_t load[3], store[3];  // set-up, pitch or stride, address
    uint32_t loads, stores;      // whether there is one, and the clock in which it comes: 0: none, 1: the first
};

struct Result {
    uint32_t clocks, load_clocks, store_clocks, read_words, write_words, quads_read, quads_written;
    uint32_t load_error, store_error, load_bad, store_bad;
    uint32_t load_rows[2], store_rows[2];  // first and count, once they are known
    char problem[64];
};

class Bench {
public:
    Bench(const Options &options, uint8_t *memory, uint8_t *vpm, Result &result)
        : options(options), memory(memory), vpm(vpm), result(result), random{options.seed} {}

    void run(Top &top) {
        bool load_waits = options.loads, store_waits = options.stores;
        bool load_runs = false, store_runs = false;
        uint32_t grace = 8;  // clocks after the end in which nothing must happen
        while (grace) {
            if (result.clocks++ == options.most_clocks)
                return fail("it does not end");
            bool load_comes = load_waits && result.clocks >= options.loads;
            bool store_comes = store_waits && result.clocks >= options.stores;
            drive(top, load_comes, store_comes);
            top.settle(0);
            if (const char *failure = top.failure())
                return fail(failure);
            observe(top);
            announce(ports::unwritten(top), result.load_rows, load_runs);
            announce(ports::unread(top), result.store_rows, store_runs);
            if (load_comes && ports::loads__ready(top)[0])
                load_waits = false, load_runs = true, result.load_clocks = result.clocks;
            if (store_comes && ports::stores__ready(top)[0])
                store_waits = false, store_runs = true, result.store_clocks = result.clocks;
            finish(ports::load_done(top)[0], load_runs, result.load_clocks);
            finish(ports::store_done(top)[0], store_runs, result.store_clocks);
            result.load_bad += ports::load_bad_setup(top)[0];
            result.store_bad += ports::store_bad_setup(top)[0];
            if (!load_waits && !load_runs && !store_waits && !store_runs)
                grace--;
            top.commit();
        }
        result.load_error = ports::load_error(top)[0];
        result.store_error = ports::store_error(top)[0];
        if (reads.size() || writes.size() || answers.size() || quad_comes)
            fail("something is left over");
        if (field(ports::unread(top), 7, 8) || field(ports::unwritten(top), 7, 8))
            fail("rows are left over");
    }

private:
    const Options &options;
    uint8_t *memory, *vpm;
    Result &result;
    Random random;
    std::deque<Burst> reads, writes;
    std::deque<bool> answers;
    bool write_error = false, quad_comes = false;
    std::array<uint32_t, 4> quad = {};
    bool responds = false, answers_write = false;
    Steady<2> load_requests, store_requests;
    Steady<(9 * WORD_BYTES + 32) / 32> words;
    Steady<1> quad_reads;
    Steady<5> quad_writes;
    bool ready_load_request, ready_store_request, ready_word, ready_read, ready_write;

    void fail(const char *what) {
        if (!result.problem[0])
            std::strncpy(result.problem, what, sizeof result.problem - 1);
    }

    void require(bool holds, const char *what) {
        if (!holds)
            fail(what);
    }

    void finish(bool done, bool &runs, uint32_t &clocks) {
        if (!done)
            return;
        require(runs, "done without a block");
        runs = false;
        clocks = result.clocks - clocks;
    }

    // In the first clock of a block all rows are announced, from then on its own ones.
    template<size_t Words> void announce(const std::array<uint32_t, Words> &range, uint32_t (&rows)[2], bool runs) {
        uint32_t count = field(range, 7, 8);
        require(runs || !count, "rows without a block");
        if (runs && !rows[1] && count) {
            rows[1] = ~0;
            require(count == 128, "the first clock does not announce all rows");
        } else if (rows[1] == ~0u) {
            rows[0] = field(range, 0, 7);
            rows[1] = count;
        } else if (runs) {
            require(!count || (count == rows[1] && field(range, 0, 7) == rows[0]), "the announced rows change");
        }
    }

    bool inside(uint32_t address) const { return address - options.base < options.size; }

    void drive(Top &top, bool load_comes, bool store_comes) {
        std::array<uint32_t, 3> load = {}, store = {};
        set_field(load, 0, 32, options.load[0]);
        set_field(load, 32, 13, options.load[1]);
        set_field(load, 45, 32, options.load[2]);
        for (int part = 0; part < 3; part++)
            set_field(store, 32 * part, 32, options.store[part]);
        ports::loads__payload(top, load);
        ports::loads__valid(top, {load_comes});
        ports::stores__payload(top, store);
        ports::stores__valid(top, {store_comes});
        ports::load_bus__requests__ready(top, {ready_load_request = !random.chance(options.gap)});
        ports::store_bus__requests__ready(top, {ready_store_request = !random.chance(options.gap)});
        ready_word = writes.size() && writes.front().age >= options.latency && !random.chance(options.gap);
        ports::store_bus__writes__ready(top, {ready_word});
        ports::reads__ready(top, {ready_read = !random.chance(options.vpm_gap)});
        ports::writes__ready(top, {ready_write = !random.chance(options.vpm_gap)});
        ports::read_data(top, quad_comes ? quad : std::array<uint32_t, 4>{random.state, random.state, 1, 2});
        respond(top);
        answers_write = answers_write || (answers.size() && !random.chance(options.gap));
        std::array<uint32_t, (8 * WORD_BYTES + 3 + 31) / 32> answer = {};
        if (answers_write) {
            set_field(answer, 1 + 8 * WORD_BYTES, 1, 1);
            set_field(answer, 2 + 8 * WORD_BYTES, 1, answers.front());
        }
        ports::store_bus__responses__payload(top, answer);
        ports::store_bus__responses__valid(top, {answers_write});
    }

    void respond(Top &top) {
        responds = responds || (reads.size() && reads.front().age >= options.latency && !random.chance(options.gap));
        std::array<uint32_t, (8 * WORD_BYTES + 3 + 31) / 32> payload = {};
        if (responds) {
            uint32_t address = reads.front().address;
            for (uint32_t byte = 0; byte < WORD_BYTES; byte++)
                set_field(payload, 1 + 8 * byte, 8, inside(address) ? memory[address - options.base + byte] : 0xEE);
            set_field(payload, 1 + 8 * WORD_BYTES, 1, !reads.front().beats);
            set_field(payload, 2 + 8 * WORD_BYTES, 1, !inside(address));
        }
        ports::load_bus__responses__payload(top, payload);
        ports::load_bus__responses__valid(top, {responds});
    }

    void observe(Top &top) {
        for (auto queue : {&reads, &writes})
            for (auto &burst : *queue)
                burst.age++;
        if (responds && ports::load_bus__responses__ready(top)[0])
            move(reads), responds = false, result.read_words++;
        if (answers_write && ports::store_bus__responses__ready(top)[0])
            answers.pop_front(), answers_write = false;
        take_word(top);
        take_request(ports::load_bus__requests__valid(top)[0], ready_load_request,
                     ports::load_bus__requests__payload(top), load_requests, false);
        take_request(ports::store_bus__requests__valid(top)[0], ready_store_request,
                     ports::store_bus__requests__payload(top), store_requests, true);
        read_quad(top);
        write_quad(top);
        require(!ports::load_bus__writes__valid(top)[0], "a load writes");
        require(ports::load_stalled(top)[0] == (ports::writes__valid(top)[0] && !ready_write), "load_stalled");
        require(ports::store_stalled(top)[0] == (ports::reads__valid(top)[0] && !ready_read), "store_stalled");
    }

    static bool move(std::deque<Burst> &bursts) {
        bursts.front().address += WORD_BYTES;
        if (bursts.front().beats--)
            return false;
        bursts.pop_front();
        return true;
    }

    void take_request(bool valid, bool ready, const std::array<uint32_t, 2> &payload, Steady<2> &steady, bool write) {
        require(!steady.broken(valid, ready, payload), "a request changes");
        if (!valid || !ready)
            return;
        Burst burst = {uint32_t(field(payload, 0, 32)), uint32_t(field(payload, 33, 8)), 0};
        require(field(payload, 32, 1) == write, "a request of the wrong direction");
        require(burst.address % WORD_BYTES == 0, "an address is not aligned");
        require(burst.address % PAGE + (burst.beats + 1) * WORD_BYTES <= PAGE, "a request crosses 4 KiB");
        require(field(payload, 41, 1) == 0, "a tag");
        (write ? writes : reads).push_back(burst);
    }

    void take_word(Top &top) {
        auto payload = ports::store_bus__writes__payload(top);
        bool valid = ports::store_bus__writes__valid(top)[0];
        require(!words.broken(valid, ready_word, payload), "a word changes");
        if (!valid || !ready_word)
            return;
        uint32_t address = writes.front().address;
        uint32_t strobes = field(payload, 8 * WORD_BYTES, WORD_BYTES);
        require(strobes, "a word without bytes");
        require(field(payload, 9 * WORD_BYTES, 1) == !writes.front().beats, "a write ends at the wrong word");
        for (uint32_t byte = 0; byte < WORD_BYTES; byte++)
            if (inside(address) && strobes >> byte & 1)
                memory[address - options.base + byte] = field(payload, 8 * byte, 8);
        write_error |= !inside(address);
        result.write_words++;
        if (move(writes))
            answers.push_back(write_error), write_error = false;
    }

    // The byte of the VPM where a word of a quad is.
    uint32_t place(uint64_t address, uint32_t word) {
        uint32_t column = address & 15, row = address >> 4 & 255, vertical = address >> 12;
        require(!(vertical ? row % 4 : column % 4), "a quad is not aligned");
        (vertical ? row : column) += word;
        return row * ROW_BYTES + column * 4;
    }

    template<size_t Words> void announced(uint32_t row, const std::array<uint32_t, Words> &range) {
        require((row - field(range, 0, 7)) % 128 < field(range, 7, 8), "a row that was not announced");
    }

    void read_quad(Top &top) {
        auto payload = ports::reads__payload(top);
        bool valid = ports::reads__valid(top)[0];
        require(!quad_reads.broken(valid, ready_read, payload), "a read changes");
        quad_comes = valid && ready_read;
        if (!quad_comes)
            return;
        uint64_t address = field(payload, 0, 13);
        require(field(ports::unread(top), 7, 8), "a read that was not announced");
        for (uint32_t word = 0; word < 4; word++)
            std::memcpy(&quad[word], vpm + place(address, word), 4);
        result.quads_read++;
    }

    void write_quad(Top &top) {
        auto payload = ports::writes__payload(top);
        bool valid = ports::writes__valid(top)[0];
        require(!quad_writes.broken(valid, ready_write, payload), "a quad changes");
        if (!valid || !ready_write)
            return;
        uint64_t address = field(payload, 0, 13), enable = field(payload, 13, 16);
        require(enable || ports::load_error(top)[0], "a quad without bytes");
        for (uint32_t byte = 0; byte < 16; byte++) {
            if (!(enable >> byte & 1))
                continue;
            uint32_t at = place(address, byte / 4) + byte % 4;
            announced(at / ROW_BYTES, ports::unwritten(top));
            vpm[at] = field(payload, 29 + 8 * byte, 8);
        }
        result.quads_written++;
    }
};

}  // namespace

// The engines, which go on from block to block.
extern "C" Top *make() { return new Top(); }

extern "C" void release(Top *top) { delete top; }

extern "C" void run(Top *top, const Options *options, uint8_t *memory, uint8_t *vpm, Result *result) {
    Bench(*options, memory, vpm, *result).run(*top);
}
