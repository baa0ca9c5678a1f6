#include "sandbox/kinds/service_families.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kSingle = "SingleStack";
constexpr std::string_view kPrefer = "PreferDualStack";
constexpr std::string_view kRequire = "RequireDualStack";
constexpr std::string_view kPolicyMember = "ipFamilyPolicy";

const Json::Items& list_of(const Json& service, std::string_view field) {
  return service.get("spec").get(field).items();
}

const std::string& policy_of(const Json& service) {
  return service.get("spec").get(kPolicyMember).text();
}

/// Its pods may have addresses of any family.
bool is_headless_without_selector(const Json& service) {
  return service.text_at({"spec", "clusterIP"}) == "None" &&
         service.get("spec").get("selector").empty();
}

bool is_served(const ServiceFamilies& served, std::string_view name) {
  return std::ranges::any_of(served,
                             [&](ip::Family each) { return ip::family_name(each) == name; });
}

std::string_view other_family(const std::string& name) { return name == "IPv4" ? "IPv6" : "IPv4"; }

/// Such a Service keeps its families when the server's change. k8s:
/// isMatchingPreferDualStackClusterIPFields.
bool keeps_preferred_families(const Json& service, const Json& old) {
  if (old.is_null() || policy_of(service) != kPrefer) return false;
  if (service_type(service) != service_type(old) || !needs_cluster_ip(service)) return false;
  if (is_set(old.get("spec"), kPolicyMember) && policy_of(old) != kPrefer) return false;
  return list_of(service, "clusterIPs") == list_of(old, "clusterIPs") &&
         list_of(service, "ipFamilies") == list_of(old, "ipFamilies");
}

void default_policy(Json& service, const Json& old) {
  Json& spec = service["spec"];
  if (is_set(spec, kPolicyMember)) return;
  const Json& before = old.get("spec").get(kPolicyMember);
  const std::string_view fresh = is_headless_without_selector(service) ? kRequire : kSingle;
  spec.set(std::string(kPolicyMember), before.is_null() ? Json(std::string(fresh)) : before);
}

/// An update to a single family gives the second one up, unless it says something else of it.
void drop_second(Json& service, const Json& old) {
  if (old.is_null() || policy_of(service) != kSingle) return;
  for (const char* field : {"clusterIPs", "ipFamilies"}) {
    Json* list = service["spec"].find(field);
    if (list == nullptr || list->size() < 2 || *list != old.get("spec").get(field)) continue;
    list->make_array().resize(1);
  }
}

bool is_reduced(const Json& service, const Json& old, std::string_view field) {
  const std::size_t size = list_of(service, field).size();
  return size > 0 && size < list_of(old, field).size();
}

void check_policy(const Json& service, const Json& old, FieldErrors& errors) {
  const std::string path = kSpec.text(kPolicyMember);
  const std::string& policy = policy_of(service);
  const auto refuse = [&](std::string_view why) {
    errors.push_back(field_invalid(path, policy, why));
  };
  if (policy != kSingle) {
    if (is_reduced(service, old, "clusterIPs")) {
      refuse("must be 'SingleStack' to release the secondary cluster IP");
    }
    if (is_reduced(service, old, "ipFamilies")) {
      refuse("must be 'SingleStack' to release the secondary IP family");
    }
    return;
  }
  if (list_of(service, "clusterIPs").size() == 2) {
    refuse(
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified");
  }
  if (list_of(service, "ipFamilies").size() == 2) {
    refuse(
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
  }
}

/// Addresses whose family is inferred.
void check_inferred(const Json& service, const ServiceFamilies& served, FieldErrors& errors) {
  const Json& ips = service.get("spec").get("clusterIPs");
  const FieldPath path = kSpec.child("clusterIPs");
  for (std::size_t i = list_of(service, "ipFamilies").size(); i < ips.size(); ++i) {
    const std::string& address = ips.items()[i].text();
    if (address == "None") break;
    if (is_served(served, family_of_address(address))) continue;
    errors.push_back(field_invalid(
        path.index(i).text(), ips,
        std::string(family_of_address(address)) + " is not configured on this cluster"));
  }
}

void check_served(const Json& service, const ServiceFamilies& served, FieldErrors& errors) {
  if (policy_of(service) == kRequire && served.size() < 2) {
    errors.push_back(field_invalid(kSpec.text(kPolicyMember), policy_of(service),
                                   "this cluster is not configured for dual-stack services"));
  }
  const Json::Items& families = list_of(service, "ipFamilies");
  const FieldPath path = kSpec.child("ipFamilies");
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (is_served(served, families[i].text())) continue;
    errors.push_back(
        field_invalid(path.index(i).text(), families[i], "not configured on this cluster"));
  }
}

/// Whether clusterIP and clusterIPs say the same.
void check_ips_agree(const Json& spec, FieldErrors& errors) {
  const Json& ips = spec.get("clusterIPs");
  const std::string& ip = spec.get("clusterIP").text();
  const std::string path = kSpec.text("clusterIPs");
  if (ip.empty()) {
    if (!ips.items().empty()) {
      errors.push_back(field_invalid(path, ips, "must be empty when `clusterIP` is not specified"));
    }
  } else if (ips.items().empty()) {
    errors.push_back(field_required(path));
  } else if (ips.items().front().text() != ip) {
    errors.push_back(field_invalid(path, ips, "first value must match `clusterIP`"));
  }
}

void check_family_names(const Json::Items& families, FieldErrors& errors) {
  const FieldPath path = kSpec.child("ipFamilies");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string& family = families[i].text();
    if (family != "IPv4" && family != "IPv6") {
      errors.push_back(field_not_supported(path.index(i).text(), family, {"IPv4", "IPv6"}));
    }
    if (!seen.insert(family).second) {
      errors.push_back(field_duplicate(path.index(i).text(), family));
    }
  }
}

