/// The metrics of the sets, with upstream's names. Rule: docs/spec/nodeipam.md, section 11.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <vector>

#include "plugins/nodeipam/cidr_set.hpp"

namespace davit::nodeipam {

/// Records what has changed in the sets of one ledger. For one thread at a time.
class CidrMetrics {
 public:
  explicit CidrMetrics(Context& cluster);

  /// Call it after each change. `sets` are those of the last call.
  void record(const std::vector<CidrSet>& sets);
  /// `tries`: those of one allocation, for each set.
  void tried(const std::vector<CidrSet>& sets, const std::vector<std::uint64_t>& tries) const;

 private:
  struct Totals {
    std::uint64_t came_into_use = 0;
    std::uint64_t became_free = 0;
  };

  const Metric allocations_;
  const Metric releases_;
  const Metric size_;
  const Metric usage_;
  const Metric tries_;
  std::vector<Totals> recorded_;
};

}  // namespace davit::nodeipam
