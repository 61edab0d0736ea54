// The host of a native bench: scripts of writes to registers of the GPU, and of the bench itself.

namespace bench {

// In place of a clock: when the binner waits for memory.
constexpr uint32_t ON_DEMAND = ~uint32_t(0);
// Offsets from here on are registers of the bench: how many frames are drawn, then those of memory.
constexpr uint32_t OWN = 1u << 31, DRAWN = OWN, OF_MEMORY = OWN + 1;

// Of the host, no earlier than in a clock; with `frames`, so many clocks after the interrupt of that many frames, or after that
// of the next one.
struct Write {
    uint32_t clock, offset, data, frames, script;
};

// Scripts run side by side, each from its first write to its last one; there is one write at a time, the first script first.
class Host {
public:
    uint32_t asked = 0;  // programs
    size_t written = 0;
    bool answered = true;

    Host(const Write *writes, uint32_t count) {
        for (const Write *write = writes; write != writes + count; write++) {
            if (scripts.size() <= write->script)
                scripts.resize(write->script + 1);
            scripts[write->script].writes.push_back(*write);
        }
    }

    // The next write that `is_due`, which is none while the one before has no answer. It stays until it is taken.
    template<class IsDue> const Write *offer(const IsDue &is_due) {
        for (auto &script : scripts)
            if (answered && !offered && !script.ended() && is_due(script.next()))
                offered = &script;
        return offered ? &offered->next() : nullptr;
    }

    // It is taken.
    void take() {
        asked += offered->next().offset == START_OFFSET;
        offered->done++;
        offered = nullptr;
        written++;
    }

    // Whether time is due for a write, whatever else it waits for.
    bool is_time(const Write &write, uint32_t cycles) const {
        if (!write.frames)
            return cycles >= write.clock;
        return drawn > write.frames || (drawn == write.frames && cycles - since >= write.clock);
    }

    // Whether there is a write that is due, or that only waits for its clock.
    template<class Demands> bool is_busy(const Demands &demands) const {
        if (!answered)
            return true;
        for (auto &script : scripts)
            if (!script.ended() && (script.next().clock == ON_DEMAND ? demands() : drawn >= script.next().frames))
                return true;
        return false;
    }

    // Whether nothing is left but for what nobody may demand.
    bool has_ended() const {
        for (auto &script : scripts)
            if (!script.ended() && script.next().clock != ON_DEMAND)
                return false;
        return answered;
    }

    // The interrupt line in a clock: each time it rises a frame is drawn.
    void see(bool irq, uint32_t cycles) {
        if (irq && !raised) {
            drawn++;
            since = cycles + 1;
        }
        raised = irq;
    }

    // So many frames count as drawn from a clock on, whatever has become of the last one.
    void count(uint32_t frames, uint32_t cycles) {
        drawn = frames;
        since = cycles;
    }

private:
    struct Script {
        std::vector<Write> writes;
        size_t done = 0;

        bool ended() const { return done == writes.size(); }
        const Write &next() const { return writes[done]; }
    };
    std::vector<Script> scripts;
    Script *offered = nullptr;
    uint32_t drawn = 0, since = 0;  // frames, and the clock after the interrupt of the last one
    bool raised = false;
};

}  // namespace bench
