#include "nodes/device_allocator.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "lib/base/uuid.hpp"
#include "nodes/device_capacity.hpp"
#include "nodes/device_counters.hpp"
#include "nodes/device_pools.hpp"
#include "nodes/device_requests.hpp"

namespace davit::sandbox {
namespace {

constexpr char kCannotAllocate[] = "cannot allocate all claims";
constexpr char kInvalidPools[] = "invalid resource pools were encountered";
/// kube-scheduler stops the search on one node after 10 s (its filterTimeout). A number of steps is
/// the same on every machine.
constexpr int kSearchStepsMax = 200'000;
/// A pod's attempt on all nodes stops after about a second, too, as nothing else is scheduled
/// until then. Each node has some steps free, so that many nodes alone do not end an attempt.
constexpr int kAttemptStepsMax = 1'000'000;
constexpr int kFreeSteps = 1'000;
/// States of one search that are known to fail: a few megabytes, as each step adds at most one.
constexpr std::size_t kFailedMax = 20'000;
/// Devices of one place to which others are compared: those that differ in what later requests want
/// are few.
constexpr std::size_t kInVainMax = 8;

/// A device that a claim is about to get.
struct Placed {
  const DeviceWish* wish;
  const DeviceOffer* offer;
  std::size_t index;    // The offer's.
  CapacityParts parts;  // Empty unless others may share the device.
  bool took_counters;
};

bool takes_counters(const DeviceOffer& offer) {
  return offer.device->get("consumesCounters").size() > 0;
}

/// A claim with the state of the search.
struct ClaimSearch {
  ClaimWish wish;
  std::vector<DeviceConstraint> constraints;
  std::vector<Placed> placed;
  std::vector<std::size_t> least;  // From each request on, the devices that it gets at least.
};

/// A depth-first search over all combinations; of one request each combination once. What was tried
/// once in vain is not tried again while nothing differs that matters to the rest of the requests.
class Search {
 public:
  Search(DeviceQuestion& question, const std::vector<DevicePool>& pools)
      : question_(question), pools_(pools), counters_(pools.size()) {
    for (std::size_t i = 0; i < pools.size(); ++i) {
      if (pools[i].state != PoolState::kUsable) continue;
      for (const DeviceOffer& each : pools[i].offers) {
        offers_.push_back(&each);
        pool_of_.push_back(i);
      }
    }
    uses_.assign(offers_.size(), 0);
  }

  [[nodiscard]] const std::vector<const DeviceOffer*>& offers() const { return offers_; }

  void add(ClaimWish wish) {
    ClaimSearch search;
    for (const Json& each : wish.claim->get("spec").get("devices").get("constraints").items()) {
      search.constraints.emplace_back(each);
    }
    search.least.assign(wish.requests.size() + 1, 0);
    for (std::size_t i = wish.requests.size(); i > 0; --i) {
      search.least[i - 1] = search.least[i] + least_count(wish.requests[i - 1]);
    }
    search.wish = std::move(wish);
    claims_.push_back(std::move(search));
  }

  /// Whether all claims have their devices. kCancelled: the search took too many steps.
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

  [[nodiscard]] bool is_out_of_steps() {
    if (++steps_ > kFreeSteps) ++question_.steps;
    return steps_ > kSearchStepsMax || question_.steps > kAttemptStepsMax;
  }

  Result<bool> place_request(At at) {
    if (is_out_of_steps()) return Status(Code::kCancelled, "");
    if (at.claim == claims_.size()) return true;
    const std::vector<DeviceWishes>& requests = claims_[at.claim].wish.requests;
    if (at.request == requests.size()) return place_request({at.claim + 1, 0, 0, 0, 0});
    std::string state = state_at(at);
    if (failed_.contains(state)) return false;
    for (std::size_t i = 0; i < requests[at.request].size(); ++i) {
      const Result<bool> placed = place_device({at.claim, at.request, i, 0, 0});
      if (!placed || *placed) return placed;
    }
    if (failed_.size() < kFailedMax) failed_.insert(std::move(state));
    return false;
  }

