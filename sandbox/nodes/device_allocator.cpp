#include "sandbox/nodes/device_allocator.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sandbox/nodes/device_pools.hpp"
#include "sandbox/nodes/device_requests.hpp"

namespace davit::sandbox {
namespace {

constexpr char kCannotAllocate[] = "cannot allocate all claims";
constexpr char kInvalidPools[] = "invalid resource pools were encountered";
/// kube-scheduler stops the search on one node after 10 s (its filterTimeout). A number of steps is
/// the same on every machine.
constexpr int kSearchStepsMax = 200'000;

/// A device that a claim is about to get.
struct Placed {
  const DeviceWish* wish;
  const DeviceOffer* offer;
};

/// A claim with the state of the search.
struct ClaimSearch {
  ClaimWish wish;
  std::vector<DeviceConstraint> constraints;
  std::vector<Placed> placed;
};

/// A depth-first search over all combinations; of one request each combination once.
class Search {
 public:
  Search(const DeviceQuestion& question, std::vector<const DeviceOffer*> offers)
      : question_(question), offers_(std::move(offers)) {}

  void add(ClaimWish wish) {
    ClaimSearch search;
    for (const Json& each : wish.claim->get("spec").get("devices").get("constraints").items()) {
      search.constraints.emplace_back(each);
    }
    search.wish = std::move(wish);
    claims_.push_back(std::move(search));
  }

  /// Whether all claims have their devices.
  Result<bool> run() { return place_request({}); }
  [[nodiscard]] const std::vector<ClaimSearch>& claims() const { return claims_; }

 private:
  /// The next device to find.
  struct At {
    std::size_t claim = 0;
    std::size_t request = 0;
    std::size_t alternative = 0;
    std::size_t device = 0;
    std::size_t first_offer = 0;  // Earlier ones were tried for an earlier device of the request.
  };

  Result<bool> place_request(At at) {
    if (++steps_ > kSearchStepsMax) return Status(Code::kCancelled, "");
    if (at.claim == claims_.size()) return true;
    const std::vector<DeviceWishes>& requests = claims_[at.claim].wish.requests;
    if (at.request == requests.size()) return place_request({at.claim + 1, 0, 0, 0, 0});
    for (std::size_t i = 0; i < requests[at.request].size(); ++i) {
      const Result<bool> placed = place_device({at.claim, at.request, i, 0, 0});
      if (!placed || *placed) return placed;
    }
    return false;
  }

  Result<bool> place_device(At at) {
    ClaimSearch& claim = claims_[at.claim];
    const DeviceWish& wish = claim.wish.requests[at.request][at.alternative];
    if (wish.all && wish.count == 0) return false;
    if (at.device == wish.count) return place_request({at.claim, at.request + 1, 0, 0, 0});
    if (claim.placed.size() + wish.count - at.device > kDevicesPerClaim) return false;
    if (wish.all) return place_all(at, claim, wish);
    for (std::size_t i = at.first_offer; i < offers_.size(); ++i) {
      if (++steps_ > kSearchStepsMax) return Status(Code::kCancelled, "");
      if (is_taken(wish, claim, *offers_[i])) continue;
      const Result<bool> fits = selects(claim, wish, i);
      if (!fits) return fits;
      if (!*fits || !place(claim, wish, *offers_[i])) continue;
      const Result<bool> rest =
          place_device({at.claim, at.request, at.alternative, at.device + 1, i + 1});
      if (!rest || *rest) return rest;
      take_back(claim, wish, *offers_[i]);
    }
    return false;
  }

  /// The devices are known; there is nothing to try if one cannot be had.
  Result<bool> place_all(At at, ClaimSearch& claim, const DeviceWish& wish) {
    const DeviceOffer& offer = *offers_[wish.chosen[at.device]];
    if (is_taken(wish, claim, offer) || is_kept_away(wish, *offer.device)) return false;
    if (!place(claim, wish, offer)) {
      return Status(Code::kInvalid, "claim " + claim.wish.name + ", request " +
                                        wish.name.substr(wish.name.find('/') + 1) +
                                        ": cannot add device " + offer.id +
                                        " because a claim constraint would not be satisfied");
    }
    const Result<bool> rest =
        place_device({at.claim, at.request, at.alternative, at.device + 1, 0});
    if (!rest || *rest) return rest;
    take_back(claim, wish, offer);
    return false;
  }

