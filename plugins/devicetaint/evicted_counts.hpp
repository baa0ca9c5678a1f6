/// The memory of the controller: evictions that were begun, and how many each rule has had.
#pragma once

#include <cstdint>
#include <davit/controller.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "plugins/devicetaint/eviction.hpp"

namespace davit::devicetaint {

/// Both are handed over, so that a swap neither forgets a count nor the pods whose deletion may
/// have to be called off. Thread-safe. Rule: docs/spec/dra.md, B3 and B9.
class EvictedCounts final : public HandedState {
 public:
  /// Notes that the pod has to go; the rules that were not among its reasons before.
  [[nodiscard]] std::set<RuleId> begin(const Key& pod, std::string_view uid,
                                       const std::set<RuleId>& rules);
  // Nothing is kept of a pod that is gone by now, which another thread has seen.

  /// The earliest end of all that were computed since it has to go, `when` included.
  [[nodiscard]] WallTime earliest(const Key& pod, WallTime when);
  /// When it was first seen that its time is over.
  [[nodiscard]] Time due_since(const Key& pod, Time now);
  /// Its time is not over, or not any more.
  void postpone(const Key& pod);
  /// It has to go no more. The rules that it had to go for, or nothing if it had not to go.
  std::optional<std::set<RuleId>> end(const Key& pod, std::string_view uid);

  /// One more pod of each rule.
  void count(const std::set<RuleId>& rules);
  [[nodiscard]] std::int64_t counted(std::string_view rule_uid) const;
  void forget(std::string_view rule_uid);

  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

 private:
  struct Entry {
    std::string uid;
    std::set<RuleId> rules{};
    std::optional<Time> due{};
    std::optional<WallTime> when{};
  };

  mutable std::mutex mutex_;
  std::map<Key, Entry> pods_;                                // Guarded.
  std::map<std::string, std::int64_t, std::less<>> counts_;  // The key is a rule's UID. Guarded.
};

}  // namespace davit::devicetaint