  Result<bool> place_device(At at) {
    ClaimSearch& claim = claims_[at.claim];
    const DeviceWish& wish = claim.wish.requests[at.request][at.alternative];
    if (wish.all && wish.count == 0) return false;
    if (at.device == wish.count) return place_request({at.claim, at.request + 1, 0, 0, 0});
    const std::size_t least = wish.count - at.device + claim.least[at.request + 1];
    if (claim.placed.size() + least > kDevicesPerClaim) return false;
    if (wish.all) return place_all(at, claim, wish);
    std::vector<std::size_t> in_vain;
    for (std::size_t i = at.first_offer; i < offers_.size(); ++i) {
      if (is_out_of_steps()) return Status(Code::kCancelled, "");
      if (is_taken(wish, claim, i)) continue;
      const bool is_hopeless = std::any_of(in_vain.begin(), in_vain.end(), [&](std::size_t tried) {
        return is_no_better(at, wish, {tried, i});
      });
      if (is_hopeless) continue;
      const Result<bool> fits = selects(claim, wish, i);
      if (!fits) return fits;
      if (!*fits || place(claim, wish, i) != Placing::kPlaced) continue;
      const Result<bool> rest =
          place_device({at.claim, at.request, at.alternative, at.device + 1, i + 1});
      if (!rest || *rest) return rest;
      take_back(claim, wish, i);
      if (in_vain.size() < kInVainMax) in_vain.push_back(i);
    }
    return false;
  }

  struct Candidates {
    std::size_t tried;
    std::size_t other;
  };
  /// Whether `other` cannot help where `tried` did not: in every solution with `other`, the two
  /// could change places.
  [[nodiscard]] bool is_no_better(const At& at, const DeviceWish& wish,
                                  const Candidates& candidates) {
    if (!are_used_alike(candidates)) return false;
    const std::vector<DeviceConstraint>& own = claims_[at.claim].constraints;
    if (std::any_of(own.begin(), own.end(),
                    [&](const auto& each) { return each.concerns(wish); })) {
      return false;
    }
    bool has_constraints = false;
    bool is_wanted = false;
    bool is_other_wanted = true;  // All that may want the one tried want it.
    for_later(at, [&](const ClaimSearch& claim, const DeviceWish& later) {
      has_constraints = has_constraints || !claim.constraints.empty();
      if (!wants(claim, later, candidates.tried).value_or(true)) return;
      is_wanted = true;
      is_other_wanted = is_other_wanted && wants(claim, later, candidates.other).value_or(false);
    });
    return !is_wanted || (is_other_wanted && !has_constraints);
  }

  /// Whether both take the same counters, and no capacity of theirs is shared.
  [[nodiscard]] bool are_used_alike(const Candidates& candidates) const {
    const Json& tried = *offers_[candidates.tried]->device;
    const Json& other = *offers_[candidates.other]->device;
    if (is_shareable(tried) || is_shareable(other)) return false;
    if (tried.get("consumesCounters") != other.get("consumesCounters")) return false;
    return !takes_counters(*offers_[candidates.tried]) ||
           pool_of_[candidates.tried] == pool_of_[candidates.other];
  }

  /// Calls `visit` for all alternatives of the requests after this one.
  template <typename Visit>
  void for_later(const At& at, const Visit& visit) const {
    for (std::size_t i = at.claim; i < claims_.size(); ++i) {
      const std::vector<DeviceWishes>& requests = claims_[i].wish.requests;
      for (std::size_t j = i == at.claim ? at.request + 1 : 0; j < requests.size(); ++j) {
        for (const DeviceWish& wish : requests[j]) visit(claims_[i], wish);
      }
    }
  }

  /// Whether the request selects the device; nothing if that is an error, which counts only where
  /// the search comes to the device.
  [[nodiscard]] std::optional<bool> wants(const ClaimSearch& claim, const DeviceWish& wish,
                                          std::size_t offer) {
    if (wish.all) {
      return std::find(wish.chosen.begin(), wish.chosen.end(), offer) != wish.chosen.end();
    }
    if (errors_.contains({&wish, offer})) return std::nullopt;
    const Result<bool> selected = selects(claim, wish, offer);
    if (selected) return *selected;
    errors_.insert({&wish, offer});
    return std::nullopt;
  }

  /// The devices are known; there is nothing to try if one cannot be had.
  Result<bool> place_all(At at, ClaimSearch& claim, const DeviceWish& wish) {
    const std::size_t index = wish.chosen[at.device];
    const DeviceOffer& offer = *offers_[index];
    if (is_taken(wish, claim, index) || is_kept_away(question_.view, wish, offer)) return false;
    const Placing placing = place(claim, wish, index);
    if (placing == Placing::kLacking) return false;
    if (placing == Placing::kUnfit) {
      return Status(Code::kInvalid, "claim " + claim.wish.name + ", request " +
                                        wish.name.substr(wish.name.find('/') + 1) +
                                        ": cannot add device " + offer.id +
                                        " because a claim constraint would not be satisfied");
    }
    const Result<bool> rest =
        place_device({at.claim, at.request, at.alternative, at.device + 1, 0});
    if (!rest || *rest) return rest;
    take_back(claim, wish, index);
    return false;
  }

