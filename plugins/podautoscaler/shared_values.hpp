/// SharedValues: the values that several autoscalers ask for.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace davit::podautoscaler {

/// The values of external and object metrics, for the autoscalers of a namespace that ask for the
/// same within a period. Only what a server answered well is kept. Rule: docs/spec/hpa.md, D12.
/// Thread-safe.
class SharedValues {
 public:
  /// The request for a value: one that begins with the namespace.
  struct Question {
    std::string what;
    std::string asker;  ///< The autoscaler, which never gets its own earlier answer.
    Time now{};
  };
  /// `period`: that of the autoscalers; zero or less: nothing is shared.
  explicit SharedValues(Duration period) : period_(period) {}

  /// The value that another autoscaler asked for less than a period ago.
  [[nodiscard]] std::optional<std::int64_t> find(const Question& question) const;
  /// `value`: the answer to `question`, which was asked at its `now`.
  void put(const Question& question, std::int64_t value);

 private:
  struct Entry {
    std::int64_t value = 0;
    std::string asker;
    Time asked{};
  };

  const Duration period_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  Time pruned_{};
};

}  // namespace davit::podautoscaler
