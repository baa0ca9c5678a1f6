/// Short ways to say what a graph is shown.
#pragma once

#include <string>
#include <vector>

#include "plugins/garbagecollector/graph.hpp"

namespace davit::garbage {

/// A ConfigMap in "ns" whose UID is "<name>-uid".
[[nodiscard]] inline Identity object(const std::string& name, const std::string& ns = "ns") {
  return {"ConfigMap", "v1", ns, name, name + "-uid"};
}
/// A reference to object(name).
[[nodiscard]] inline Reference reference(const std::string& name) {
  return {"v1", "ConfigMap", name, name + "-uid"};
}
[[nodiscard]] inline Reference blocking_reference(const std::string& name) {
  Reference out = reference(name);
  out.blocks = true;
  return out;
}
[[nodiscard]] inline Observed shown(Identity identity, std::vector<Reference> owners = {}) {
  Observed out;
  out.identity = std::move(identity);
  out.owners = std::move(owners);
  return out;
}
[[nodiscard]] inline Observed deleted_in_foreground(Observed object) {
  object.is_being_deleted = true;
  object.waits_for_dependents = true;
  return object;
}

}  // namespace davit::garbage
