/// IndexSet: completion indexes, as a Job's status has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::job {

/// A decimal integer with an optional sign, as Go's strconv.Atoi reads it; nothing for other text.
[[nodiscard]] std::optional<std::int64_t> parse_decimal(std::string_view text);

/// A set of indexes from 0, kept as sorted disjoint intervals, so that 100,000 finished indexes
/// cost no more than their gaps. Rule: docs/spec/job.md, 3.4.
class IndexSet {
 public:
  IndexSet() = default;
  /// In any order, repeated or not.
  [[nodiscard]] static IndexSet of(std::vector<std::int64_t> indexes);
  /// Reads "0,1,3-5". Items that are no numbers are skipped, and so is everything from `limit` on.
  [[nodiscard]] static IndexSet parse(std::string_view text, std::int64_t limit);

  /// "0,1,3-5": a run of three or more with a dash.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool empty() const { return intervals_.empty(); }
  [[nodiscard]] bool contains(std::int64_t index) const;
  [[nodiscard]] IndexSet united_with(const IndexSet& other) const;
  /// The number of indexes in both.
  [[nodiscard]] std::int64_t common_with(const IndexSet& other) const;
  /// The lowest indexes below `limit` that are missing here, at most `count`.
  [[nodiscard]] std::vector<std::int64_t> first_missing(std::size_t count,
                                                        std::int64_t limit) const;

 private:
  struct Interval {
    std::int64_t first;
    std::int64_t last;
  };
  /// Sorts, and joins what overlaps or touches.
  explicit IndexSet(std::vector<Interval> intervals);

  std::vector<Interval> intervals_;
};

}  // namespace davit::job
