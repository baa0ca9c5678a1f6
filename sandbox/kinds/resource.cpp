#include "sandbox/kinds/resource.hpp"

#include <algorithm>

#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/kinds/builtin_table.hpp"
#include "sandbox/kinds/kind_gates.hpp"

namespace davit::sandbox {

namespace {

/// A subresource whose requests carry something else than its parent, or whose verbs are others.
struct SubresourceRow {
  std::string_view name;
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view verbs;
};

constexpr std::string_view kProxyVerbs = "create delete get patch update";

// Subresources that are not listed carry the parent and take "get patch update". '*' means the
// parent's kind: PodProxyOptions, NodeProxyOptions.
// clang-format off
constexpr SubresourceRow kSubresourceRows[] = {
    {"attach",      "",                      "",   "PodAttachOptions",      "create get"},
    {"binding",     "",                      "",   "Binding",               "create"},
    {"eviction",    "policy",                "v1", "Eviction",              "create"},
    {"exec",        "",                      "",   "PodExecOptions",        "create get"},
    {"finalize",    "",                      "",   "",                      "update"},
    {"log",         "",                      "",   "",                      "get"},
    {"portforward", "",                      "",   "PodPortForwardOptions", "create get"},
    {"proxy",       "",                      "",   "*ProxyOptions",         kProxyVerbs},
    {"scale",       "autoscaling",           "v1", "Scale",                 "get patch update"},
    {"token",       "authentication.k8s.io", "v1", "TokenRequest",          "create"},
};
// clang-format on

std::vector<std::string> split_words(std::string_view words) {
  std::vector<std::string> out;
  while (!words.empty()) out.emplace_back(take_until(words, " "));
  return out;
}

Subresource make_subresource(const std::string& name, std::string_view parent_kind) {
  const auto* row = std::find_if(std::begin(kSubresourceRows), std::end(kSubresourceRows),
                                 [&](const SubresourceRow& each) { return each.name == name; });
  if (row == std::end(kSubresourceRows)) {
    return {name, "", "", "", {"get", "patch", "update"}};
  }
  std::string kind(row->kind);
  if (!kind.empty() && kind.front() == '*') kind.replace(0, 1, parent_kind);
  return {name, std::string(row->group), std::string(row->version), std::move(kind),
          split_words(row->verbs)};
}

std::vector<std::string> verbs_of(const ResourceRow& row) {
  if ((row.traits & kCreateOnly) != 0) return {"create"};
  if ((row.traits & kReadOnly) != 0) return {"get", "list"};
  if ((row.traits & kNoDeleteCollection) != 0) {
    return split_words("create delete get list patch update watch");
  }
  return split_words("create delete deletecollection get list patch update watch");
}

ResourcePtr make_resource(const ResourceRow& row) {
  const auto has = [&](Trait trait) { return (row.traits & trait) != 0; };
  auto out = std::make_shared<Resource>();
  out->group = row.group;
  out->version = row.version;
  out->name = row.name;
  out->singular = lower_case(std::string(row.kind));
  out->kind = row.kind;
  out->namespaced = !has(kClusterScoped);
  out->short_names = split_words(row.short_names);
  out->categories = split_words(row.categories);
  out->verbs = verbs_of(row);
  for (const std::string& each : split_words(row.subresources)) {
    out->subresources.push_back(make_subresource(each, row.kind));
  }
  out->collection = {std::string(row.stored_in == "core" ? "" : row.group), std::string(row.name)};
  out->schema = find_schema(out->api_version(), out->kind);
  out->has_status = has(kHasStatus);
  out->has_generation = has(kHasGeneration);
  out->keeps_status_on_create = has(kKeepsStatusOnCreate);
  out->create_on_update = has(kCreateOnUpdate);
  out->unconditional_update = !has(kNeedsResourceVersion);
  out->graceful_deletion = has(kGracefulDeletion);
  out->orphans_by_default = has(kOrphansByDefault);
  out->delete_returns_object = has(kDeleteReturnsObject);
  out->rules = row.rules(facts_of(row));
  return out;
}

}  // namespace

std::vector<std::string> KindRules::warnings(const Json&) const { return {}; }

Pairs KindRules::fields(const Json&) const { return {}; }

bool KindRules::knows_field(std::string_view) const { return false; }

const Subresource* Resource::subresource(std::string_view wanted) const {
  const auto found = std::find_if(subresources.begin(), subresources.end(),
                                  [&](const Subresource& each) { return each.name == wanted; });
  return found == subresources.end() ? nullptr : &*found;
}

std::vector<ResourcePtr> builtin_resources() { return resources_under({}); }

std::vector<ResourcePtr> resources_under(const KindGates& gates) {
  std::vector<ResourcePtr> out;
  out.reserve(resource_rows().size());
  for (const ResourceRow& each : resource_rows()) {
    if (each.gate == nullptr || gates.*each.gate) out.push_back(make_resource(each));
  }
  return out;
}

}  // namespace davit::sandbox
