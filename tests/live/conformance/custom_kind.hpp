/// A kind of the tests' own.
#pragma once

#include <string>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

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
  cluster.must({"wait", "--for=condition=Established", "crd/" + plural + ".example.com"});
}

}  // namespace davit::live
