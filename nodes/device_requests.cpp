#include "nodes/device_requests.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "nodes/label_rules.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

Status wrong_claim(std::string text) { return {Code::kInvalid, std::move(text)}; }

/// "claim NAMESPACE/NAME, request NAME: …"
Status request_error(const std::string& claim, const std::string& request,
                     const std::string& text) {
  return wrong_claim("claim " + claim + ", request " + request + ": " + text);
}

Result<bool> all_match(const Json& selectors, const std::string& owner, const DeviceOffer& offer,
                       cel::DeviceSelectors& cache) {
  const std::string& driver = offer.slice->text_at({"spec", "driver"});
  std::size_t index = 0;
  for (const Json& each : selectors.items()) {
    const Result<bool> matches =
        cache.matches(each.text_at({"cel", "expression"}), driver, *offer.device);
    if (!matches) {
      return wrong_claim(owner + ": selector #" + std::to_string(index) + ": " +
                         matches.error().message());
    }
    if (!*matches) return false;
    ++index;
  }
  return true;
}

/// The value of a fully qualified attribute; null if the device lacks it.
const Json* attribute_of(const DeviceOffer& offer, const std::string& name) {
  const Json& all = offer.device->get("attributes");
  if (const Json* found = all.find(name)) return found;
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return nullptr;
  if (name.substr(0, slash) != offer.slice->text_at({"spec", "driver"})) return nullptr;
  return all.find(std::string_view(name).substr(slash + 1));
}

/// Whether the attributes have one value of a type that is known.
bool same_value(const Json& a, const Json& b) {
  for (const char* type : {"string", "int", "bool", "version"}) {
    if (a.contains(type)) return b.contains(type) && a.get(type) == b.get(type);
  }
  return false;
}

/// Reads what `exactly` and alternatives have in common.
Result<DeviceWish> read_wish(const Json& spec, const std::string& claim, const DeviceView& view) {
  DeviceWish wish;
  wish.spec = &spec;
  const std::string& request = spec.get("name").text();
  const std::string& class_name = spec.get("deviceClassName").text();
  wish.device_class = view.find(DeviceKind::kClass, class_name);
  if (wish.device_class == nullptr) {
    return request_error(claim, request,
                         "could not retrieve device class " + class_name +
                             ": deviceclass.resource.k8s.io \"" + class_name + "\" not found");
  }
  wish.admin = spec.get("adminAccess").boolean();
  const std::string& mode = spec.get("allocationMode").text();
  wish.all = mode == "All";
  if (!wish.all && mode != "ExactCount" && !mode.empty()) {
    return request_error(claim, request, "unsupported count mode " + mode);
  }
  wish.count = static_cast<std::size_t>(std::max<std::int64_t>(spec.get("count").integer_or(1), 0));
  return wish;
}

/// Finds the devices of a request for all.
Status choose_all(DeviceWish& wish, const std::string& claim, const WishSources& sources) {
  for (const DevicePool& pool : sources.pools) {
    if (pool.state == PoolState::kUsable) continue;
    const char* const state = pool.state == PoolState::kIncomplete ? " is currently being updated"
                                                                   : " is currently invalid";
    return request_error(claim, wish.name,
                         "asks for all devices, but resource pool " + pool.id + state);
  }
  for (std::size_t i = 0; i < sources.offers.size(); ++i) {
    const DeviceOffer& offer = *sources.offers[i];
    const Result<bool> matches = selects_device(wish, claim, offer, sources.selectors);
    if (!matches) return matches.error();
    if (*matches && has_capacity(wish, offer, sources.shares)) wish.chosen.push_back(i);
  }
  wish.count = wish.chosen.size();
  return {};
}

/// Whether the selector of a DeviceTaintRule has the device.
bool rule_selects(const Json& selector, const DeviceOffer& offer) {
  if (!selector.is_object()) return false;
  const Json& spec = offer.slice->get("spec");
  const auto is_it = [&selector](const char* member, const Json& value) {
    return !selector.contains(member) || selector.get(member).text() == value.text();
  };
  return is_it("driver", spec.get("driver")) && is_it("pool", spec.get("pool").get("name")) &&
         is_it("device", offer.device->get("name"));
}

}  // namespace

Result<bool> selects_device(const DeviceWish& wish, const std::string& claim,
                            const DeviceOffer& offer, cel::DeviceSelectors& selectors) {
  const Result<bool> by_class =
      all_match(wish.device_class->get("spec").get("selectors"),
                "class " + wish.device_class->text_at({"metadata", "name"}), offer, selectors);
  if (!by_class || !*by_class) return by_class;
  return all_match(wish.spec->get("selectors"), "claim " + claim, offer, selectors);
}

