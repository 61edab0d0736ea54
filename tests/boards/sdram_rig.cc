// Random requests to a memory, which is compared with an array: `rig SEED REQUESTS GAP`, where GAP is the chance of a pause on each
// channel, in steps of 1/256. The module is `sdram`, with the ports of a `MemoryPort`; TAG_BITS and SIZE are defined. Where SCREEN is, it
// is 1 or 2, the bytes of a pixel are 4 or 2, and a screen shows a picture as large as it is; what it tells comes at the end.
#include "Vsdram.h"
#include "Vsdram___024root.h"
#include "verilated.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <unordered_map>
#include <vector>

namespace {
constexpr uint64_t WORDS = SIZE / 8;
#ifdef MOST_WORDS
constexpr uint64_t MOST = MOST_WORDS; // of a request
#else
constexpr uint64_t MOST = 256;
#endif
struct Request {
    uint32_t address, beats, tag;
    bool write;
};
struct Word {
    uint64_t data;
    uint32_t strobes;
    bool last;
};
struct Answer {
    uint32_t tag;
    uint64_t data;
    bool known, last, error; // what was never written is not known
    uint32_t address;
};

// What memory holds, by the numbers of its words; bytes that were written, a bit each.
struct Cell {
    uint64_t data = 0;
    uint32_t written = 0;
};

class Traffic {
    std::mt19937_64 random_;
    std::unordered_map<uint64_t, Cell> cells_;
    std::vector<uint64_t> places_;

  public:
    explicit Traffic(uint64_t seed) : random_(seed) {
        // A few neighbourhoods, so that words are met again: in all banks, at both ends.
        for (int place = 0; place < 12; place++)
            places_.push_back(random_() % WORDS);
        places_.push_back(0);
#ifndef SCREEN
        places_.push_back(WORDS - 1);
#endif
    }
    // A picture in the middle of memory, see `vc4.dvi.picture`.
    void describe(std::deque<Request> &requests, std::deque<Word> &words, std::deque<Answer> &answers, uint32_t bytes) {
        const uint64_t sign = 0x776f6873, format = bytes == 2, address = SIZE / 2, pitch = 640 * bytes;
        requests.push_back({SIZE - 32, 2, 0, true});
        words.push_back({sign | format << 32, 255, false});
        words.push_back({address | pitch << 32, 255, false});
        words.push_back({640 | 480ull << 32, 255, true});
        answers.push_back({0, 0, false, true, false, SIZE - 32});
    }
    void ask_what_was_shown(std::deque<Request> &requests, std::deque<Answer> &answers) {
        requests.push_back({SIZE - 8, 0, 0, false});
        answers.push_back({0, 0, false, true, false, SIZE - 8});
    }
    uint64_t below(uint64_t bound) { return random_() % bound; }
    void add(std::deque<Request> &requests, std::deque<Word> &words, std::deque<Answer> &answers) {
        const uint64_t first = below(40) == 0 ? WORDS + below((1ull << 29) - WORDS) : (places_[below(places_.size())] + below(64)) % WORDS;
        const uint64_t in_page = 512 - first % 512;
        const uint64_t count = std::min<uint64_t>(in_page, below(3) ? 1 + below(8) : below(8) ? 8 : 1 + below(MOST));
        const bool write = below(2), outside = first >= WORDS;
        const Request request{uint32_t(first * 8), uint32_t(count - 1), uint32_t(below(1u << TAG_BITS)), write};
        requests.push_back(request);
        for (uint64_t beat = 0; beat < count; beat++) {
            const bool last = beat == count - 1;
            Cell &cell = cells_[first + beat];
            if (write) {
                const Word word{random_(), uint32_t(below(3) ? 255 : below(256)), last};
                words.push_back(word);
                for (int byte = 0; byte < 8 && !outside; byte++)
                    if (word.strobes >> byte & 1) {
                        const uint64_t mask = 0xffull << 8 * byte;
                        cell.data = (cell.data & ~mask) | (word.data & mask);
                        cell.written |= 1 << byte;
                    }
                if (last)
                    answers.push_back({request.tag, 0, false, true, outside, request.address});
            } else {
                const uint64_t data = outside ? 0 : cell.data;
                answers.push_back({request.tag, data, outside || cell.written == 255, last, outside, request.address});
            }
        }
    }
};

// One of the controller. What FAST names, the clock of pins, has two in it, and rises with it.
void pass_clock(Vsdram &memory) {
    for (const int half : {1, 0}) {
        memory.clk = half;
#ifdef FAST
        memory.rootp->FAST = 1, memory.eval();
        memory.rootp->FAST = 0;
#endif
        memory.eval();
    }
#ifdef SCREEN
    // That of pixels is half as fast, and changes at another time.
    memory.pixel_clk = !memory.pixel_clk, memory.eval();
#endif
}

int fail(uint64_t clock, const char *what, uint64_t found, uint64_t wanted) {
    std::printf("clock %" PRIu64 ": %s is %" PRIx64 ", not %" PRIx64 "\n", clock, what, found, wanted);
    return 1;
}
} // namespace

