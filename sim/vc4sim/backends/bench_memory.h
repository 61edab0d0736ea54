// The memory of the native bench: does in every clock what `BenchMemory` does in hardware.

#include <deque>
#include <string>
#include <tuple>
#include <vector>

namespace bench {

constexpr uint32_t WORD_BYTES = 8, PAGE = 4096, IN_FLIGHT = 4;

// `kinds`: of records that are told, a bit each.
struct Options {
    uint32_t base, size, latency, chance, seed, max_cycles, kinds;
};

struct Request {
    uint32_t address;
    bool write;
    uint32_t beats, tag;
};

struct Answer {
    uint32_t tag;
    bool error;
};

// The pauses of the channels: a draw for each of them in every clock.
struct Pauses {
    bool requests = false, writes = false, responses = false;
    Random random;

    void next(uint32_t chance, bool response_offered) {
        requests = (random.state & 255) < chance;
        writes = (random.state >> 8 & 255) < chance;
        if (!response_offered)
            responses = (random.state >> 16 & 255) < chance;
        random.next();
    }
};

class Memory {
public:
    std::vector<uint8_t> bytes;
    std::array<uint32_t, 4> written;  // address, strobes and data of the last word
    // Of this clock: whether a request has come, which one, whether the answer to one has ended, and the tag of that.
    bool asked = false, ended = false;
    Request request;
    uint32_t ended_tag = 0;

    Memory(Options &options, const uint8_t *image, Checks &checks)
        : bytes(image, image + options.size), options(options), checks(checks), come(options.latency, false) {
        pauses.random.state = options.seed;
    }

    // Registers of the bench: how often it pauses, and the addresses that it refuses as if they were outside.
    void set(uint32_t number, uint32_t word) {
        const std::array<uint32_t *, 3> registers = {&options.chance, &refused, &refused_end};
        *registers[number] = word;
    }

    // Drives what memory says; it depends on what was before this clock only.
    void offer(V3d &v3d) const {
        bool reads = waited && !requests.front().write;
        bool responds = (answers.size() || reads) && !pauses.responses;
        ports::bus__requests__ready(v3d, {requests.size() < IN_FLIGHT && !pauses.requests});
        ports::bus__writes__ready(
            v3d, {waited && requests.front().write && answers.size() < IN_FLIGHT && !pauses.writes});
        ports::bus__responses__valid(v3d, {responds});
        if (responds && answers.size())
            respond(v3d, answers.front().tag, 0, true, answers.front().error);
        else if (responds)
            respond(v3d, requests.front().tag, word(), last(), !inside());
    }

    // Carries out the clock. Returns whether a word was written: `written` has it.
    bool clock(const V3d &v3d) {
        bool reads = waited && !requests.front().write;
        bool offered = (answers.size() || reads) && !pauses.responses;
        bool responded = offered && high(ports::bus__responses__ready(v3d));
        bool writes = waited && requests.front().write && answers.size() < IN_FLIGHT && !pauses.writes &&
                      high(ports::bus__writes__valid(v3d));
        bool requested = high(ports::bus__requests__valid(v3d));
        asked = requested && requests.size() < IN_FLIGHT && !pauses.requests;
        bool answered = responded && answers.size();
        request = requested ? take(v3d) : Request{};
        ended = responded && (answered || last());
        if (ended)
            ended_tag = answered ? answers.front().tag : requests.front().tag;
        if (answered)
            answers.pop_front();
        if (writes)
            write(v3d);
        if (writes || (responded && !answered))
            move();
        if (asked)
            requests.push_back(request);
        come[now] = asked;
        now = now + 1 == options.latency ? 0 : now + 1;
        waited += come[now];
        pauses.next(options.chance, offered && !responded);
        return writes;
    }

private:
    Options &options;
    Checks &checks;
    std::deque<Request> requests;
    std::deque<Answer> answers;
    Pauses pauses;
    std::vector<bool> come;  // in which of the last clocks requests came
    uint32_t now = 0, waited = 0, beat = 0, refused = 0, refused_end = 0;
    bool error = false;

    uint32_t address() const { return requests.front().address + beat * WORD_BYTES; }
    uint32_t offset() const { return address() - options.base; }
    bool inside() const { return offset() < options.size && !(address() >= refused && address() < refused_end); }
    bool last() const { return beat == requests.front().beats; }

    uint64_t word() const {
        uint64_t bits = 0;
        for (uint32_t byte = 0; inside() && byte < WORD_BYTES; byte++)
            bits |= uint64_t(bytes[offset() + byte]) << 8 * byte;
        return bits;
    }

    Request take(const V3d &v3d) {
        auto payload = ports::bus__requests__payload(v3d);
        Request request = {uint32_t(field(payload, 0, 32)), bool(field(payload, 32, 1)), uint32_t(field(payload, 33, 8)),
                           uint32_t(field(payload, 41, TAG_BITS))};
        uint32_t size = (request.beats + 1) * WORD_BYTES;
        checks.require(request.address % WORD_BYTES == 0, "an address is not aligned");
        checks.require(request.address % PAGE + size <= PAGE, "a request crosses 4 KiB");
        return request;
    }

    static void respond(V3d &v3d, uint32_t tag, uint64_t data, bool last, bool error) {
        std::array<uint32_t, 3> payload = {};
        set_field(payload, 0, TAG_BITS, tag);
        set_field(payload, TAG_BITS, 64, data);
        set_field(payload, TAG_BITS + 64, 1, last);
        set_field(payload, TAG_BITS + 65, 1, error);
        ports::bus__responses__payload(v3d, payload);
    }

    void write(const V3d &v3d) {
        auto payload = ports::bus__writes__payload(v3d);
        uint64_t data = field(payload, 0, 64);
        uint32_t strobes = field(payload, 64, 8);
        checks.require(bool(field(payload, 72, 1)) == last(), "a write ends at the wrong word");
        for (uint32_t byte = 0; inside() && byte < WORD_BYTES; byte++)
            if (strobes >> byte & 1)
                bytes[offset() + byte] = data >> 8 * byte;
        written = {address(), strobes, uint32_t(data), uint32_t(data >> 32)};
        error |= !inside();
        if (last()) {
            answers.push_back({requests.front().tag, error});
            error = false;
        }
    }

    void move() {
        if (!last()) {
            beat++;
            return;
        }
        beat = 0;
        waited--;
        requests.pop_front();
    }
};

}  // namespace bench
