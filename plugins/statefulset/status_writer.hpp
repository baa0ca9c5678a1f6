/// Writing the status of a StatefulSet.
#pragma once

#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <string>

#include "plugins/statefulset/stateful_set.hpp"
#include "plugins/statefulset/status_plan.hpp"

namespace davit::statefulset {

/// A merge patch that makes `status` the whole status of the set, provided that the server has this
/// version of it. Members that others wrote disappear, conditions too, as upstream.
[[nodiscard]] std::string status_patch(const StatefulSet& set, const SetStatus& status);

/// Thread-safe.
class StatusWriter {
 public:
  /// The context must outlive it.
  StatusWriter(Context& cluster, Informer<StatefulSet> sets) : cluster_(cluster), sets_(sets) {}

  /// Writes the status if it differs. A conflict is tried again with the cached set, up to five
  /// times within some 40 ms.
  [[nodiscard]] Status write(const StatefulSet& set, const SetStatus& status) const;

 private:
  Context& cluster_;
  Informer<StatefulSet> sets_;
};

}  // namespace davit::statefulset