  /// With admin access a device may have other users, but of one claim only once. A device that
  /// several may share is not taken by those who do.
  [[nodiscard]] bool is_taken(const DeviceWish& wish, const ClaimSearch& claim,
                              std::size_t index) const {
    const bool is_shared = is_shareable(*offers_[index]->device);
    if (wish.admin) {
      return !is_shared && std::any_of(claim.placed.begin(), claim.placed.end(),
                                       [&](const Placed& each) { return each.index == index; });
    }
    return (uses_[index] > 0 && !is_shared) || question_.is_taken(offers_[index]->id);
  }

  Result<bool> selects(const ClaimSearch& claim, const DeviceWish& wish, std::size_t offer) {
    const auto found = selected_.find({&wish, offer});
    if (found != selected_.end()) return found->second;
    const Result<bool> matches =
        selects_device(wish, claim.wish.name, *offers_[offer], question_.selectors);
    if (!matches) return matches;
    const bool out = *matches && !is_kept_away(question_.view, wish, *offers_[offer]) &&
                     has_capacity(wish, *offers_[offer], question_.shares);
    selected_.insert_or_assign({&wish, offer}, out);
    return out;
  }

  enum class Placing : std::uint8_t {
    kPlaced,
    kLacking,  // Counters or capacity do not suffice.
    kUnfit,    // A constraint forbids it.
  };

  Placing place(ClaimSearch& claim, const DeviceWish& wish, std::size_t index) {
    const DeviceOffer& offer = *offers_[index];
    Placed placed{&wish, &offer, index, {}, false};
    // All shares of a device take its counters once.
    if (takes_counters(offer) && !is_shared_already(index)) {
      if (!counters_of(index).take(*offer.device)) return Placing::kLacking;
      placed.took_counters = true;
    }
    Placing out = Placing::kPlaced;
    std::size_t added = 0;
    for (; added < claim.constraints.size() && out == Placing::kPlaced; ++added) {
      if (!claim.constraints[added].add(wish, offer)) out = Placing::kUnfit;
    }
    if (out == Placing::kUnfit) --added;
    if (out == Placing::kPlaced && !take_share(placed)) out = Placing::kLacking;
    if (out != Placing::kPlaced) {
      while (added > 0) claim.constraints[--added].remove(wish);
      if (placed.took_counters) counters_of(index).give_back(*offer.device);
      return out;
    }
    claim.placed.push_back(std::move(placed));
    ++uses_[index];
    return out;
  }

  void take_back(ClaimSearch& claim, const DeviceWish& wish, std::size_t index) {
    for (DeviceConstraint& each : claim.constraints) each.remove(wish);
    const Placed& placed = claim.placed.back();
    if (is_shareable(*placed.offer->device)) {
      NamedAmounts& used = shared_[index];
      for (const CapacityPart& each : placed.parts) used[each.name] -= each.amount;
    }
    if (placed.took_counters) counters_of(index).give_back(*placed.offer->device);
    claim.placed.pop_back();
    --uses_[index];
  }

  /// Takes a part of the capacity of a device that others may share. Any other is taken whole.
  bool take_share(Placed& placed) {
    const Json& device = *placed.offer->device;
    if (!is_shareable(device)) return true;
    placed.parts = parts_of(device, placed.wish->spec->get("capacity")).value_or(CapacityParts());
    NamedAmounts& used = shared_[placed.index];
    NamedAmounts all = used;
    if (const DeviceShares::Use* others = question_.shares.find(placed.offer->id)) {
      for (const auto& [name, amount] : others->amounts) all[name] += amount;
    }
    if (!has_left(device, placed.parts, all)) return false;
    for (const CapacityPart& each : placed.parts) used[each.name] += each.amount;
    return true;
  }

  [[nodiscard]] bool is_shared_already(std::size_t index) const {
    return is_shareable(*offers_[index]->device) &&
           (uses_[index] > 0 || question_.shares.find(offers_[index]->id) != nullptr);
  }

  /// Those of the offer's pool, less what devices with users take.
  PoolCounters& counters_of(std::size_t index) {
    std::optional<PoolCounters>& out = counters_[pool_of_[index]];
    if (out) return *out;
    const DevicePool& pool = pools_[pool_of_[index]];
    return out.emplace(pool.slices, [&](const std::string& device) {
      const std::string id = pool.id + "/" + device;
      return question_.is_taken(id) || question_.shares.find(id) != nullptr;
    });
  }

  /// All that the rest of the search, from the request on, depends on.
  [[nodiscard]] std::string state_at(const At& at) {
    const ClaimSearch& current = claims_[at.claim];
    std::string out = std::to_string(at.claim) + ' ' + std::to_string(at.request) + ' ' +
                      std::to_string(current.placed.size());
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (uses_[i] == 0 || !matters_from(at, i)) continue;
      const bool is_own = std::any_of(current.placed.begin(), current.placed.end(),
                                      [i](const Placed& each) { return each.index == i; });
      out += (is_own ? " =" : " +") + std::to_string(i);
      if (is_shareable(*offers_[i]->device)) add_parts(i, out);
    }
    for (const DeviceConstraint& each : current.constraints) out += ' ' + each.state();
    return out;
  }

