/// The input of a Deployment's rules: plain numbers, read from the snapshots once a sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace davit::deployment {

/// The value that means "unlimited" for the progress deadline and the history limit.
inline constexpr std::int64_t kUnlimited = 2147483647;

enum class Strategy { kRollingUpdate, kRecreate, kUnknown };

/// A Deployment as the rules see it.
struct RolloutFacts {
  Strategy strategy = Strategy::kRollingUpdate;
  std::int64_t replicas = 0;
  /// Resolved against `replicas`; both are 0 unless the strategy is a rolling update.
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
  std::int64_t generation = 0;
  std::optional<std::int64_t> progress_deadline_seconds;  ///< None: no deadline.
  std::optional<std::int64_t> history_limit;              ///< None: keep everything.

  /// The number of pods that must stay available during a rolling update.
  [[nodiscard]] std::int64_t available_min() const { return replicas - unavailable; }
  /// The most pods that may be asked for during a rolling update.
  [[nodiscard]] std::int64_t replicas_max() const { return replicas + surge; }
};

/// One ReplicaSet as the rules see it. `name` is borrowed from the snapshot.
struct SetFacts {
  std::string_view name;
  std::int64_t created_seconds = 0;
  bool deleting = false;
  std::int64_t generation = 0;
  std::int64_t observed_generation = 0;

  std::int64_t wanted = 0;  ///< spec.replicas
  std::int64_t existing = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::optional<std::int64_t> terminating;  ///< Not reported by older ReplicaSet controllers.

  std::optional<std::int64_t> revision;        ///< 0 when absent, none when it is not a number.
  std::optional<std::int64_t> desired_marked;  ///< desired-replicas annotation, when valid.
  std::optional<std::int64_t> max_marked;      ///< max-replicas annotation, when valid.
};

/// The ReplicaSets of one Deployment: the old ones from oldest to newest, then the new one if any.
struct SetList {
  std::span<const SetFacts> all;
  bool has_new = false;

  [[nodiscard]] std::span<const SetFacts> old() const {
    return has_new ? all.first(all.size() - 1) : all;
  }
  [[nodiscard]] const SetFacts* newest() const { return has_new ? &all.back() : nullptr; }
};

/// One ReplicaSet to be given another size. `set` is its place in SetList::all.
struct Resize {
  std::size_t set = 0;
  std::int64_t to = 0;

  friend bool operator==(const Resize&, const Resize&) = default;
};

/// Older by creation time, then by name.
[[nodiscard]] inline bool created_before(const SetFacts& a, const SetFacts& b) {
  if (a.created_seconds != b.created_seconds) return a.created_seconds < b.created_seconds;
  return a.name < b.name;
}

}  // namespace davit::deployment