bool is_kept_away(const DeviceView& view, const DeviceWish& wish, const DeviceOffer& offer) {
  const auto is_untolerated = [&wish](const Json& taint) {
    const std::string& effect = taint.get("effect").text();
    return (effect == "NoSchedule" || effect == "NoExecute") &&
           !tolerates(wish.spec->get("tolerations"), taint);
  };
  const Json::Items& taints = offer.device->get("taints").items();
  if (std::any_of(taints.begin(), taints.end(), is_untolerated)) return true;
  const DeviceView::Objects& rules = view.all(DeviceKind::kTaintRule);
  return std::any_of(rules.begin(), rules.end(), [&](const auto& each) {
    const Json& spec = each.second.get("spec");
    return rule_selects(spec.get("deviceSelector"), offer) && is_untolerated(spec.get("taint"));
  });
}

bool has_capacity(const DeviceWish& wish, const DeviceOffer& offer, const DeviceShares& shares) {
  const std::optional<CapacityParts> parts = parts_of(*offer.device, wish.spec->get("capacity"));
  if (!parts) return false;
  const DeviceShares::Use* const used = shares.find(offer.id);
  return has_left(*offer.device, *parts, used == nullptr ? NamedAmounts() : used->amounts);
}

Result<ClaimWish> read_claim_wish(const Json& claim, const WishSources& sources) {
  ClaimWish out;
  out.claim = &claim;
  out.name = storage_name(claim);
  std::size_t least = 0;  // The devices that the claim gets at least.
  for (const Json& request : claim.get("spec").get("devices").get("requests").items()) {
    const std::string& name = request.get("name").text();
    DeviceWishes wishes;
    const auto add = [&](const Json& spec, const std::string& full_name) {
      Result<DeviceWish> wish = read_wish(spec, out.name, sources.view);
      if (!wish) return wish.error();
      wish->name = full_name;
      wish->request = name;
      Status status;
      if (wish->all) status = choose_all(*wish, out.name, sources);
      wishes.push_back(std::move(*wish));
      return status;
    };
    if (const Json* exactly = request.find("exactly")) {
      if (Status s = add(*exactly, name); !s.ok()) return s;
    }
    for (const Json& each : request.get("firstAvailable").items()) {
      if (Status s = add(each, name + "/" + each.get("name").text()); !s.ok()) return s;
    }
    if (wishes.empty()) return request_error(out.name, name, "unknown request type");
    least += std::min_element(wishes.begin(), wishes.end(), [](const auto& a, const auto& b) {
               return a.count < b.count;
             })->count;
    out.requests.push_back(std::move(wishes));
  }
  if (least > kDevicesPerClaim) {
    return wrong_claim("claim " + out.name + ": number of requested devices " +
                       std::to_string(least) + " exceeds the claim limit of " +
                       std::to_string(kDevicesPerClaim));
  }
  return out;
}

DeviceConstraint::DeviceConstraint(const Json& constraint) {
  for (const Json& each : constraint.get("requests").items()) requests_.insert(each.text());
  if (!constraint.contains("matchAttribute")) kind_ = Kind::kDistinct;
  attribute_ = constraint.get(kind_ == Kind::kSame ? "matchAttribute" : "distinctAttribute").text();
}

bool DeviceConstraint::concerns(const DeviceWish& wish) const {
  return requests_.empty() || requests_.contains(wish.request) || requests_.contains(wish.name);
}

bool DeviceConstraint::add(const DeviceWish& wish, const DeviceOffer& offer) {
  if (!concerns(wish)) return true;
  const Json* const value = attribute_of(offer, attribute_);
  if (value == nullptr) return false;
  const auto equals = [&](const Json* each) { return same_value(*value, *each); };
  const bool fits = kind_ == Kind::kSame ? values_.empty() || equals(values_.front())
                                         : std::none_of(values_.begin(), values_.end(), equals);
  if (fits) values_.push_back(value);
  return fits;
}

std::string DeviceConstraint::state() const {
  if (values_.empty()) return "[]";
  if (kind_ == Kind::kSame) return to_text(*values_.front());
  std::set<std::string> all;
  for (const Json* each : values_) all.insert(to_text(*each));
  std::string out = "[";
  for (const std::string& each : all) out += each;
  return out + "]";
}

void DeviceConstraint::remove(const DeviceWish& wish) {
  if (concerns(wish)) values_.pop_back();
}

}  // namespace davit::sandbox
