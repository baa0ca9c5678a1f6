/// A kind of the tests' own.
#pragma once

#include <chrono>
#include <string>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Waits until kubectl can list the objects of a kind that was just defined. A definition is
/// established before the server's discovery names the kind.
inline void await_kind(const ControlPlane& cluster, const std::string& plural_and_group) {
  std::string why;
  const auto is_listed = [&] {
    const Outcome listed = cluster.kubectl({"get", plural_and_group, "--all-namespaces"});
    why = listed.err;
    return listed.code == 0;
  };
  if (!eventually(std::chrono::minutes(4), is_listed, std::chrono::milliseconds(200))) {
    give_up(plural_and_group + " is not served: " + why);
  }
}

/// Defines a namespaced kind of any form in the group example.com, and waits until it is served.
inline void define_kind(const ControlPlane& cluster, const std::string& kind,
                        const std::string& plural) {
  cluster.must({"create", "-f", "-"}, R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: )" + plural + R"(.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: )" + plural +
                                          ", kind: " + kind + R"(}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
)");
  await_kind(cluster, plural + ".example.com");
}

}  // namespace davit::live
