#include "plugins/resourcequota/resource_plan.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace davit::resourcequota {
namespace {

/// Resources that are not stored, and Events, which come and go by themselves.
constexpr std::string_view kIgnored[] = {"bindings",
                                         "componentstatuses",
                                         "events",
                                         "events.events.k8s.io",
                                         "localsubjectaccessreviews.authorization.k8s.io",
                                         "selfsubjectaccessreviews.authorization.k8s.io",
                                         "selfsubjectreviews.authentication.k8s.io",
                                         "selfsubjectrulesreviews.authorization.k8s.io",
                                         "subjectaccessreviews.authorization.k8s.io",
                                         "tokenreviews.authentication.k8s.io"};

bool is_ignored(const ResourceId& id) {
  return std::find(std::begin(kIgnored), std::end(kIgnored), id.qualified()) != std::end(kIgnored);
}

}  // namespace

ResourceSet plan_resources(const Offer& offer, const ResourceSet& known) {
  ResourceSet out;
  std::set<std::string> seen;
  for (const OfferedResource& each : offer.resources) {
    if (!seen.insert(each.id.qualified()).second) continue;
    const bool is_countable = each.is_namespaced && each.can_be_created && each.can_be_followed;
    if (is_countable && !is_ignored(each.id)) out.insert(each.id);
  }
  for (const ResourceId& each : known) {
    const bool is_unknown = offer.unknown.contains({each.group, each.version});
    if (is_unknown && !seen.contains(each.qualified())) out.insert(each);
  }
  return out;
}

std::vector<const ResourceId*> opening_order(const ResourceSet& resources) {
  return offer::built_in_first(resources,
                               [](const ResourceId& each) -> const ResourceId& { return each; });
}

}  // namespace davit::resourcequota