int main(int, char **arguments) {
    const uint64_t seed = std::strtoull(arguments[1], nullptr, 0), count = std::strtoull(arguments[2], nullptr, 0);
    const uint32_t gap = std::strtoul(arguments[3], nullptr, 0);
    Traffic traffic(seed);
    std::mt19937 pauses(seed);
    const auto pause = [&] { return pauses() % 256 < gap; };
    std::deque<Request> requests;
    std::deque<Word> words;
    std::deque<Answer> answers;
#ifdef SCREEN
    traffic.describe(requests, words, answers, SCREEN);
#endif
    for (uint64_t number = 0; number < count; number++)
        traffic.add(requests, words, answers);
#ifdef SCREEN
    traffic.ask_what_was_shown(requests, answers);
#endif
    const uint64_t moved = words.size() + answers.size();
    Vsdram memory;
    memory.clk = 0, memory.rst = 1;
    for (int clock = 0; clock < 2; clock++)
        pass_clock(memory);
    memory.rst = 0;
    uint64_t ready_at = 0, clock = 0, quiet = 0, known = 0, errors = 0;
    for (; !answers.empty(); clock++) {
        // What is offered stays.
        if (!memory.bus_requests_valid && !requests.empty() && !pause()) {
            const Request &one = requests[0];
            memory.bus_requests_payload = uint64_t(one.address) | uint64_t(one.write) << 32 | uint64_t(one.beats) << 33 |
                                          uint64_t(one.tag) << 41;
            memory.bus_requests_valid = 1;
        }
        if (!memory.bus_writes_valid && !words.empty() && !pause()) {
            memory.bus_writes_payload[0] = words[0].data, memory.bus_writes_payload[1] = words[0].data >> 32;
            memory.bus_writes_payload[2] = words[0].strobes | words[0].last << 8;
            memory.bus_writes_valid = 1;
        }
        memory.bus_responses_ready = !pause();
        memory.eval();
        if (memory.ready && !ready_at)
            ready_at = clock;
        const bool asks = memory.bus_requests_valid && memory.bus_requests_ready;
        const bool gives = memory.bus_writes_valid && memory.bus_writes_ready;
        const bool error = memory.error_stb;
        quiet++;
        if (memory.bus_responses_valid && memory.bus_responses_ready) {
            const auto &found = memory.bus_responses_payload;
            const auto whole = found[0] | (unsigned __int128)(found[1]) << 32 | (unsigned __int128)(found[2]) << 64;
            const Answer wanted = answers[0];
            answers.pop_front();
            quiet = 0;
            const uint64_t tag = uint64_t(whole) & ((1u << TAG_BITS) - 1), data = whole >> TAG_BITS;
            const uint64_t ends = uint64_t(whole >> (TAG_BITS + 64));
            if (tag != wanted.tag)
                return fail(clock, "a tag", tag, wanted.tag);
            if (wanted.known && data != wanted.data)
                return fail(clock, "a word", data, wanted.data);
            if (ends != (uint64_t(wanted.last) | uint64_t(wanted.error) << 1))
                return fail(clock, "last and error", ends, wanted.last | wanted.error << 1);
#ifdef SCREEN
            if (answers.empty())
                std::printf("%" PRIu64 " frames, %" PRIu64 " rows missed\n", data & 0xffffffff, data >> 32);
#else
            if (error != wanted.error || (error && memory.error_address != wanted.address))
                return fail(clock, "the address of an error", memory.error_address, wanted.address);
#endif
            known += wanted.known, errors += wanted.error;
        } else if (error)
            return fail(clock, "an error that nobody takes", error, 0);
        if (quiet > 60000)
            return fail(clock, "what is left for ever", answers.size(), 0);
        pass_clock(memory);
        if (asks)
            requests.pop_front(), memory.bus_requests_valid = 0;
        if (gives)
            words.pop_front(), memory.bus_writes_valid = 0;
    }
    std::printf("%" PRIu64 " words and answers in %" PRIu64 " clocks after %" PRIu64 ", %" PRIu64 " compared, %" PRIu64 " errors\n", moved,
                clock - ready_at, ready_at, known, errors);
    return 0;
}
