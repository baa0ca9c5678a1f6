#include "plugins/daemonset/node_eligibility.hpp"

#include "plugins/daemonset/daemon_tolerations.hpp"

namespace davit::daemonset {

NodeRules::NodeRules(Value pod_template) {
  const Value spec = pod_template[&Names::spec];
  node_name_ = spec[&Names::node_name].string();
  selector_ = NodeSelector(spec);
  tolerations_ = daemon_tolerations(spec);
}

Eligibility NodeRules::judge(const Node& node) const {
  if (!node_name_.empty() && node_name_ != node.name()) return {};
  if (!selector_.accepts(node.name(), node.labels())) return {};
  Eligibility wanted{.run = true, .keep = true};
  for (const Value each : node.taints().elements()) {
    const Taint taint = Taint::from(each);
    if (taint.effect != kNoSchedule && taint.effect != kNoExecute) continue;
    if (tolerates(tolerations_, taint)) continue;
    wanted.run = false;
    if (taint.effect == kNoExecute) wanted.keep = false;
  }
  return wanted;
}

}  // namespace davit::daemonset
