// The body of mondrian.hpp: one recursion over groups, whatever rule chooses their cuts.
#include "mondrian_cuts.hpp"

namespace paravent {

template <class Rows> class Recursion {
    struct Open {  // a group whose cut is looked for
        Segment segment;
        std::vector<Cut> cuts;
        bool sampled = false;
        size_t tried = 0, at_once = 1;  // cuts
        int64_t chosen = -1;
        bool waits() const { return chosen < 0 && (sampled || tried < cuts.size()); }
    };
    struct Bench {  // what one thread keeps
        Cuts<Rows> cuts;
        std::vector<Open> open;
        std::vector<Segment> small, large;  // groups that it goes on with, and that any thread may take
        Made made;
    };

    const Problem& p;
    Rows rows{p};
    std::vector<Bench> benches{static_cast<size_t>(p.guard ? 1 : std::max(1, p.threads)),
                               Bench{Cuts<Rows>(rows), {}, {}, {}, {}}};
    const int64_t small_ = p.guard ? p.rows : std::max<int64_t>(4096, p.rows / 64);
    std::atomic<int64_t> done{0};

    void finish(Bench& b, Segment s) {
        b.made.starts.push_back(s.begin);
        const auto& box = b.cuts.box(rows.view(s));
        b.made.low.insert(b.made.low.end(), box.low.begin(), box.low.begin() + rows.d);
        b.made.high.insert(b.made.high.end(), box.high.begin(), box.high.begin() + rows.d);
        done.fetch_add(s.rows(), std::memory_order_relaxed);
    }
    void carry_out(Bench& b, Segment s, const Cut& cut) {
        const auto [left, right] = rows.split(s, cut);
        b.made.tree.insert(b.made.tree.end(), {s.begin, left.end, s.end, cut.axis});
        b.made.score.push_back(cut.score);
        for (Segment part : {right, left}) (part.rows() > small_ ? b.large : b.small).push_back(part);
    }
    void tell() const {
        if (p.watch) p.watch(p.rows ? ratio(done, p.rows) : 1.0);
    }

    void look(Bench& b, Open& o, Segment s, bool sampled) const {
        b.cuts.find(s, sampled);
        o.cuts.swap(b.cuts.found);
        o = {s, std::move(o.cuts), sampled};
    }

    // Choose the best cut of each group that leaves k people on both sides and that the guard allows, which is asked
    // about a few at a time. A sample may offer none: then all rows are looked at.
    void choose(Bench& b, size_t groups) const {
        std::vector<std::pair<Open*, size_t>> asked;  // group, cut
        std::vector<int32_t> rest;
        const auto begin = b.open.begin(), end = begin + groups;
        while (std::any_of(begin, end, std::mem_fn(&Open::waits))) {
            asked.clear();
            Groups sides;
            for (auto o = begin; o != end; ++o) {
                if (o->waits() && o->tried == o->cuts.size()) look(b, *o, o->segment, false);
                for (size_t q = 0; o->chosen < 0 && q < o->at_once && o->tried < o->cuts.size(); ++q, ++o->tried) {
                    const Cut& cut = o->cuts[o->tried];
                    if (o->sampled && !rows.leaves_k(o->segment, cut)) continue;
                    if (!p.guard) o->chosen = o->tried;
                    else {
                        asked.emplace_back(&*o, o->tried);
                        rest.clear();
                        rows.sides(o->segment, cut,
                                   [&](int64_t i, bool left) { (left ? sides.rows : rest).push_back(rows.id[i]); });
                        sides.end();
                        sides.rows.insert(sides.rows.end(), rest.begin(), rest.end());
                        sides.end();
                    }
                }
                o->at_once *= 4;
            }
            const std::vector<uint8_t> holds = asked.empty() ? std::vector<uint8_t>() : p.guard(sides);
            for (size_t a = 0; a < asked.size(); ++a)
                if (asked[a].first->chosen < 0 && holds[2 * a] && holds[2 * a + 1])
                    asked[a].first->chosen = asked[a].second;
        }
    }

    // Cut a group and its small parts until no cut is left. The guard judges as many groups at once as hold so many
    // rows.
    void cut(Bench& b, Segment group) {
        constexpr int64_t often = 1 << 18;  // rows looked at until the caller hears again
        int64_t looked = 0;
        const int64_t at_once = p.guard ? 1 << 20 : 1;
        for (b.small.push_back(group); !b.small.empty();) {
            size_t groups = 0;
            for (int64_t here = 0; !b.small.empty() && here < at_once; b.small.pop_back()) {
                const Segment s = b.small.back();
                if (groups == b.open.size()) b.open.emplace_back();
                look(b, b.open[groups++], s, b.cuts.samples(s));
                here += s.rows();
                looked += s.rows();
            }
            if (&b == &benches[0] && looked > often) {
                looked = 0;
                tell();
            }
            choose(b, groups);
            for (size_t g = 0; g < groups; ++g) {
                const Open& o = b.open[g];
                o.chosen < 0 ? finish(b, o.segment) : carry_out(b, o.segment, o.cuts[o.chosen]);
            }
        }
    }

 public:
    explicit Recursion(const Problem& problem) : p(problem) {}

    Partition run() {
        for (std::vector<Segment> open{rows.all()}; !open.empty();) {
            in_turn(count_of(open), static_cast<int>(benches.size()),
                    [&](int64_t i, int thread) { cut(benches[thread], open[i]); });
            open.clear();
            for (Bench& b : benches) {
                open.insert(open.end(), b.large.begin(), b.large.end());
                b.large.clear();
            }
            tell();
        }
        Partition out{std::move(rows.id), {}};
        for (Bench& b : benches) out.made.push_back(std::move(b.made));
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

}  // namespace paravent
