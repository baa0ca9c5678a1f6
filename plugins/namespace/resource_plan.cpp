#include "plugins/namespace/resource_plan.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/namespace/texts.hpp"

namespace davit::namespaces {

std::string Gvr::text() const { return group + "/" + version + ", Resource=" + resource; }

Served served(const ServedCatalog& catalog) {
  Served out;
  for (const ServedResource& each : catalog.resources) {
    ServedKind kind;
    kind.gvr = {std::string(each.group()), std::string(each.version()),
                std::string(each.resource())};
    kind.is_namespaced = each.is_namespaced();
    kind.can_delete = each.has_verb("delete");
    kind.can_delete_collection = each.has_verb("deletecollection");
    kind.can_list = each.has_verb("list");
    out.kinds.push_back(std::move(kind));
  }
  for (const UnknownVersion& each : catalog.unknown) {
    std::string text(each.group);
    if (!text.empty()) text += '/';
    out.failures.push_back(text.append(each.version).append(": ").append(each.why));
  }
  return out;
}

UnsupportedTable::UnsupportedTable(const std::vector<ServedKind>& kinds) {
  for (const ServedKind& each : preferred(kinds)) {
    if (!each.can_list) no_list_.insert(each.gvr);
    if (!each.can_delete_collection) no_delete_collection_.insert(each.gvr);
  }
}

std::vector<ServedKind> preferred(const std::vector<ServedKind>& kinds) {
  std::vector<ServedKind> out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ServedKind& each : kinds) {
    if (!seen.emplace(each.gvr.group, each.gvr.resource).second) continue;
    if (each.is_namespaced) out.push_back(each);
  }
  return out;
}

ResourcePlan plan_resources(const std::vector<ServedKind>& kinds) {
  ResourcePlan plan;
  for (const ServedKind& each : preferred(kinds)) {
    if (!each.can_delete) continue;
    const Gvr& gvr = each.gvr;
    if (gvr.version.find('/') != std::string::npos || gvr.group.find('/') != std::string::npos) {
      return {{}, "unexpected GroupVersion string: " + gvr.group + "/" + gvr.version};
    }
    plan.resources.push_back(gvr);
  }
  return plan;
}

std::vector<std::string> failures_of(const Served& found) {
  const bool has_namespaces =
      std::any_of(found.kinds.begin(), found.kinds.end(), [](const ServedKind& each) {
        return each.gvr.group.empty() && each.gvr.resource == "namespaces";
      });
  if (!found.failures.empty() || has_namespaces || mutant("core-content")) return found.failures;
  return {"v1: the server does not mention namespaces, which it has"};
}

std::string partial_failure_text(std::vector<std::string> failures) {
  std::sort(failures.begin(), failures.end());
  return "unable to retrieve the complete list of server APIs: " + joined(failures);
}

}  // namespace davit::namespaces
