#include "plugins/shared/pods/pod_ranking.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <davit/mutant.hpp>
#include <numeric>
#include <system_error>

namespace davit::pods {
namespace {

enum class Verdict { kFirst, kSecond, kUndecided };

Verdict first_if(bool condition) { return condition ? Verdict::kFirst : Verdict::kSecond; }

/// The younger pod first. A missing time is younger than every other.
Verdict younger(const PodRank& a, const PodRank& b, std::optional<WallTime> PodRank::*time) {
  const std::optional<WallTime>& at = a.*time;
  const std::optional<WallTime>& bt = b.*time;
  if (at == bt) return Verdict::kUndecided;
  return first_if(!at || (bt && *at > *bt));
}

/// The same by order of magnitude of the age; within one magnitude the UID decides, so that the
/// choice is spread evenly instead of always hitting the newest.
Verdict much_younger(const PodRank& a, const PodRank& b, std::optional<WallTime> PodRank::*time,
                     WallTime now) {
  const std::optional<WallTime>& at = a.*time;
  const std::optional<WallTime>& bt = b.*time;
  if (at == bt || !at || !bt) return younger(a, b, time);
  const int a_bucket = age_bucket(*at, now);
  const int b_bucket = age_bucket(*bt, now);
  return first_if(a_bucket == b_bucket ? a.uid < b.uid : a_bucket < b_bucket);
}

Verdict by_progress(const PodRank& a, const PodRank& b) {
  if (a.node.empty() != b.node.empty()) return first_if(a.node.empty());
  if (a.progress != b.progress) return first_if(a.progress < b.progress);
  if (a.ready != b.ready && !mutant("rank-by-readiness")) return first_if(!a.ready);
  return Verdict::kUndecided;
}

/// Both orders end with these criteria; `by_age` compares two times of the pods.
template <typename ByAge>
Verdict by_age_and_restarts(const PodRank& a, const PodRank& b, const ByAge& by_age) {
  if (a.ready) {
    const Verdict verdict = by_age(&PodRank::ready_since);
    if (verdict != Verdict::kUndecided) return verdict;
  }
  if (a.restarts != b.restarts) return first_if(a.restarts > b.restarts);
  if (a.sidecar_restarts != b.sidecar_restarts) {
    return first_if(a.sidecar_restarts > b.sidecar_restarts);
  }
  return by_age(&PodRank::created);
}

Verdict compare(const PodRank& a, const PodRank& b, WallTime now) {
  Verdict verdict = by_progress(a, b);
  if (verdict != Verdict::kUndecided) return verdict;
  if (a.deletion_cost != b.deletion_cost) return first_if(a.deletion_cost < b.deletion_cost);
  if (a.neighbours != b.neighbours) return first_if(a.neighbours > b.neighbours);
  verdict = by_age_and_restarts(
      a, b, [&](std::optional<WallTime> PodRank::*time) { return much_younger(a, b, time, now); });
  if (verdict != Verdict::kUndecided) return verdict;
  // Upstream leaves these equal. Their UIDs may still place a third pod between them, so a tie
  // would let a sort contradict that pod's two verdicts.
  return first_if(a.uid < b.uid);
}

std::int64_t age_ms(WallTime then, WallTime now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - then).count();
}

}  // namespace

PodProgress pod_progress(std::string_view phase) {
  if (phase == "Running") return PodProgress::kRunning;
  return phase == "Unknown" ? PodProgress::kUnknown : PodProgress::kPending;
}

PodRank pod_rank(const Pod& pod) {
  PodRank rank;
  rank.uid = pod.uid();
  rank.node = pod.node_name();
  rank.progress = pod_progress(pod.phase());
  if (const std::optional<ConditionView> ready = pod.condition("Ready")) {
    rank.ready = ready->is_true();
    rank.ready_since = ready->last_transition_time();
  }
  rank.created = pod.creation_time();
  const PodRestarts restarts = pod.restarts();
  rank.restarts = restarts.containers;
  rank.sidecar_restarts = restarts.sidecars;
  return rank;
}

std::int32_t parse_deletion_cost(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return 0;  // But "-08" is -8, as upstream has it.
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc() && end == text.data() + text.size() ? cost : 0;
}

int age_bucket(WallTime then, WallTime now) {
  if (now <= then) return -1;
  return std::bit_width(static_cast<std::uint64_t>((now - then).count())) - 1;
}

bool ranks_before(const PodRank& a, const PodRank& b) {
  Verdict verdict = by_progress(a, b);
  if (verdict == Verdict::kUndecided) {
    verdict = by_age_and_restarts(
        a, b, [&](std::optional<WallTime> PodRank::*time) { return younger(a, b, time); });
  }
  return verdict == Verdict::kFirst;
}

bool ranks_before(const PodRank& a, const PodRank& b, WallTime now) {
  return compare(a, b, now) == Verdict::kFirst;
}

std::vector<std::size_t> deletion_order(std::span<const PodRank> pods, WallTime now) {
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> merged(order.size());
  // A bottom-up merge sort: each of its steps stays in bounds whatever the comparison returns.
  for (std::size_t width = 1; width < order.size(); width *= 2) {
    for (std::size_t begin = 0; begin < order.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, order.size());
      const std::size_t end = std::min(begin + 2 * width, order.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t out = begin; out < end; ++out) {
        const bool take_right =
            left == middle ||
            (right < end && ranks_before(pods[order[right]], pods[order[left]], now));
        merged[out] = take_right ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

std::vector<double> deletion_age_ratios(std::span<const PodRank> pods,
                                        std::span<const std::size_t> victims, WallTime now) {
  std::optional<WallTime> youngest;
  for (const PodRank& pod : pods) {
    if (pod.ready && pod.created && (!youngest || *pod.created > *youngest)) youngest = pod.created;
  }
  std::vector<double> ratios;
  if (!youngest) return ratios;
  // A pod can be younger than a millisecond; upstream divides by zero there.
  const std::int64_t youngest_ms = std::max<std::int64_t>(age_ms(*youngest, now), 1);
  for (const std::size_t victim : victims) {
    const PodRank& pod = pods[victim];
    if (!pod.ready || !pod.created) continue;
    ratios.push_back(static_cast<double>(age_ms(*pod.created, now) / youngest_ms));
  }
  return ratios;
}

}  // namespace davit::pods
