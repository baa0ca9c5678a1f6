#include "bench/compare/delays.hpp"

#include <algorithm>
#include <cmath>

namespace davit::bench {

void Delays::note_cause(const std::string& key, Moment at) {
  std::optional<Moment>& cause = pairs_[key].cause;
  if (!cause) cause = at;
}

void Delays::note_effect(const std::string& key, Moment at) {
  std::optional<Moment>& effect = pairs_[key].effect;
  if (!effect) effect = at;
}

std::vector<double> Delays::take() {
  std::vector<double> out;
  for (auto& [key, pair] : pairs_) {
    if (!pair.is_complete()) continue;
    pair.is_taken = true;
    const std::chrono::duration<double, std::milli> delay = *pair.effect - *pair.cause;
    out.push_back(std::max(delay.count(), 0.0));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t Delays::complete() const {
  return static_cast<std::size_t>(std::count_if(
      pairs_.begin(), pairs_.end(), [](const auto& each) { return each.second.is_complete(); }));
}

std::optional<double> percentile(std::span<const double> ascending, double share) {
  if (ascending.empty()) return std::nullopt;
  const double rank = std::ceil(share * static_cast<double>(ascending.size()));
  const auto last = static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<std::size_t>(std::clamp(rank - 1, 0.0, last))];
}

}  // namespace davit::bench
