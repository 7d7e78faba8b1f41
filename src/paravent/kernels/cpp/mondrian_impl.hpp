// The body of mondrian.hpp, compiled once for each instruction set (PARAVENT_ISA names the copy): one recursion over
// groups, whatever rule chooses their cuts.
#include "mondrian_cuts.hpp"

namespace paravent::PARAVENT_ISA {

template <class Rows> class Recursion {
    struct Bench {  // what one thread keeps
        Cuts<Rows> cuts;
        std::vector<int64_t> starts, tree;
        std::vector<double> score;
    };
    struct Open {  // a group that waits for the guard
        Segment segment;
        std::vector<Cut> cuts;
        bool sampled;
        size_t tried = 0, at_once = 1;  // cuts
        int64_t chosen = -1;
    };

    const Problem& p;
    Rows rows{p};
    std::vector<Bench> benches{static_cast<size_t>(p.guard ? 1 : std::max(1, p.threads)),
                               Bench{Cuts<Rows>(rows), {}, {}, {}}};
    std::atomic<int64_t> done{0};

    void finish(Bench& b, Segment s) {
        b.starts.push_back(s.begin);
        done.fetch_add(s.rows(), std::memory_order_relaxed);
    }
    std::pair<Segment, Segment> carry_out(Bench& b, Segment s, const Cut& cut) {
        const auto parts = rows.split(s, cut);
        b.tree.insert(b.tree.end(), {s.begin, parts.first.end, s.end, cut.axis});
        b.score.push_back(cut.score);
        return parts;
    }
    bool leaves_k(Segment s, const Cut& cut) const {
        const int64_t left = rows.count_left(s, cut);
        return left >= p.k && s.weight - left >= p.k;
    }
    void tell() const {
        if (p.watch) p.watch(p.rows ? ratio(done, p.rows) : 1.0);
    }

    // The best cut of a group that leaves k people on both sides. A sample may offer none: then all rows are looked at.
    const Cut* best(Bench& b, Segment s) const {
        if (b.cuts.samples(s)) {
            b.cuts.find(s, true);
            for (const Cut& cut : b.cuts.found)
                if (leaves_k(s, cut)) return &cut;
        }
        b.cuts.find(s, false, true);
        return b.cuts.found.empty() ? nullptr : &b.cuts.found[0];
    }

    Open opened(Bench& b, Segment s, bool sampled) const {
        b.cuts.find(s, sampled);
        return {s, b.cuts.found, sampled};
    }

    // Offer each group's cuts to the guard, best first, a few at a time, until one is allowed or none is left.
    void judge(Bench& b, std::vector<Open>& open) const {
        std::vector<int64_t> sizes;
        std::vector<std::pair<size_t, size_t>> asked;  // (group, cut)
        bool waiting = true;
        while (waiting) {
            sizes.clear();
            asked.clear();
            std::vector<Histograms> histograms(p.sensitive.size());
            for (size_t g = 0; g < open.size(); ++g) {
                Open& o = open[g];
                if (o.chosen < 0 && o.sampled && o.tried == o.cuts.size())  // nothing of the sample's is allowed
                    o = opened(b, o.segment, false);
                for (size_t q = 0; o.chosen < 0 && q < o.at_once && o.tried < o.cuts.size(); ++q, ++o.tried) {
                    if (!leaves_k(o.segment, o.cuts[o.tried])) continue;
                    asked.emplace_back(g, o.tried);
                    std::vector<int32_t> side[2];
                    rows.sides(o.segment, o.cuts[o.tried],
                               [&](int64_t i, bool left) { side[left ? 0 : 1].push_back(rows.id[i]); });
                    for (const auto& members : side) {
                        sizes.push_back(count_of(members));
                        for (size_t c = 0; c < histograms.size(); ++c) histograms[c].add(p.sensitive[c], members);
                    }
                }
                o.at_once *= 4;
            }
            const std::vector<uint8_t> holds = asked.empty() ? std::vector<uint8_t>() : p.guard(sizes, histograms);
            for (size_t a = 0; a < asked.size(); ++a) {
                Open& o = open[asked[a].first];
                if (o.chosen < 0 && holds[2 * a] && holds[2 * a + 1]) o.chosen = static_cast<int64_t>(asked[a].second);
            }
            waiting = std::any_of(open.begin(), open.end(),
                                  [](const Open& o) { return o.chosen < 0 && (o.sampled || o.tried < o.cuts.size()); });
        }
    }

    // Cut some groups once, or finish them; a guard judges them together. Their parts are added to `parts`.
    void settle(Bench& b, const std::vector<Segment>& groups, std::vector<Segment>& parts) {
        const auto cut_or_finish = [&](Segment s, const Cut* cut) {
            if (!cut) return finish(b, s);
            const auto [left, right] = carry_out(b, s, *cut);
            parts.insert(parts.end(), {right, left});
        };
        if (!p.guard) {
            for (Segment s : groups) cut_or_finish(s, best(b, s));
            return;
        }
        std::vector<Open> open;
        for (Segment s : groups) open.push_back(opened(b, s, b.cuts.samples(s)));
        judge(b, open);
        for (const Open& o : open) cut_or_finish(o.segment, o.chosen < 0 ? nullptr : &o.cuts[o.chosen]);
    }

    // Threads share the groups: a task is a large one, and those that it becomes. A guard is asked by one thread, about
    // as many groups at once as hold so many rows.
    void cut_all() {
        constexpr int64_t often = 1 << 18;  // rows looked at until the caller hears again
        const int64_t small = p.guard ? p.rows : std::max<int64_t>(4096, p.rows / 64), at_once = p.guard ? 1 << 20 : 1;
        int64_t looked = 0;
        Crew<Segment> crew;
        crew.push(rows.all());
        crew.run(static_cast<int>(benches.size()), [&](Segment task, int thread) {
            std::vector<Segment> stack{task}, groups, parts;
            while (!stack.empty() && !crew.stopped()) {
                int64_t here = 0;
                for (groups.clear(); !stack.empty() && here < at_once; stack.pop_back()) {
                    groups.push_back(stack.back());
                    here += stack.back().rows();
                }
                if (thread == 0 && (looked += here) > often) {
                    looked = 0;
                    tell();
                }
                parts.clear();
                settle(benches[thread], groups, parts);
                for (Segment part : parts) part.rows() > small ? crew.push(part) : stack.push_back(part);
            }
        });
        tell();
    }

 public:
    explicit Recursion(const Problem& problem) : p(problem) {}

    Partition run() {
        cut_all();
        Partition out;
        for (const Bench& b : benches) {
            out.starts.insert(out.starts.end(), b.starts.begin(), b.starts.end());
            out.tree.insert(out.tree.end(), b.tree.begin(), b.tree.end());
            out.score.insert(out.score.end(), b.score.begin(), b.score.end());
        }
        std::sort(out.starts.begin(), out.starts.end());
        out.starts.push_back(p.rows);
        rows.fill_boxes(out);
        out.order = std::move(rows.id);
        return out;
    }
};

template <class Lane> Partition run_lanes(const Problem& problem) {
    const size_t d = problem.axes.size();
    if (d <= 8) return Recursion<Rows<Lane, 8>>(problem).run();
    if (d <= 16) return Recursion<Rows<Lane, 16>>(problem).run();
    return Recursion<Rows<Lane, 0>>(problem).run();
}

Partition mondrian(const Problem& problem) {
    int32_t widest = 0;
    for (const Axis& axis : problem.axes) widest = std::max(widest, axis.size);
    return widest <= std::numeric_limits<int16_t>::max() ? run_lanes<int16_t>(problem) : run_lanes<int32_t>(problem);
}

}  // namespace paravent::PARAVENT_ISA