/// False if one is not an address, and has no family to compare.
bool check_addresses(const Json& ips, const Json& old_ips, FieldErrors& errors) {
  const FieldPath path = kSpec.child("clusterIPs");
  const std::size_t before = errors.size();
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string& ip = ips.items()[i].text();
    if (i == 0 && ip == "None") {
      if (ips.size() > 1) {
        errors.push_back(
            field_invalid(path.text(), ips, "'None' must be the first and only value"));
      }
    } else if (std::ranges::find(old_ips.items(), ips.items()[i]) == old_ips.items().end()) {
      add_invalid(check_ip(ip), ip, path.index(i), errors);
    }
  }
  const bool sound = errors.size() == before;
  if (ips.size() > 2) {
    errors.push_back(field_invalid(path.text(), ips, "may only hold up to 2 values"));
  }
  return sound;
}

void check_family_of_each(const Json& service, FieldErrors& errors) {
  const FieldPath path = kSpec.child("clusterIPs");
  const Json& ips = service.get("spec").get("clusterIPs");
  if (ips.size() > 1) {
    const auto other = [&](const Json& each) {
      return family_of_address(each.text()) != family_of_address(ips.items()[0].text());
    };
    if (std::ranges::none_of(ips.items(), other)) {
      errors.push_back(
          field_invalid(path.text(), ips, "may specify no more than one IP for each IP family"));
    }
  }
  if (is_headless(service)) return;
  const Json::Items& families = list_of(service, "ipFamilies");
  for (std::size_t i = 0; i < std::min(ips.size(), families.size()); ++i) {
    const std::string& family = families[i].text();
    const bool known = family == "IPv4" || family == "IPv6";
    if (!known || family == family_of_address(ips.items()[i].text())) continue;
    errors.push_back(field_invalid(path.index(i).text(), ips.items()[i],
                                   "expected an " + family + " value as indicated by `ipFamilies[" +
                                       std::to_string(i) + "]`"));
  }
}

/// k8s: ValidateServiceClusterIPsRelatedFields.
void check_related_fields(const Json& service, const Json& old, FieldErrors& errors) {
  const Json& spec = service.get("spec");
  check_ips_agree(spec, errors);
  check_family_names(spec.get("ipFamilies").items(), errors);
  check_fields("core.v1.ServiceSpec", spec, {kPolicyMember}, kSpec, errors);
  if (!check_addresses(spec.get("clusterIPs"), old.get("spec").get("clusterIPs"), errors)) return;
  check_family_of_each(service, errors);
}

}  // namespace

std::string_view family_of_address(std::string_view address) {
  return ip::family_name(address.find(':') == std::string_view::npos ? ip::Family::kIPv4
                                                                     : ip::Family::kIPv6);
}

ServiceFamilies families_of(const Json& service) {
  ServiceFamilies out;
  for (const Json& each : list_of(service, "ipFamilies")) {
    if (const auto family = ip::family_of(each.text())) out.push_back(*family);
  }
  return out;
}

void complete_families(Json& service, const Json& old, const ServiceFamilies& served) {
  if (!needs_cluster_ip(service) || keeps_preferred_families(service, old)) return;
  default_policy(service, old);
  drop_second(service, old);
  FieldErrors errors;
  check_families(service, old, served, errors);
  if (!errors.empty()) return;
  Json families = Json(list_of(service, "ipFamilies"));
  const Json::Items& ips = list_of(service, "clusterIPs");
  for (std::size_t i = families.size(); i < ips.size() && ips[i].text() != "None"; ++i) {
    families.push_back(std::string(family_of_address(ips[i].text())));
  }
  if (families.size() == 0) families.push_back(std::string(ip::family_name(served.front())));
  const bool both = served.size() == 2 || is_headless_without_selector(service);
  if (families.size() == 1 && both && policy_of(service) != kSingle) {
    families.push_back(std::string(other_family(families.items().front().text())));
  }
  service["spec"].set("ipFamilies", std::move(families));
}

void check_families(const Json& service, const Json& old, const ServiceFamilies& served,
                    FieldErrors& errors) {
  if (!needs_cluster_ip(service) || keeps_preferred_families(service, old)) return;
  const std::size_t before = errors.size();
  check_related_fields(service, old, errors);
  if (errors.size() != before) return;
  check_policy(service, old, errors);
  check_inferred(service, served, errors);
  if (errors.size() != before || is_headless_without_selector(service)) return;
  check_served(service, served, errors);
}

}  // namespace davit::sandbox
