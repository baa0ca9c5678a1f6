#include "plugins/selinuxwarning/mounted_volumes.hpp"

#include <optional>
#include <string_view>

namespace davit::selinuxwarning {
namespace {

std::string label_of(Value options) {
  std::string out;
  bool is_empty = true;
  for (const std::string_view member : {"user", "role", "type", "level"}) {
    const std::string_view part = options[member].string();
    is_empty = is_empty && part.empty();
    if (member != "user") out += ':';
    out += part;
  }
  return is_empty ? std::string() : out;
}

/// The options that count for a container; absent: none.
Value options_of(Value container, Value pod_options) {
  const Value own = container["securityContext"]["seLinuxOptions"];
  return own.is_absent() ? pod_options : own;
}

}  // namespace

MountLabels mount_labels(const Pod& pod) {
  MountLabels out;
  const Value pod_options = pod.spec()["securityContext"]["seLinuxOptions"];
  for (const char* member : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value container : pod.spec()[member].elements()) {
      const Value options = options_of(container, pod_options);
      for (const Value mount : container["volumeMounts"].elements()) {
        std::set<std::string>& labels = out[std::string(mount[&Names::name].string())];
        if (!options.is_absent()) labels.insert(label_of(options));
      }
    }
  }
  return out;
}

bool is_recursive(const Pod& pod) {
  return pod.spec()["securityContext"]["seLinuxChangePolicy"].string() == "Recursive";
}

}  // namespace davit::selinuxwarning
