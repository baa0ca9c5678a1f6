#include <algorithm>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kContainerResources[] = {"cpu", "memory", "ephemeral-storage"};
/// Resources that only quotas count; containers cannot request them.
constexpr std::string_view kOtherResources[] = {"storage",
                                                "requests.storage",
                                                "pods",
                                                "services",
                                                "replicationcontrollers",
                                                "resourcequotas",
                                                "secrets",
                                                "configmaps",
                                                "persistentvolumeclaims",
                                                "services.nodeports",
                                                "services.loadbalancers",
                                                "requests.cpu",
                                                "requests.memory",
                                                "requests.ephemeral-storage",
                                                "limits.cpu",
                                                "limits.memory",
                                                "limits.ephemeral-storage"};

template <std::size_t kSize>
bool is_one_of(const std::string_view (&list)[kSize], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool is_huge_page(std::string_view name) { return name.starts_with("hugepages-"); }

/// Kubernetes' own, in contrast to what a device plugin offers.
bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

std::int64_t milli(const Json& quantity) {
  // Decoding has refused anything that is not a quantity.
  return quantity_milli(quantity.text()).value_or(0);
}

void check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const Violations violations = check_qualified_name(name);
  add_invalid(violations, name, path, errors);
  if (!violations.empty()) return;
  const bool standard = is_one_of(kContainerResources, name) || is_huge_page(name);
  if (standard) return;
  if (name.find('/') == std::string_view::npos) {
    if (!is_one_of(kOtherResources, name)) {
      errors.push_back(
          field_invalid(path.text(), name, "must be a standard resource type or fully qualified"));
    }
    errors.push_back(
        field_invalid(path.text(), name, "must be a standard resource for containers"));
  } else if (!is_native(name) && name.starts_with("requests.")) {
    errors.push_back(
        field_invalid(path.text(), name, "doesn't follow extended resource name standard"));
  }
}

void check_quantity(std::string_view name, const Json& quantity, const FieldPath& path,
                    FieldErrors& errors) {
  const std::int64_t amount = milli(quantity);
  if (amount < 0) errors.push_back(field_invalid(path.text(), quantity, kNotNegative));
  if (!is_native(name) && amount % 1000 != 0) {
    errors.push_back(field_invalid(path.text(), quantity, "must be an integer"));
  }
}

void check_request(std::string_view name, const Json& request, const Json& limits,
                   const FieldPath& path, FieldErrors& errors) {
  const bool overcommit = is_native(name) && !is_huge_page(name);
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

}  // namespace

void check_resources(const Json& resources, const FieldPath& path, FieldErrors& errors) {
  const Json& limits = resources.get("limits");
  const Json& requests = resources.get("requests");
  if (limits.size() == 0 && requests.size() == 0) return;
  bool huge_pages = false;
  bool cpu_or_memory = false;
  const auto check_list = [&](const Json& list, const FieldPath& list_path) {
    for (const Json::Member& each : list.members()) {
      const FieldPath here = list_path.key(each.key);
      check_resource_name(each.key, here, errors);
      check_quantity(each.key, each.value, here, errors);
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

}  // namespace davit::sandbox
