/// Selects the resources to delete in a namespace. Pure; client-go/discovery
/// ServerPreferredResources.
#pragma once

#include <compare>
#include <davit/discovery.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace davit::namespaces {

/// A resource in one version.
struct Gvr {
  std::string group;  ///< Empty: core.
  std::string version;
  std::string resource;

  /// "apps/v1, Resource=deployments"; of the core group "/v1, Resource=pods".
  [[nodiscard]] std::string text() const;
  /// "deployments.apps"; of the core group "pods.".
  [[nodiscard]] std::string group_resource() const { return resource + "." + group; }
  [[nodiscard]] bool is_pods() const {
    return group.empty() && version == "v1" && resource == "pods";
  }
  friend auto operator<=>(const Gvr&, const Gvr&) = default;
};

/// One resource of a catalog, apart from the host's memory.
struct ServedKind {
  Gvr gvr;
  bool is_namespaced = false;
  bool can_delete = false;
  bool can_delete_collection = false;
  bool can_list = false;
};

/// A catalog, apart from the host's memory. The preferred version of a group comes first.
struct Served {
  std::vector<ServedKind> kinds;
  /// "g/v: cause" of each version of which the server could not say what it has.
  std::vector<std::string> failures;
};

[[nodiscard]] Served served(const ServedCatalog& catalog);

/// When the controller asks. The host has read at its own start what the server has, which is new
/// enough for the start of a controller; a sync deletes by the answer, so it asks the server.
enum class Asked { kAtStart, kInSync };

/// Finds what the server has.
using Discover = std::function<Result<Served>(Asked)>;

/// The operations that each resource lacks, as the server says. Resources that it does not mention
/// count as supporting everything.
class UnsupportedTable {
 public:
  UnsupportedTable() = default;
  explicit UnsupportedTable(const std::vector<ServedKind>& kinds);

  [[nodiscard]] bool lacks_list(const Gvr& gvr) const { return no_list_.contains(gvr); }
  [[nodiscard]] bool lacks_delete_collection(const Gvr& gvr) const {
    return no_delete_collection_.contains(gvr);
  }

 private:
  std::set<Gvr> no_list_;
  std::set<Gvr> no_delete_collection_;
};

/// One version of each namespaced resource: the preferred one that has it, else the first.
[[nodiscard]] std::vector<ServedKind> preferred(const std::vector<ServedKind>& kinds);

/// The resources to delete, and the errors of discovery.
struct ResourcePlan {
  std::vector<Gvr> resources;
  /// The group/version that is not one; then nothing is deleted.
  std::optional<std::string> unparsed;
};

[[nodiscard]] ResourcePlan plan_resources(const std::vector<ServedKind>& kinds);

/// The failures of an answer of discovery. It is never complete without namespaces: one of them is
/// being deleted, so the core group is missing, and with it the content to delete.
[[nodiscard]] std::vector<std::string> failures_of(const Served& found);

/// "unable to retrieve the complete list of server APIs: …", as client-go says it. `failures` is
/// not empty.
[[nodiscard]] std::string partial_failure_text(std::vector<std::string> failures);

}  // namespace davit::namespaces
