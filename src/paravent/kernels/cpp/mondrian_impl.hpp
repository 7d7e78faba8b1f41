// The body of mondrian.hpp, compiled once for each instruction set (PARAVENT_ISA names the copy): one recursion over
// groups, whatever rule chooses their cuts.
#include "mondrian_cuts.hpp"

namespace paravent::PARAVENT_ISA {

template <class Rows> class Recursion {
    struct Made {
        int64_t begin, mid, end, axis;
        double score;
        bool operator<(const Made& o) const { return begin != o.begin ? begin < o.begin : end > o.end; }
    };
    struct Bench {  // what one thread keeps
        Cuts<Rows> cuts;
        std::vector<int64_t> starts, by_axis;
        std::vector<Made> made;
    };
    struct Open {  // a group that waits for the guard
        Segment segment;
        std::vector<Cut> cuts;
        size_t tried = 0;
        int64_t chosen = -1;
    };

    const Problem& p;
    Rows rows;
    std::vector<Bench> benches;
    std::atomic<int64_t> done{0};

    void finish(Bench& b, Segment s) {
        b.starts.push_back(s.begin);
        done.fetch_add(s.rows(), std::memory_order_relaxed);
    }
    std::pair<Segment, Segment> carry_out(Bench& b, Segment s, const Cut& cut) {
        ++b.by_axis[cut.axis];
        const auto parts = rows.split(s, cut);
        if (p.record) b.made.push_back({s.begin, parts.first.end, s.end, cut.axis, cut.score});
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

    // Offer each group's cuts to the guard, best first, a few at a time, until one is allowed or none is left.
    void judge(std::vector<Open>& open) const {
        std::vector<int64_t> sizes;
        std::vector<std::pair<size_t, size_t>> asked;  // (group, cut)
        bool waiting = true;
        for (size_t batch = 1; waiting; batch *= 4) {
            sizes.clear();
            asked.clear();
            std::vector<Histograms> histograms(p.sensitive.size());
            for (size_t g = 0; g < open.size(); ++g) {
                Open& o = open[g];
                for (size_t q = 0; o.chosen < 0 && q < batch && o.tried < o.cuts.size(); ++q, ++o.tried) {
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
            }
            const std::vector<uint8_t> holds = asked.empty() ? std::vector<uint8_t>() : p.guard(sizes, histograms);
            for (size_t a = 0; a < asked.size(); ++a) {
                Open& o = open[asked[a].first];
                if (o.chosen < 0 && holds[2 * a] && holds[2 * a + 1]) o.chosen = static_cast<int64_t>(asked[a].second);
            }
            waiting = std::any_of(open.begin(), open.end(),
                                  [](const Open& o) { return o.chosen < 0 && o.tried < o.cuts.size(); });
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
        const auto opened = [&](Segment s, bool sampled) {
            b.cuts.find(s, sampled);
            return Open{s, b.cuts.found, 0, -1};
        };
        std::vector<Open> open;
        for (Segment s : groups) open.push_back(opened(s, b.cuts.samples(s)));
        judge(open);
        for (Open& o : open) {
            if (o.chosen < 0 && b.cuts.samples(o.segment)) {  // nothing of the sample's is allowed
                std::vector<Open> again{opened(o.segment, false)};
                judge(again);
                o = std::move(again[0]);
            }
            cut_or_finish(o.segment, o.chosen < 0 ? nullptr : &o.cuts[o.chosen]);
        }
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
    explicit Recursion(const Problem& problem)
        : p(problem),
          rows(problem),
          benches(problem.guard ? 1 : std::max(1, problem.threads),
                  Bench{Cuts<Rows>(rows), {}, std::vector<int64_t>(rows.d), {}}) {}

    Partition run() {
        cut_all();
        Partition out;
        std::vector<Made> made;
        out.cuts.assign(rows.d, 0);
        for (const Bench& b : benches) {
            out.starts.insert(out.starts.end(), b.starts.begin(), b.starts.end());
            made.insert(made.end(), b.made.begin(), b.made.end());
            for (int j = 0; j < rows.d; ++j) out.cuts[j] += b.by_axis[j];
        }
        std::sort(made.begin(), made.end());
        for (const Made& cut : made) {
            out.tree.insert(out.tree.end(), {cut.begin, cut.mid, cut.end, cut.axis});
            if (p.rule == Rule::entropy || p.rule == Rule::deviation) out.score.push_back(cut.score);
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