  /// With admin access a device may have other users, but of one claim only once.
  [[nodiscard]] bool is_taken(const DeviceWish& wish, const ClaimSearch& claim,
                              const DeviceOffer& offer) const {
    if (wish.admin) {
      return std::any_of(claim.placed.begin(), claim.placed.end(),
                         [&](const Placed& each) { return each.offer == &offer; });
    }
    return in_search_.contains(&offer) || question_.is_taken(offer.id);
  }

  Result<bool> selects(const ClaimSearch& claim, const DeviceWish& wish, std::size_t offer) {
    const auto [found, is_new] = selected_.try_emplace({&wish, offer}, false);
    if (!is_new) return found->second;
    const Result<bool> matches =
        selects_device(wish, claim.wish.name, *offers_[offer], question_.selectors);
    if (!matches) return matches;
    found->second = *matches && !is_kept_away(wish, *offers_[offer]->device);
    return found->second;
  }

  bool place(ClaimSearch& claim, const DeviceWish& wish, const DeviceOffer& offer) {
    for (std::size_t i = 0; i < claim.constraints.size(); ++i) {
      if (claim.constraints[i].add(wish, offer)) continue;
      while (i > 0) claim.constraints[--i].remove(wish);
      return false;
    }
    claim.placed.push_back({&wish, &offer});
    in_search_.insert(&offer);
    return true;
  }

  void take_back(ClaimSearch& claim, const DeviceWish& wish, const DeviceOffer& offer) {
    for (DeviceConstraint& each : claim.constraints) each.remove(wish);
    claim.placed.pop_back();
    in_search_.erase(in_search_.find(&offer));
  }

