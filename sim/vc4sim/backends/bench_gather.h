// Gathers the record of a retired instruction from the trace port: does what `Gather` does in hardware.
//
// Where the fields lie is told by constants in front of this file: `ISSUE_x` and `WRITTEN_x` for the structs of the port,
// `RECORD_x` for the record.

namespace bench {

// What arrives in r4, put together from four quads.
struct R4 {
    static constexpr size_t LANES = 4, LAST = 3;
    std::array<uint32_t, LANES * (LAST + 1)> vector;
    bool complete = false;  // it has arrived in the clock before

    template<class Quad> void clock(bool arrives, const Quad &part) {
        uint64_t quad = field(part, QUAD_quad, 2);
        complete = arrives && quad == LAST;
        for (size_t lane = 0; arrives && lane < LANES; lane++)
            vector[LANES * quad + lane] = field(part, QUAD_data + 32 * lane, 32);
    }
};

class Gather {
public:
    std::array<uint32_t, RECORD_WORDS> record;
    std::array<uint32_t, STALL_COUNT> stalls = {};

    bool complete = false;  // an instruction has retired in the clock before: `record` has it
    std::array<R4, 2> r4;  // of R4_SOURCES

    // What nobody wants, `record` or `r4`, is not put together.
    void clock(const Qpu &qpu, bool wants_record, bool wants_r4) {
        if (high(qpu_ports::trace__slot_end(qpu)) && high(qpu_ports::trace__running(qpu)))
            count(qpu_ports::trace__stall(qpu)[0]);
        if (wants_record && high(qpu_ports::trace__issue_stb(qpu)))
            issued[next_issued++ % IN_FLIGHT] = qpu_ports::trace__issue(qpu);
        if (wants_r4) {
            r4[0].clock(high(qpu_ports::trace__result_stb(qpu)), qpu_ports::trace__result(qpu));
            r4[1].clock(high(qpu_ports::trace__loaded_stb(qpu)), qpu_ports::trace__loaded(qpu));
        }
        complete = false;
        if (high(qpu_ports::trace__written_stb(qpu))) {
            complete = field(qpu_ports::trace__written(qpu), WRITTEN_quad, 2) == QUADS - 1;
            if (wants_record)
                write(qpu_ports::trace__written(qpu));
        }
    }

    static bool runs(const Qpu &qpu) { return high(qpu_ports::trace__running(qpu)); }

    // Why the instruction in SP waits, if there is one.
    static uint32_t stall(const Qpu &qpu) { return high(qpu_ports::trace__sp_valid(qpu)) ? qpu_ports::trace__stall(qpu)[0] : 0; }

    // `QpuState`.
    uint32_t *report(const Qpu &qpu, uint32_t *words) const {
        *words++ = runs(qpu);
        *words++ = qpu_ports::trace__stall(qpu)[0];
        *words++ = qpu_ports::trace__sp_pc(qpu)[0];
        return std::copy(stalls.begin(), stalls.end(), words);
    }

private:
    static constexpr size_t IN_FLIGHT = 8, QUADS = 4, LANES = 4, ELEMENTS = 16;
    using Issue = decltype(qpu_ports::trace__issue(std::declval<Qpu>()));
    using Written = decltype(qpu_ports::trace__written(std::declval<Qpu>()));
    std::array<Issue, IN_FLIGHT> issued;
    size_t next_issued = 0, next_retired = 0;

    void count(uint32_t stall) {
        if (stall)
            stalls[__builtin_ctz(stall)] += QUADS;
    }

    void write(const Written &written) {
        uint64_t quad = field(written, WRITTEN_quad, 2);
        if (quad == 0)
            record = {};
        std::copy_n(written.begin() + WRITTEN_add_data / 32, LANES, record.begin() + RECORD_add_data / 32 + LANES * quad);
        std::copy_n(written.begin() + WRITTEN_mul_data / 32, LANES, record.begin() + RECORD_mul_data / 32 + LANES * quad);
        gather(written, WRITTEN_add_mask, RECORD_add_mask, quad);
        gather(written, WRITTEN_mul_mask, RECORD_mul_mask, quad);
        gather(written, WRITTEN_n, RECORD_n, quad);
        gather(written, WRITTEN_z, RECORD_z, quad);
        gather(written, WRITTEN_c, RECORD_c, quad);
        gather(written, WRITTEN_flag_mask, RECORD_flag_mask, quad);
        if (quad != QUADS - 1)
            return;
        set_field(record, RECORD_add_address, 7, field(written, WRITTEN_add_address, 7));  // and the file
        set_field(record, RECORD_add_bytes, 4, field(written, WRITTEN_add_bytes, 4));
        set_field(record, RECORD_mul_address, 7, field(written, WRITTEN_mul_address, 7));
        set_field(record, RECORD_mul_bytes, 4, field(written, WRITTEN_mul_bytes, 4));
        set_field(record, RECORD_sets_flags, 1, field(written, WRITTEN_sets_flags, 1));
        const Issue &issue = issued[next_retired++ % IN_FLIGHT];
        std::copy_n(issue.begin(), RECORD_add_data / 32, record.begin());  // pc, word and uniform
        set_field(record, RECORD_reads_uniform, 5, field(issue, ISSUE_reads_uniform, 5));  // and the bits after it
        set_field(record, RECORD_thread, 1, field(issue, ISSUE_thread, 1));
        set_field(record, RECORD_brings_result, 2, field(issue, ISSUE_brings_result, 2));  // and whether a loaded word
    }

    void gather(const Written &written, size_t from, size_t to, uint64_t quad) {
        set_field(record, to + LANES * quad, LANES, field(written, from, LANES));
    }
};

}  // namespace bench
