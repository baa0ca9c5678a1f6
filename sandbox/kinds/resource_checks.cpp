#include <algorithm>
#include <set>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/resource_names.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kBareContainerResources[] = {"cpu", "memory", "ephemeral-storage"};
template <std::size_t kSize>
bool is_one_of(const std::string_view (&list)[kSize], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

std::int64_t milli(const Json& quantity) {
  // Decoding has refused anything that is not a quantity.
  return quantity_milli(quantity.text()).value_or(0);
}

/// k8s: validatePodResourceName.
void check_pod_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const std::size_t before = errors.size();
  if (!check_any_resource_name(name, path, errors) || errors.size() != before) return;
  if (name == "cpu" || name == "memory" || is_huge_page(name)) return;
  errors.push_back(field_not_supported(path.text(), name, {"cpu", "hugepages-", "memory"}));
}

}  // namespace

void check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (!check_any_resource_name(name, path, errors)) return;
  if (is_one_of(kBareContainerResources, name) || is_huge_page(name)) return;
  if (name.find('/') == std::string_view::npos) {
    errors.push_back(
        field_invalid(path.text(), name, "must be a standard resource for containers"));
  } else if (!is_native_resource(name) && name.starts_with("requests.")) {
    errors.push_back(
        field_invalid(path.text(), name, "doesn't follow extended resource name standard"));
  }
}

