// What searches by simulated annealing share (Metropolis et al. 1953): random numbers, temperatures, and chains that
// run side by side.
#pragma once

#include "team.hpp"
#include "tree.hpp"

namespace paravent {

// Proposals while the temperature falls from `hot` to `cold`, both in units that a search says.
struct Cooling {
    int64_t proposals = 0;
    double hot = 0, cold = 0;

    double done(int64_t i) const { return ratio(i, proposals); }
    double heat(double unit, int64_t i) const { return unit * hot * std::pow(cold / hot, done(i)); }
};

// A search for a partition of rows into classes of at least k: chains of proposals, each begun with a seed of its own.
struct RowSearch {
    int64_t rows = 0, k = 1;
    std::vector<RowTree> axes;  // climb: what a row keeps at a node
    Cooling cooling;
    int chains = 1, threads = 1;
    uint64_t seed = 0;
    Watch watch;

    // What a row loses on average where all rows together keep `worth`.
    double mean_loss(int64_t worth) const {
        int64_t most = 0;
        for (const RowTree& axis : axes)
            for (int64_t row = 0; row < rows; ++row) most += axis.climb[axis.leaf[row]];
        return ratio(most - worth, rows);
    }
};

// The class of each row, and its place among the rows of that class.
struct RowPlaces {
    std::vector<int32_t> of, at;

    explicit RowPlaces(int64_t rows) : of(rows, -1), at(rows, -1) {}
    void put(int32_t row, int32_t c, std::vector<int32_t>& rows) {
        of[row] = c;
        at[row] = static_cast<int32_t>(rows.size());
        rows.push_back(row);
    }
    void take(int32_t row, std::vector<int32_t>& rows) {
        rows[at[row]] = rows.back();
        at[rows.back()] = at[row];
        rows.pop_back();
    }
};

// Losses are accepted up to the temperature times an exponential draw: quantiles of it, drawn with 12 random bits.
inline const std::array<double, 4096>& quantiles() {
    static const auto table = [] {
        std::array<double, 4096> made{};
        for (int i = 0; i < 4096; ++i) made[i] = -std::log((i + 0.5) / 4096);
        return made;
    }();
    return table;
}

// Run the chains of a search on a ground that they share; the best one comes back, of equals the first. It does not
// depend on how many threads there are. A chain runs until it is done or `go_on(share done)` says no.
template <class Chain, class Ground> Chain best_chain(const RowSearch& p, const Ground& ground) {
    std::vector<Chain> chains;
    chains.reserve(p.chains);
    for (int c = 0; c < p.chains; ++c) chains.emplace_back(ground, p.seed + 1000003ull * c);
    std::atomic<bool> stopped{false};
    in_turn(p.chains, p.threads, [&](int64_t c, int thread) {
        chains[c].run([&](double done) {
            try {
                if (thread == 0 && p.watch) p.watch((static_cast<double>(c) + done) / p.chains);
            } catch (...) {
                stopped = true;
                throw;
            }
            return !stopped;
        });
    });
    size_t best = 0;
    for (size_t c = 1; c < chains.size(); ++c)
        if (chains[c].worth() > chains[best].worth()) best = c;
    return std::move(chains[best]);
}

}  // namespace paravent
