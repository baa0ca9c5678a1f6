#include "nodes/label_rules.hpp"

#include <davit/kube/node_selector.hpp>
#include <davit/kube/taint.hpp>

#include "lib/kube/json_view.hpp"

namespace davit::sandbox {

bool accepts_labels(const Json& pod_spec, const Json& labels, std::string_view node_name) {
  return NodeSelector(JsonView(pod_spec)).accepts(node_name, JsonView(labels));
}

bool tolerates(const Json& tolerations, const Json& taint) {
  return davit::tolerates(tolerations_from(JsonView(tolerations)), Taint::from(JsonView(taint)));
}

}  // namespace davit::sandbox
