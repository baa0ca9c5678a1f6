/// Objects that a user keeps in files, and their way into a cluster.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {

/// An object with its place.
struct ClusterObject {
  Json object;  ///< With apiVersion, kind and metadata.name.
  std::string file;
  int line = 0;

  [[nodiscard]] const std::string& kind() const { return object.get("kind").text(); }
  [[nodiscard]] const std::string& name() const { return object.text_at({"metadata", "name"}); }
  [[nodiscard]] bool is_of(const std::string& api_version, const std::string& of_kind) const {
    return kind() == of_kind && object.get("apiVersion").text() == api_version;
  }
  /// Whether it makes the server serve other objects.
  [[nodiscard]] bool is_definition() const { return kind() == "CustomResourceDefinition"; }
};

/// Either objects, or what is wrong with their files.
struct ClusterObjects {
  std::vector<ClusterObject> objects;
  std::vector<Mistake> mistakes;
};

/// Reads a file, or every .yaml, .yml and .json file in a folder and below, by name; hidden ones
/// are left out. A file may have several documents and lists. The objects come in the order in
/// which a server takes them: definitions first, then namespaces. `only_definitions`: an object of
/// another kind is a mistake.
enum class Wanted { kAll, kDefinitions };
[[nodiscard]] ClusterObjects read_cluster_objects(const std::filesystem::path& path,
                                                  Wanted wanted = Wanted::kAll);

/// Creates each object or brings it to what its file says, status included, by server-side apply.
/// Namespaced objects without a namespace go to `default`. Returns the failures, with the server's
/// reason. Blocks.
[[nodiscard]] std::vector<Mistake> apply_cluster_objects(std::span<const ClusterObject> objects,
                                                         RestClient& client, Discovery& discovery);

/// "a.yaml:3:1: …" of each, one a line.
[[nodiscard]] std::string lines_of(const std::vector<Mistake>& mistakes);

}  // namespace davit::host