namespace {

/// Whether `quantity` is a number of whole pages, whose size the name has: "hugepages-2Mi".
void check_pages(std::string_view name, const Json& quantity, const FieldPath& path,
                 FieldErrors& errors) {
  if (!is_huge_page(name)) return;
  const std::int64_t page = quantity_milli(name.substr(name.find('-') + 1)).value_or(0);
  if (page > 0 && milli(quantity) % page == 0) return;
  errors.push_back(
      field_invalid(path.text(), quantity,
                    quantity.text() + " is not positive integer multiple of " + std::string(name)));
}

void check_request(std::string_view name, const Json& request, const Json& limits,
                   const FieldPath& path, FieldErrors& errors) {
  const bool overcommit = allows_overcommit(name);
  const Json* limit = limits.find(name);
  if (limit == nullptr) {
    if (!overcommit) {
      errors.push_back(field_required(path.text("limits"),
                                      "Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const std::int64_t wanted = milli(request);
  const std::int64_t allowed = milli(*limit);
  const std::string detail = std::string(name) + " limit of " + limit->text();
  if (!overcommit && wanted != allowed) {
    errors.push_back(field_invalid(path.text("requests"), request, "must be equal to " + detail));
  } else if (wanted > allowed) {
    errors.push_back(
        field_invalid(path.text("requests"), request, "must be less than or equal to " + detail));
  }
}

using CheckName = void (*)(std::string_view name, const FieldPath& path, FieldErrors& errors);

/// k8s: validateResourceRequirements, but for claims.
void check_lists(const Json& resources, CheckName check_name, const FieldPath& path,
                 FieldErrors& errors) {
  const Json& limits = resources.get("limits");
  const Json& requests = resources.get("requests");
  if (limits.size() == 0 && requests.size() == 0) return;
  bool huge_pages = false;
  bool cpu_or_memory = false;
  const auto check_list = [&](const Json& list, const FieldPath& list_path) {
    for (const Json::Member& each : list.members()) {
      const FieldPath here = list_path.key(each.key);
      check_name(each.key, here, errors);
      check_amount(each.key, each.value, here, errors);
      check_pages(each.key, each.value, here, errors);
      huge_pages |= is_huge_page(each.key);
      cpu_or_memory |= each.key == "cpu" || each.key == "memory";
      if (&list == &requests) check_request(each.key, each.value, limits, path, errors);
    }
  };
  check_list(limits, path.child("limits"));
  check_list(requests, path.child("requests"));
  if (huge_pages && !cpu_or_memory) {
    errors.push_back(field_forbidden(path.text(), "HugePages require cpu or memory"));
  }
}

/// No container may have more than its pod. Upstream's paths name no field that exists.
void check_container_limits(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& pod_limits = spec.get("resources").get("limits");
  const FieldPath containers = path.child("containers");
  std::size_t index = 0;
  for (const Json& container : spec.get("containers").items()) {
    const FieldPath here = containers.index(index++);
    for (const Json::Member& each : container.get("resources").get("limits").members()) {
      const Json* most = pod_limits.find(each.key);
      if (most == nullptr || milli(each.value) <= milli(*most)) continue;
      const FieldPath limit = here.key(each.key);
      errors.push_back(
          field_invalid(limit.text("limits"), each.value,
                        "must be less than or equal to pod limits of " + most->text()));
    }
  }
}

/// The names and requests that one container has used so far.
struct UsedClaims {
  std::set<std::string> whole;
  std::set<std::string> parts;    ///< "CLAIM/REQUEST"
  std::set<std::string> divided;  ///< The claims of `parts`.
};

void check_claim_use(const std::string& name, const std::string& request, UsedClaims& used,
                     const FieldPath& path, FieldErrors& errors) {
  if (used.whole.contains(name)) {
    errors.push_back(field_duplicate(path.text(), name));
  } else if (request.empty()) {
    if (used.divided.contains(name)) errors.push_back(field_duplicate(path.text(), name));
    used.whole.insert(name);
  } else {
    add_invalid(check_dns_label(request), request, path.child("request"), errors);
    const std::string part = name + '/' + request;
    if (!used.parts.insert(part).second) errors.push_back(field_duplicate(path.text(), part));
    used.divided.insert(name);
  }
}

}  // namespace

void check_resources(const Json& resources, const FieldPath& path, FieldErrors& errors) {
  check_lists(resources, check_resource_name, path, errors);
}

void check_resource_claims(const Json& claims, const Json& pod_claims, const FieldPath& path,
                           FieldErrors& errors) {
  const Json::Items& known = pod_claims.items();
  UsedClaims used;
  std::size_t index = 0;
  for (const Json& each : claims.items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    if (name.empty()) {
      errors.push_back(field_required(here.text()));
      continue;
    }
    check_claim_use(name, each.get("request").text(), used, here, errors);
    if (std::none_of(known.begin(), known.end(),
                     [&](const Json& claim) { return claim.get("name").text() == name; })) {
      errors.push_back(field_not_found(here.text(), name));
    }
  }
}

void check_pod_resources(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& resources = spec.get("resources");
  if (resources.is_null()) return;
  const FieldPath here = path.child("resources");
  if (spec.get("os").get("name").text() == "windows") {
    errors.push_back(field_forbidden(here.text(), "may not be set for a windows pod"));
    return;
  }
  if (is_set(resources, "claims")) {
    errors.push_back(
        field_forbidden(here.text("claims"), "claims may not be set for Resources at pod-level"));
  }
  check_lists(resources, check_pod_resource_name, here, errors);
  check_container_limits(spec, here, errors);
}

void check_pod_claims(const Json& claims, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kClaim = "core.v1.PodResourceClaim";
  std::set<std::string> names;
  std::size_t index = 0;
  for (const Json& each : claims.items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    if (!name.empty() && !names.insert(name).second) {
      errors.push_back(field_duplicate(here.text("name"), name));
    } else {
      check_fields(kClaim, each, {"name"}, here, errors);
    }
    const int sources =
        is_set(each, "resourceClaimName") + is_set(each, "resourceClaimTemplateName");
    if (sources != 1) {
      errors.push_back(field_invalid(
          here.text(), each,
          sources == 0 ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
                       : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                         "specified"));
    }
    check_fields(kClaim, each, {"resourceClaimName", "resourceClaimTemplateName"}, here, errors);
  }
}

}  // namespace davit::sandbox
