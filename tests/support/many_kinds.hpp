/// Custom kinds in numbers: more than a controller could once follow.
#pragma once

#include <string>

namespace davit::test {

/// "things7.g7.example.com" and so on, each with a group and a definition of its own. The groups
/// come before some of Kubernetes' own in the order of names.
class ManyKinds {
 public:
  static constexpr int kCount = 1200;

  [[nodiscard]] static std::string plural(int i) { return "things" + std::to_string(i); }
  [[nodiscard]] static std::string group(int i) { return "g" + std::to_string(i) + ".example.com"; }
  /// The body of the definition.
  [[nodiscard]] static std::string definition(int i) {
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":")" +
           plural(i) + '.' + group(i) + R"("},"spec":{"group":")" + group(i) +
           R"(","scope":"Namespaced","names":{"plural":")" + plural(i) + R"(","kind":"Thing"},)" +
           R"("versions":[{"name":"v1","served":true,"storage":true,)"
           R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  }
  /// The collection of its objects in a namespace.
  [[nodiscard]] static std::string collection(int i, const std::string& ns) {
    return "/apis/" + group(i) + "/v1/namespaces/" + ns + '/' + plural(i);
  }
  /// The body of one of its objects.
  [[nodiscard]] static std::string object(int i, const std::string& metadata) {
    return R"({"apiVersion":")" + group(i) + R"(/v1","kind":"Thing","metadata":)" + metadata + "}";
  }
};

}  // namespace davit::test