  const DeviceQuestion& question_;
  const std::vector<const DeviceOffer*> offers_;
  std::vector<ClaimSearch> claims_;
  std::multiset<const DeviceOffer*> in_search_;  // Those that some claim is about to get.
  std::map<std::pair<const DeviceWish*, std::size_t>, bool> selected_;
  int steps_ = 0;
};

Json result_of(const Placed& placed) {
  const Json& spec = placed.offer->slice->get("spec");
  Json out = Json::object({{"request", placed.wish->name},
                           {"driver", spec.get("driver")},
                           {"pool", spec.get("pool").get("name")},
                           {"device", placed.offer->device->get("name")}});
  if (placed.wish->admin) out.set("adminAccess", true);
  if (placed.wish->spec->get("tolerations").size() > 0) {
    out.set("tolerations", placed.wish->spec->get("tolerations"));
  }
  return out;
}

/// The alternative of a request that was chosen; null if it got no device.
const DeviceWish* chosen_of(const ClaimSearch& claim, const std::string& request) {
  for (const Placed& each : claim.placed) {
    if (each.wish->request == request) return each.wish;
  }
  return nullptr;
}

/// The configuration of the classes, each once with all its requests, and then that of the claim.
Json configuration_of(const ClaimSearch& claim) {
  Json out = Json::array();
  const auto add = [&out](const char* source, const Json& from, Json requests) {
    Json each = from;
    each.set("source", source);
    if (requests.size() > 0) each.set("requests", std::move(requests));
    out.push_back(std::move(each));
  };
  std::map<const Json*, std::vector<Json>> by_class;
  std::vector<const Json*> order;
  std::set<std::string> names;  // The requests that were served, by both names.
  for (const DeviceWishes& wishes : claim.wish.requests) {
    const DeviceWish* const chosen = chosen_of(claim, wishes.front().request);
    if (chosen == nullptr) continue;
    names.insert({chosen->request, chosen->name});
    if (!by_class.contains(chosen->device_class)) order.push_back(chosen->device_class);
    by_class[chosen->device_class].emplace_back(chosen->name);
  }
  for (const Json* each : order) {
    for (const Json& config : each->get("spec").get("config").items()) {
      add("FromClass", config, Json(by_class[each]));
    }
  }
  for (const Json& config : claim.wish.claim->get("spec").get("devices").get("config").items()) {
    const Json::Items& requests = config.get("requests").items();
    const bool concerned =
        requests.empty() || std::any_of(requests.begin(), requests.end(), [&](const Json& each) {
          return names.contains(each.text());
        });
    if (concerned) add("FromClaim", config, config.get("requests"));
  }
  return out;
}

/// The nodes on which the devices can be used; null: on all.
Json selector_of(const ClaimSearch& claim, const NodeCapacity& node) {
  Json expressions = Json::array();
  Json fields = Json::array();
  const auto add = [](const Json& from, Json& to) {
    for (const Json& each : from.items()) {
      const Json::Items& known = to.items();
      if (std::find(known.begin(), known.end(), each) == known.end()) to.push_back(each);
    }
  };
  for (const Placed& each : claim.placed) {
    const Json& spec = each.offer->slice->get("spec");
    const Json& place = spec.get("perDeviceNodeSelection").boolean() ? *each.offer->device : spec;
    if (!place.get("nodeName").text().empty() || each.offer->device->get("bindsToNode").boolean()) {
      const Json field = Json::object(
          {{"key", "metadata.name"}, {"operator", "In"}, {"values", Json::array({node.name})}});
      return Json::object({{"nodeSelectorTerms",
                            Json::array({Json::object({{"matchFields", Json::array({field})}})})}});
    }
    for (const Json& term : place.get("nodeSelector").get("nodeSelectorTerms").items()) {
      add(term.get("matchExpressions"), expressions);
      add(term.get("matchFields"), fields);
    }
  }
  if (expressions.size() + fields.size() == 0) return {};
  Json term = Json::object();
  if (expressions.size() > 0) term.set("matchExpressions", std::move(expressions));
  if (fields.size() > 0) term.set("matchFields", std::move(fields));
  return Json::object({{"nodeSelectorTerms", Json::array({std::move(term)})}});
}

Json allocation_of(const ClaimSearch& claim, const NodeCapacity& node) {
  Json results = Json::array();
  for (const Placed& each : claim.placed) results.push_back(result_of(each));
  Json devices = Json::object({{"results", std::move(results)}});
  Json configuration = configuration_of(claim);
  if (configuration.size() > 0) devices.set("config", std::move(configuration));
  Json out = Json::object({{"devices", std::move(devices)}});
  Json reach = selector_of(claim, node);
  if (!reach.is_null()) out.set("nodeSelector", std::move(reach));
  return out;
}

}  // namespace

Result<DeviceChoice> allocate_devices(const DeviceQuestion& question,
                                      const std::vector<const Json*>& claims,
                                      const NodeCapacity& node) {
  const std::vector<DevicePool> pools = pools_of(question.view, node);
  std::vector<const DeviceOffer*> offers;
  bool has_invalid_pool = false;
  for (const DevicePool& pool : pools) {
    has_invalid_pool = has_invalid_pool || pool.state == PoolState::kInvalid;
    if (pool.state != PoolState::kUsable) continue;
    for (const DeviceOffer& each : pool.offers) offers.push_back(&each);
  }
  Search search(question, offers);
  for (const Json* claim : claims) {
    Result<ClaimWish> wish =
        read_claim_wish(*claim, question.view, pools, offers, question.selectors);
    if (!wish) return wish.error();
    search.add(std::move(*wish));
  }
  const Result<bool> found = search.run();
  if (!found && found.error().code() == Code::kCancelled) {
    return Status(Code::kCancelled, "node " + node.name + ": timed out trying to allocate devices");
  }
  if (!found) return found.error();
  DeviceChoice out;
  if (!*found) {
    out.refusal = has_invalid_pool ? kInvalidPools : kCannotAllocate;
    return out;
  }
  out.allocations.emplace();
  for (const ClaimSearch& claim : search.claims()) {
    out.allocations->push_back(allocation_of(claim, node));
  }
  return out;
}

std::int64_t preference_of(const std::vector<const Json*>& claims,
                           const std::vector<Json>& allocations) {
  constexpr std::int64_t kAlternativesMax = 8;
  std::int64_t out = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    std::set<std::string> served;
    for (const Json& each : allocations[i].get("devices").get("results").items()) {
      served.insert(each.get("request").text());
    }
    for (const Json& request : claims[i]->get("spec").get("devices").get("requests").items()) {
      std::int64_t rank = kAlternativesMax;
      for (const Json& each : request.get("firstAvailable").items()) {
        const std::string name = request.get("name").text() + "/" + each.get("name").text();
        if (served.contains(name)) out += rank;
        --rank;
      }
    }
  }
  return out;
}

}  // namespace davit::sandbox
