/// The consumers that were seen to go.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

namespace davit::resourceclaim {

/// Remembers the UIDs of the last pods and PodGroups that a watch showed to be deleted, which saves
/// a request for each of their reservations. A UID that is forgotten is looked up on the server.
/// Rule: docs/spec/dra.md, A1. [any thread]
class DeletedConsumers {
 public:
  static constexpr std::size_t kMax = 500;

  void add(std::string_view uid);
  [[nodiscard]] bool has(std::string_view uid) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> uids_;
  std::deque<std::string> order_;  // The same UIDs, oldest first.
};

}  // namespace davit::resourceclaim
