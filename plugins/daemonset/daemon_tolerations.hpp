/// The tolerations that every daemon pod has, so that the trouble of its node does not drive it
/// away.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/kube/taint.hpp>
#include <davit/object.hpp>
#include <vector>

namespace davit::daemonset {

// Rule: docs/spec/daemonset.md, 8.2. Each function takes the spec of a pod template.

/// The tolerations of a daemon pod: those of the template in their order, and behind them those of
/// every daemon pod that the template lacks.
[[nodiscard]] std::vector<Toleration> daemon_tolerations(Value pod_spec);

/// Writes them as a JSON array. A toleration of the template is copied as it is, unless it is one
/// that every daemon pod has: then it loses its time limit.
void write_daemon_tolerations(JsonWriter& out, Value pod_spec);

}  // namespace davit::daemonset
