/// The kinds that a policy's rules name.
#pragma once

#include <compare>
#include <davit/discovery.hpp>
#include <davit/result.hpp>
#include <functional>
#include <string>
#include <vector>

namespace davit::admissionpolicy {

struct GroupVersionKind {
  std::string group;  ///< Empty: core.
  std::string version;
  std::string kind;
  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};
/// A kind and the resource that keeps its objects.
struct ServedKind {
  GroupVersionKind id;
  std::string resource;  ///< "deployments"
  friend auto operator<=>(const ServedKind&, const ServedKind&) = default;
};

/// An element of spec.matchConstraints.resourceRules.
struct ResourceRule {
  std::vector<std::string> groups;
  std::vector<std::string> versions;
  std::vector<std::string> resources;
};

/// A resource that a rule names. `group` "": of every group.
struct WantedResource {
  std::string group;
  std::string version;
  std::string resource;
};
/// Whether `served` is the resource `wanted`, by its plural or singular name, ignoring case.
[[nodiscard]] bool is_wanted(const ServedKind& served, const WantedResource& wanted);

/// The kinds in sorted order. `find` gives those of one resource in sorted order, none if the
/// server lacks it. Rules with wildcards give nothing; after ten hits of a rule all ends.
/// Rule: docs/spec/cluster-controllers.md, B4.
[[nodiscard]] std::vector<ServedKind> matched_kinds(
    std::vector<ResourceRule> rules,
    const std::function<std::vector<ServedKind>(const WantedResource&)>& find);

/// The same with the kinds of a catalog: `known`, or, from the first resource that it lacks, the
/// one that `fetch` returns. kUnavailable if the server may have a resource that both lack, because
/// discovery of its version has failed; else the error of `fetch`. Rule:
/// docs/spec/cluster-controllers.md, X16.
[[nodiscard]] Result<std::vector<ServedKind>> served_kinds(
    std::vector<ResourceRule> rules, const ServedCatalog& known,
    const std::function<Result<ServedCatalog>()>& fetch);

}  // namespace davit::admissionpolicy
