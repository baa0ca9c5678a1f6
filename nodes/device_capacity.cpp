#include "nodes/device_capacity.hpp"

#include <algorithm>
#include <davit/kube/amount.hpp>
#include <utility>

#include "nodes/device_view.hpp"

namespace davit::sandbox {
namespace {

Quantity quantity_of(const Json& value) {
  return Quantity::parse(value.text()).value_or(Quantity());
}

/// The next integer, in units of 10^-9, with which upstream counts steps.
Quantity::Wide whole(const Quantity& value) { return value.rounded_up().nanos(); }

struct Taken {
  Quantity amount;
  std::string text;
};
Taken taken(const Json& quantity) { return {quantity_of(quantity), quantity.text()}; }

/// Rounds up to a whole number of steps above the least amount.
Taken round_up(const Json& wanted, const Json& range) {
  const Quantity value = quantity_of(wanted);
  const Quantity least = quantity_of(range.get("min"));
  if (value < least) return taken(range.get("min"));
  const Quantity::Wide step = whole(quantity_of(range.get("step")));
  if (step <= 0) return taken(wanted);
  const Quantity::Wide above = whole(value) - whole(least);
  const Quantity::Wide steps = above / step + (above % step != 0 ? 1 : 0);
  const Quantity amount = Quantity::of_nanos(whole(least) + steps * step);
  return {amount, quantity_text(amount, QuantityFormat::kBinary)};
}

/// `wanted`: null if the request does not name the capacity.
Taken taken_of(const Json& capacity, const Json* wanted) {
  const Json& policy = capacity.get("requestPolicy");
  if (wanted == nullptr) {
    return taken(policy.contains("default") ? policy.get("default") : capacity.get("value"));
  }
  if (policy.get("validRange").contains("min")) return round_up(*wanted, policy.get("validRange"));
  for (const Json& each : policy.get("validValues").items()) {
    if (quantity_of(*wanted) <= quantity_of(each)) return taken(each);
  }
  return taken(*wanted);
}

bool allows(const Json& policy, const Quantity& amount) {
  if (policy.contains("default") && amount == quantity_of(policy.get("default"))) return true;
  if (const Json* range = policy.find("validRange")) {
    if (range->contains("max") && amount > quantity_of(range->get("max"))) return false;
    const Quantity::Wide step = whole(quantity_of(range->get("step")));
    return step <= 0 || (whole(amount) - whole(quantity_of(range->get("min")))) % step == 0;
  }
  const Json::Items& values = policy.get("validValues").items();
  return values.empty() || std::any_of(values.begin(), values.end(), [&](const Json& each) {
           return amount == quantity_of(each);
         });
}

void add(NamedAmounts& to, const NamedAmounts& amounts) {
  for (const auto& [name, amount] : amounts) to[name] += amount;
}

void subtract(NamedAmounts& from, const NamedAmounts& amounts) {
  for (const auto& [name, amount] : amounts) from[name] -= amount;
}

}  // namespace

bool is_shareable(const Json& device) { return device.get("allowMultipleAllocations").boolean(); }

std::optional<CapacityParts> parts_of(const Json& device, const Json& wanted) {
  const Json& capacities = device.get("capacity");
  const Json& requests = wanted.get("requests");
  for (const Json::Member& each : requests.members()) {
    if (!capacities.contains(each.key)) return std::nullopt;
  }
  CapacityParts out;
  for (const Json::Member& each : capacities.members()) {
    Taken part = taken_of(each.value, requests.find(each.key));
    if (!allows(each.value.get("requestPolicy"), part.amount)) return std::nullopt;
    out.push_back({each.key, part.amount, std::move(part.text)});
  }
  return out;
}

bool has_left(const Json& device, const CapacityParts& parts, const NamedAmounts& used) {
  return std::all_of(parts.begin(), parts.end(), [&](const CapacityPart& part) {
    Quantity sum = part.amount;
    if (const auto found = used.find(part.name); found != used.end()) sum += found->second;
    return sum <= quantity_of(device.get("capacity").get(part.name).get("value"));
  });
}

void DeviceShares::set(const std::string& claim, const Json& allocation) {
  drop(claim);
  std::vector<Share> shares;
  for (const Json& each : allocation.get("devices").get("results").items()) {
    if (!each.contains("shareID") || each.get("adminAccess").boolean()) continue;
    Share share{
        device_id(each.get("driver").text(), each.get("pool").text(), each.get("device").text()),
        {}};
    for (const Json::Member& part : each.get("consumedCapacity").members()) {
      share.amounts.emplace(part.key, quantity_of(part.value));
    }
    Use& use = uses_[share.device];
    ++use.shares;
    add(use.amounts, share.amounts);
    shares.push_back(std::move(share));
  }
  if (!shares.empty()) claims_.emplace(claim, std::move(shares));
}

bool DeviceShares::drop(const std::string& claim) {
  const auto found = claims_.find(claim);
  if (found == claims_.end()) return false;
  for (const Share& each : found->second) {
    const auto use = uses_.find(each.device);
    subtract(use->second.amounts, each.amounts);
    if (--use->second.shares == 0) uses_.erase(use);
  }
  claims_.erase(found);
  return true;
}

const DeviceShares::Use* DeviceShares::find(const std::string& device) const {
  const auto found = uses_.find(device);
  return found == uses_.end() ? nullptr : &found->second;
}

}  // namespace davit::sandbox
