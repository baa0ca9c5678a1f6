#include "plugins/shared/offer/offer.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <iterator>

namespace davit::offer {
namespace {

Offer read_offer(const ServedCatalog& catalog) {
  constexpr std::string_view kFollowing[] = {"delete", "list", "watch"};
  Offer out;
  for (const ServedResource& each : catalog.resources) {
    OfferedResource offered;
    offered.id = {std::string(each.group()), std::string(each.version()),
                  std::string(each.resource())};
    offered.kind = each.kind();
    offered.can_be_followed =
        std::all_of(std::begin(kFollowing), std::end(kFollowing),
                    [&each](std::string_view verb) { return each.has_verb(verb); });
    offered.can_be_created = each.has_verb("create");
    offered.is_namespaced = each.is_namespaced();
    out.resources.push_back(std::move(offered));
  }
  for (const UnknownVersion& each : catalog.unknown) out.unknown.emplace(each.group, each.version);
  return out;
}

}  // namespace

bool is_kubernetes_group(std::string_view group) {
  constexpr std::string_view kReserved = "k8s.io";
  return group.find('.') == std::string_view::npos || group == kReserved ||
         group.ends_with("." + std::string(kReserved));
}

Result<Offer> find_offer(const Discovery& discovery, Freshness freshness, Time now) {
  if (freshness == Freshness::kRecent && !mutant("shared-discovery")) {
    const Result<ServedCatalog> known = discovery.catalog();
    if (known && now - known->fetched <= kRecentMax) return read_offer(*known);
  }
  const Result<ServedCatalog> catalog = discovery.fetch();
  if (!catalog) return catalog.error();
  return read_offer(*catalog);
}

Result<Offer> whole(Result<Offer> offer) {
  if (!offer || mutant("offered-core")) return offer;
  const bool is_known =
      std::any_of(offer->resources.begin(), offer->resources.end(),
                  [](const OfferedResource& each) { return each.id.group.empty(); }) ||
      std::any_of(offer->unknown.begin(), offer->unknown.end(),
                  [](const auto& each) { return each.first.empty(); });
  if (is_known) return offer;
  return Status(Code::kUnavailable, "the server does not mention its core group");
}

void wake_on_change(const Context& cluster, const Queue& queue, const Key& key) {
  const Status woken = cluster.discovery().wake(queue, key);
  if (woken.ok()) return;
  cluster.log().warning("changes of what the server offers are seen late",
                        {{"error", woken.message()}});
}

}  // namespace davit::offer
