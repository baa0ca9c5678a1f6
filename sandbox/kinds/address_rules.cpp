// k8s: ValidateServiceCIDR and ValidateIPAddress of pkg/apis/networking/validation.
#include <algorithm>
#include <davit/kube/ip.hpp>
#include <optional>
#include <string>

#include "sandbox/kinds/address_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kAddressSpec = "networking.v1.IPAddressSpec";
constexpr std::string_view kMapped = "must not be an IPv4-mapped IPv6 address";

void check_ranges(const Json& ranges, FieldErrors& errors) {
  constexpr std::size_t kFamilies = 2;
  const FieldPath path = kSpec.child("cidrs");
  const Json::Items& items = ranges.items();
  if (items.empty()) {
    errors.push_back(field_required(path.text(), "at least one CIDR required"));
    return;
  }
  if (items.size() > kFamilies) {
    errors.push_back(field_invalid(path.text(), ranges, "may only hold up to 2 values"));
    return;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_range(items[i].text(), path.index(i), errors);
  }
  if (items.size() != kFamilies) return;
  const auto first = ip::Prefix::parse(items[0].text());
  const auto second = ip::Prefix::parse(items[1].text());
  if (!first || !second || first->family() != second->family()) return;
  errors.push_back(field_invalid(path.text(), ranges,
                                 "may specify no more than one IP for each IP family, i.e "
                                 "192.168.0.0/24 and 2001:db8::/64"));
}

class ServiceCidrRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_ranges(value_at(object, {"spec", "cidrs"}), errors);
  }
  /// A second family may be added.
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path = kSpec.child("cidrs");
    const Json& ranges = value_at(object, {"spec", "cidrs"});
    const Json::Items& items = ranges.items();
    const Json::Items& before = value_at(old, {"spec", "cidrs"}).items();
    const bool added = before.size() == 1 && items.size() == 2;
    if (!added && items.size() != before.size()) {
      errors.push_back(field_invalid(path.text(), ranges, kFieldImmutable));
      return;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (items[i] == before[i]) continue;
      errors.push_back(field_invalid(path.index(i).text(), items[i], kFieldImmutable));
    }
    if (added) check_ranges(ranges, errors);
  }
};

class IpAddressRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const std::string& name = object.text_at({"metadata", "name"});
    const FieldPath path("metadata.name");
    add_invalid(check_canonical_ip(name), name, path, errors);
    const Json& spec = object.get("spec");
    if (!is_set(spec, "parentRef")) errors.push_back(field_required(kSpec.text("parentRef")));
    check_fields(kAddressSpec, spec, kSpec, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_immutable_fields(kAddressSpec, object.get("spec"), old.get("spec"), kSpec, errors);
  }
};

}  // namespace

Violations check_canonical_ip(std::string_view text) {
  Violations out = check_ip(text);
  if (!out.empty()) return out;
  const ip::Address address = ip::Address::parse(text).value();
  if (address.is_mapped()) return {std::string(kMapped)};
  const std::string form = address.text();
  if (form != text) return {"must be in canonical form (\"" + form + "\")"};
  return out;
}

void check_interface_address(const std::string& text, const FieldPath& path, FieldErrors& errors) {
  if (!ip::Prefix::parse(text)) {
    errors.push_back(field_invalid(
        path.text(), text,
        "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"));
    return;
  }
  const std::size_t slash = text.find('/');
  const ip::Address address = ip::Address::parse(text.substr(0, slash)).value();
  const std::string form = address.text() + text.substr(slash);
  if (address.is_mapped()) {
    errors.push_back(field_invalid(path.text(), text, kMapped));
  } else if (form != text) {
    errors.push_back(
        field_invalid(path.text(), text, "must be in canonical form (\"" + form + "\")"));
  }
}

void check_range(const std::string& cidr, const FieldPath& path, FieldErrors& errors) {
  const auto range = ip::Prefix::parse(cidr);
  if (!range) {
    errors.push_back(field_invalid(
        path.text(), cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
    return;
  }
  const ip::Address address = ip::Address::parse(cidr.substr(0, cidr.find('/'))).value();
  if (address.is_mapped()) {
    errors.push_back(field_invalid(path.text(), cidr, kMapped));
  } else if (address != range->first()) {
    errors.push_back(
        field_invalid(path.text(), cidr, "must not have bits set beyond the prefix length"));
  } else if (const std::string form = range->text(); form != cidr) {
    errors.push_back(
        field_invalid(path.text(), cidr, "must be in canonical form (\"" + form + "\")"));
  }
}

std::shared_ptr<const KindRules> service_cidr_rules(const KindFacts& facts) {
  return std::make_shared<ServiceCidrRules>(facts);
}

std::shared_ptr<const KindRules> ip_address_rules(const KindFacts& facts) {
  return std::make_shared<IpAddressRules>(facts);
}

}  // namespace davit::sandbox
