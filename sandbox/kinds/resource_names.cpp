#include "sandbox/kinds/resource_names.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kMeasuredResources[] = {"cpu",
                                                   "memory",
                                                   "ephemeral-storage",
                                                   "requests.cpu",
                                                   "requests.memory",
                                                   "requests.storage",
                                                   "requests.ephemeral-storage",
                                                   "limits.cpu",
                                                   "limits.memory",
                                                   "limits.ephemeral-storage"};
constexpr std::string_view kCountedResources[] = {"pods",
                                                  "resourcequotas",
                                                  "services",
                                                  "services.nodeports",
                                                  "services.loadbalancers",
                                                  "replicationcontrollers",
                                                  "secrets",
                                                  "configmaps",
                                                  "persistentvolumeclaims"};
constexpr std::string_view kRequestsPrefix = "requests.";

template <std::size_t kSize>
bool is_listed(const std::string_view (&list)[kSize], std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

bool is_counted(std::string_view name) {
  return is_listed(kCountedResources, name) ||
         (!is_native_resource(name) && !name.starts_with(kRequestsPrefix));
}

}  // namespace

bool is_huge_page(std::string_view name) { return name.starts_with("hugepages-"); }

bool is_quota_resource(std::string_view name) {
  return is_listed(kMeasuredResources, name) || is_listed(kCountedResources, name) ||
         is_huge_page(name) || name.starts_with("requests.hugepages-");
}

bool is_native_resource(std::string_view name) {
  return name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
}

bool is_extended_resource(std::string_view name) {
  return !is_native_resource(name) && !name.starts_with(kRequestsPrefix) &&
         check_qualified_name(std::string(kRequestsPrefix) + std::string(name)).empty();
}

bool allows_overcommit(std::string_view name) {
  return is_native_resource(name) && !is_huge_page(name);
}

bool check_any_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const Violations violations = check_qualified_name(name);
  add_invalid(violations, name, path, errors);
  if (!violations.empty()) return false;
  if (name.find('/') == name.npos && !is_quota_resource(name) && name != "storage") {
    errors.push_back(
        field_invalid(path.text(), name, "must be a standard resource type or fully qualified"));
  }
  return true;
}

void check_amount(std::string_view name, const Json& quantity, const FieldPath& path,
                  FieldErrors& errors) {
  // Decoding has refused anything that is not a quantity.
  const std::int64_t amount = quantity_milli(quantity.text()).value_or(0);
  if (amount < 0) errors.push_back(field_invalid(path.text(), quantity, kNotNegative));
  if (is_counted(name) && amount % 1000 != 0) {
    errors.push_back(field_invalid(path.text(), quantity, "must be an integer"));
  }
}

}  // namespace davit::sandbox
