// Records for the tile buffer, and memory with delays and gaps, and what the way into memory must keep to.

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

namespace {

namespace ports = design_ports;
using Top = design::Design;
constexpr uint32_t PAGE = 4096, WORD = 8;
constexpr size_t RECORD_WORDS = (8 * RECORD_BYTES + 31) / 32;

struct Options {
    uint32_t size, latency, gap, seed, most_clocks, records;
};

struct Result {
    uint32_t clocks, requests, words, finished;
    char problem[64];
};

class Bench {
public:
    Bench(const Options &options, const uint8_t *records, uint8_t *memory, uint32_t *taken, Result &result)
        : options(options), records(records), memory(memory), taken(taken), result(result), random{options.seed} {}

    void run(Top &top) {
        uint32_t grace = 20;  // clocks after the end in which nothing must happen
        bool offered = false;
        for (uint32_t number = 0; grace;) {
            if (result.clocks++ == options.most_clocks)
                return fail("it does not end");
            offered = offered || (number < options.records && !random.chance(options.gap));
            std::array<uint32_t, RECORD_WORDS> record = {};
            if (offered)
                std::memcpy(record.data(), records + number * RECORD_BYTES, RECORD_BYTES);
            ports::records__payload(top, record);
            ports::records__valid(top, {offered});
            drive(top);
            top.settle(0);
            if (const char *failure = top.failure())
                return fail(failure);
            observe(top);
            result.finished += ports::finished(top)[0];
            if (offered && ports::records__ready(top)[0]) {
                bool quiet = reads.empty() && writes.empty() && !answers;
                require(quiet || ports::beside(top)[0], "a record ends before memory has answered");
                taken[number++] = result.clocks, offered = false;
            }
            if (number == options.records && !ports::beside(top)[0])
                grace--;
            top.commit();
        }
        require(reads.empty() && writes.empty() && !answers, "something is left over");
    }

private:
    const Options &options;
    const uint8_t *records;
    uint8_t *memory;
    uint32_t *taken;
    Result &result;
    Random random;
    std::deque<Burst> reads, writes;
    uint32_t answers = 0;
    bool responds = false, answers_write = false;
    Steady<2> requests;
    Steady<3> words;
    bool ready_request, ready_word;

    void fail(const char *what) {
        if (!result.problem[0])
            std::strncpy(result.problem, what, sizeof result.problem - 1);
    }

    void require(bool holds, const char *what) {
        if (!holds)
            fail(what);
    }

    void drive(Top &top) {
        ports::port__requests__ready(top, {ready_request = !random.chance(options.gap)});
        ready_word = writes.size() && writes.front().age >= options.latency && !random.chance(options.gap);
        ports::port__writes__ready(top, {ready_word});
        if (!responds && !answers_write && !random.chance(options.gap)) {
            responds = reads.size() && reads.front().age >= options.latency;
            answers_write = !responds && answers;
        }
        std::array<uint32_t, (8 * WORD + 3 + 31) / 32> payload = {};
        if (responds) {
            uint32_t address = reads.front().address;
            for (uint32_t byte = 0; byte < WORD; byte++)
                set_field(payload, 1 + 8 * byte, 8, memory[address + byte]);
            set_field(payload, 1 + 8 * WORD, 1, !reads.front().beats);
        } else if (answers_write) {
            set_field(payload, 1 + 8 * WORD, 1, 1);
        }
        ports::port__responses__payload(top, payload);
        ports::port__responses__valid(top, {responds || answers_write});
    }

    void observe(Top &top) {
        for (auto queue : {&reads, &writes})
            for (auto &burst : *queue)
                burst.age++;
        if (ports::port__responses__ready(top)[0]) {
            if (responds)
                move(reads), result.words++;
            else if (answers_write)
                answers--;
            responds = answers_write = false;
        }
        take_word(top);
        auto payload = ports::port__requests__payload(top);
        bool valid = ports::port__requests__valid(top)[0];
        require(!requests.broken(valid, ready_request, payload), "a request changes");
        if (!valid || !ready_request)
            return;
        Burst burst = {uint32_t(field(payload, 0, 32)), uint32_t(field(payload, 33, 8)), 0};
        require(burst.address % WORD == 0, "an address is not aligned");
        require(burst.address % PAGE + (burst.beats + 1) * WORD <= PAGE, "a request crosses 4 KiB");
        if (burst.address + (burst.beats + 1) * WORD > options.size)
            return fail("a request outside of memory");
        (field(payload, 32, 1) ? writes : reads).push_back(burst);
        result.requests++;
    }

    static bool move(std::deque<Burst> &bursts) {
        bursts.front().address += WORD;
        if (bursts.front().beats--)
            return false;
        bursts.pop_front();
        return true;
    }

    void take_word(Top &top) {
        auto payload = ports::port__writes__payload(top);
        bool valid = ports::port__writes__valid(top)[0];
        require(!words.broken(valid, ready_word, payload), "a word changes");
        if (!valid || !ready_word)
            return;
        uint32_t address = writes.front().address, strobes = field(payload, 8 * WORD, WORD);
        require(strobes, "a word without bytes");
        require(field(payload, 9 * WORD, 1) == !writes.front().beats, "a write ends at the wrong word");
        for (uint32_t byte = 0; byte < WORD; byte++)
            if (strobes >> byte & 1)
                memory[address + byte] = field(payload, 8 * byte, 8);
        result.words++;
        answers += move(writes);
    }
};

}  // namespace

extern "C" Top *make() { return new Top(); }

extern "C" void release(Top *top) { delete top; }

extern "C" void run(Top *top, const Options *options, const uint8_t *records, uint8_t *memory, uint32_t *taken,
                    Result *result) {
    Bench(*options, records, memory, taken, *result).run(*top);
}
