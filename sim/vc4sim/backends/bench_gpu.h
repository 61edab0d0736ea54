// The compiled GPU: what is there once, and kinds of parts that are there several times, all of a kind of the same class.
//
// In front of this file stand the access to the ports of all, namespaces `v3d_ports`, `qpu_ports` and so on, `joints`, which
// says how they belong together, and the list `Kinds`.

#include <string>
#include <tuple>
#include <vector>

namespace bench {

using V3d = v3d::p_top;
using Qpu = qpu::p_top;
namespace ports = v3d_ports;

// The checks of a part.
struct PartChecks : Checks, cxxrtl::performer {
    void on_check(cxxrtl::flavor type, bool condition, const cxxrtl::lazy_fmt &text,
                  const cxxrtl::metadata_map &) override {
        if (type == cxxrtl::flavor::ASSERT && !condition)
            require(false, text().c_str());
    }
};

// Evaluates `part`; of several evaluations in a clock only the last one counts for checks.
template<class Part> void evaluate(Part &part, PartChecks &own, Checks &checks) {
    own.failure.clear();
    checks.require(part.eval(&own), "the signals of a part have not settled");
}

// Whether any register or memory changes.
template<class Part> bool commit_clock(Part &part) {
    bool changed = part.commit();
    part.p_clk.set(false);
    part.prev_p_clk = part.p_clk;
    return changed;
}

// All instances of a kind. One in which nothing changes sleeps: as long as its inputs stay the same, all would stay the same.
template<class Joint> struct Instances {
    std::array<typename Joint::Part, Joint::COUNT> all;

    void begin(V3d &v3d, bool clock, Checks &checks) {
        for (size_t number = 0; number < Joint::COUNT; number++) {
            typename Joint::Inputs words = Joint::take[number](v3d);
            if (!asleep[number] || words != inputs[number])
                evaluate_one(v3d, number, clock, words, checks);
        }
    }

    // Evaluates those again whose inputs have changed in this clock; whether there are none.
    bool settled(V3d &v3d, bool clock, Checks &checks) {
        bool same = true;
        for (size_t number = 0; number < Joint::COUNT; number++) {
            typename Joint::Inputs words = Joint::take[number](v3d);
            if (words == inputs[number])
                continue;
            same = false;
            Joint::rewind(all[number]);
            evaluate_one(v3d, number, clock, words, checks);
        }
        return same;
    }

    void commit() {
        for (size_t number = 0; number < Joint::COUNT; number++)
            if (!asleep[number])
                asleep[number] = !commit_clock(all[number]);
    }

    void tell(Checks &checks) const {
        for (auto &own : its_checks)
            checks.require(own.failure.empty(), own.failure.c_str());
    }

    template<class Signals> void name(Signals *signals) {
        for (size_t number = 0; number < Joint::COUNT; number++)
            all[number].debug_info(signals, nullptr, Joint::NAME + std::to_string(number) + " ");
    }

private:
    std::array<typename Joint::Inputs, Joint::COUNT> inputs;
    std::array<PartChecks, Joint::COUNT> its_checks;
    std::array<bool, Joint::COUNT> asleep = {};

    void evaluate_one(V3d &v3d, size_t number, bool clock, const typename Joint::Inputs &words, Checks &checks) {
        asleep[number] = false;
        inputs[number] = words;
        Joint::set(all[number], words);
        Joint::clk(all[number], clock);
        evaluate(all[number], its_checks[number], checks);
        Joint::give[number](v3d, all[number]);
    }
};

class Gpu {
public:
    V3d v3d;
    Kinds kinds;
    std::array<Qpu, joints::qpu::COUNT> &qpus = std::get<Instances<joints::qpu>>(kinds).all;

    // Evaluates a clock, so that all signals have settled and the registers know their next values, but have not taken them
    // yet. What the parts read of the others follows from registers, so one evaluation of each is enough; where it does not,
    // they are evaluated again. Within each of them one is always enough, see `narrow`.
    void eval(Checks &checks) { settle(true, checks); }

    // Lets all signals follow registers and inputs.
    void settle(Checks &checks) { settle(false, checks); }

    void commit() {
        commit_clock(v3d);
        std::apply([](auto &...kind) { (kind.commit(), ...); }, kinds);
    }

    // One of a kind.
    template<class Joint> const typename Joint::Part &part(size_t number) const {
        return std::get<Instances<Joint>>(kinds).all[number];
    }

    // For waves.
    template<class Signals> void name(Signals *signals) {
        v3d.debug_info(signals, nullptr, "v3d ");
        std::apply([&](auto &...kind) { (kind.name(signals), ...); }, kinds);
    }

    void show_clock(bool level) { ports::clk(v3d, {level}); }

private:
    PartChecks v3d_checks;
    static constexpr int ROUNDS = 16;

    void settle(bool clock, Checks &checks) {
        ports::clk(v3d, {false});
        evaluate(v3d, v3d_checks, checks);
        ports::clk(v3d, {clock});
        std::apply([&](auto &...kind) { (kind.begin(v3d, clock, checks), ...); }, kinds);
        for (int round = 0; round < ROUNDS; round++) {
            evaluate(v3d, v3d_checks, checks);
            if (std::apply([&](auto &...kind) { return (int(kind.settled(v3d, clock, checks)) & ...); }, kinds))
                return tell(checks);
            ports::rewind(v3d);
        }
        checks.require(false, "the signals have not settled");
    }

    void tell(Checks &checks) const {
        std::apply([&](auto &...kind) { (kind.tell(checks), ...); }, kinds);
        checks.require(v3d_checks.failure.empty(), v3d_checks.failure.c_str());
    }
};

}  // namespace bench