  /// Adds the parts that all claims take of the device.
  void add_parts(std::size_t index, std::string& to) const {
    for (const ClaimSearch& claim : claims_) {
      for (const Placed& each : claim.placed) {
        if (each.index != index) continue;
        for (const CapacityPart& part : each.parts) to += '~' + part.text;
      }
    }
  }

  /// Whether it makes a difference to the requests from there on that a claim has the device: one
  /// may want it, or the counters that it takes.
  [[nodiscard]] bool matters_from(const At& at, std::size_t offer) {
    if (may_want(at, offer)) return true;
    if (!takes_counters(*offers_[offer])) return false;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      if (pool_of_[i] == pool_of_[offer] && takes_counters(*offers_[i]) && may_want(at, i)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a request from there on may want the device.
  [[nodiscard]] bool may_want(const At& at, std::size_t offer) {
    bool out = false;
    for (const DeviceWish& wish : claims_[at.claim].wish.requests[at.request]) {
      out = out || wants(claims_[at.claim], wish, offer).value_or(true);
    }
    for_later(at, [&](const ClaimSearch& claim, const DeviceWish& wish) {
      out = out || wants(claim, wish, offer).value_or(true);
    });
    return out;
  }

  static std::size_t least_count(const DeviceWishes& wishes) {
    return std::min_element(wishes.begin(), wishes.end(),
                            [](const auto& a, const auto& b) { return a.count < b.count; })
        ->count;
  }

  DeviceQuestion& question_;
  const std::vector<DevicePool>& pools_;
  std::vector<const DeviceOffer*> offers_;
  std::vector<std::size_t> pool_of_;  // For each offer, the index of its pool.
  std::vector<ClaimSearch> claims_;
  std::vector<int> uses_;  // For each offer, how often claims are about to get it.
  std::map<std::size_t, NamedAmounts> shared_;         // The parts of offers that claims take.
  std::vector<std::optional<PoolCounters>> counters_;  // For each pool, once they matter.
  std::map<std::pair<const DeviceWish*, std::size_t>, bool> selected_;
  std::set<std::pair<const DeviceWish*, std::size_t>> errors_;
  std::unordered_set<std::string> failed_;  // As of state_at().
  int steps_ = 0;
};

Json result_of(const Placed& placed, Random& random) {
  const Json& spec = placed.offer->slice->get("spec");
  Json out = Json::object({{"request", placed.wish->name},
                           {"driver", spec.get("driver")},
                           {"pool", spec.get("pool").get("name")},
                           {"device", placed.offer->device->get("name")}});
  if (placed.wish->admin) out.set("adminAccess", true);
  if (placed.wish->spec->get("tolerations").size() > 0) {
    out.set("tolerations", placed.wish->spec->get("tolerations"));
  }
  for (const char* member : {"bindingConditions", "bindingFailureConditions"}) {
    const Json& conditions = placed.offer->device->get(member);
    if (conditions.size() > 0) out.set(member, conditions);
  }
  if (is_shareable(*placed.offer->device)) out.set("shareID", random_uuid(random));
  if (!placed.parts.empty()) {
    Json amounts = Json::object();
    for (const CapacityPart& each : placed.parts) amounts.set(each.name, each.text);
    out.set("consumedCapacity", std::move(amounts));
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

Json allocation_of(const ClaimSearch& claim, const NodeCapacity& node, Random& random) {
  Json results = Json::array();
  for (const Placed& each : claim.placed) results.push_back(result_of(each, random));
  Json devices = Json::object({{"results", std::move(results)}});
  Json configuration = configuration_of(claim);
  if (configuration.size() > 0) devices.set("config", std::move(configuration));
  Json out = Json::object({{"devices", std::move(devices)}});
  Json reach = selector_of(claim, node);
  if (!reach.is_null()) out.set("nodeSelector", std::move(reach));
  return out;
}

}  // namespace

Result<DeviceChoice> allocate_devices(DeviceQuestion& question,
                                      const std::vector<const Json*>& claims,
                                      const NodeCapacity& node) {
  const std::vector<DevicePool> pools = pools_of(question.view, node);
  const bool has_invalid_pool = std::any_of(pools.begin(), pools.end(), [](const auto& each) {
    return each.state == PoolState::kInvalid;
  });
  Search search(question, pools);
  const WishSources sources{question.view, question.shares, pools, search.offers(),
                            question.selectors};
  for (const Json* claim : claims) {
    Result<ClaimWish> wish = read_claim_wish(*claim, sources);
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
    out.allocations->push_back(allocation_of(claim, node, question.random));
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
