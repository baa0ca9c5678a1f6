/// core/v1 ObjectReference, as endpoints of both kinds carry it.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/kube/pod.hpp>
#include <optional>
#include <string>

namespace davit::endpoint {

struct ObjectReference {
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  std::string api_version;
  std::string resource_version;  ///< Not compared (spec 11.1).
  std::string field_path;

  /// kind, namespace, name and uid: all that upstream writes.
  [[nodiscard]] static ObjectReference to(const Pod& pod);
  /// Nothing if `value` is not an object.
  [[nodiscard]] static std::optional<ObjectReference> read(Value value);
  /// Empty members are left out.
  void write(JsonWriter& out) const;
};

/// Compares all fields except resourceVersion.
[[nodiscard]] bool same_reference(const std::optional<ObjectReference>& a,
                                  const std::optional<ObjectReference>& b);

}  // namespace davit::endpoint
