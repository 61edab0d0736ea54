// The compiled GPU: what is there once, and the QPUs, all of them of the same class.
//
// In front of this file stand the access to the ports of both, namespaces `ports` and `qpu_ports`, and `joints`, which says
// how they belong together.

#include <string>
#include <vector>

namespace bench {

using V3d = v3d::p_top;
using Qpu = qpu::p_top;
namespace ports = v3d_ports;

inline bool high(const std::array<uint32_t, 1> &words) { return words[0]; }

// The first check that failed.
struct Checks : cxxrtl::performer {
    std::string failure;

    void require(bool condition, const char *text) {
        if (!condition && failure.empty())
            failure = text;
    }

    void on_check(cxxrtl::flavor type, bool condition, const cxxrtl::lazy_fmt &text,
                  const cxxrtl::metadata_map &) override {
        if (type == cxxrtl::flavor::ASSERT && !condition)
            require(false, text().c_str());
    }
};

class Gpu {
public:
    V3d v3d;
    std::array<Qpu, joints::COUNT> qpus;

    // Evaluates a clock, so that all signals have settled and the registers know their next values, but have not taken them
    // yet. What the QPUs read of the others follows from registers, so one evaluation of each is enough; where it does not,
    // they are evaluated again. Within each of them one is always enough, see `narrow`.
    void eval(Checks &checks) { settle(true, checks); }

    // Lets all signals follow registers and inputs.
    void settle(Checks &checks) { settle(false, checks); }

    void commit() {
        commit(v3d);
        for (auto &qpu : qpus)
            commit(qpu);
    }

private:
    std::array<joints::Inputs, joints::COUNT> inputs;
    std::array<Checks, joints::COUNT> qpu_checks;
    Checks v3d_checks;
    static constexpr int ROUNDS = 16;

    void settle(bool clock, Checks &checks) {
        ports::clk(v3d, {false});
        evaluate(v3d, v3d_checks, checks);
        ports::clk(v3d, {clock});
        for (size_t number = 0; number < joints::COUNT; number++)
            evaluate(number, clock, joints::take[number](v3d), checks);
        for (int round = 0; round < ROUNDS; round++) {
            evaluate(v3d, v3d_checks, checks);
            bool settled = true;
            for (size_t number = 0; number < joints::COUNT; number++) {
                joints::Inputs words = joints::take[number](v3d);
                if (words == inputs[number])
                    continue;
                settled = false;
                qpu_ports::rewind(qpus[number]);
                evaluate(number, clock, words, checks);
            }
            if (settled)
                return tell(checks);
            ports::rewind(v3d);
        }
        checks.require(false, "the signals have not settled");
    }

    void evaluate(size_t number, bool clock, const joints::Inputs &words, Checks &checks) {
        Qpu &qpu = qpus[number];
        inputs[number] = words;
        joints::set(qpu, words);
        qpu_ports::clk(qpu, {clock});
        evaluate(qpu, qpu_checks[number], checks);
        joints::give[number](v3d, qpu);
    }

    // Of several evaluations only the last one counts for checks.
    template<class Part> static void evaluate(Part &part, Checks &own, Checks &checks) {
        own.failure.clear();
        checks.require(part.eval(&own), "the signals of a part have not settled");
    }

    void tell(Checks &checks) const {
        for (auto &own : qpu_checks)
            checks.require(own.failure.empty(), own.failure.c_str());
        checks.require(v3d_checks.failure.empty(), v3d_checks.failure.c_str());
    }

    template<class Part> static void commit(Part &part) {
        part.commit();
        part.p_clk.set(false);
        part.prev_p_clk = part.p_clk;
    }
};

}  // namespace bench
