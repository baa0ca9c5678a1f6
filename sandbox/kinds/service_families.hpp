/// The IP families of Services. k8s: initIPFamilyFields of pkg/registry/core/service/storage, which
/// runs before all other checks, and ValidateServiceClusterIPsRelatedFields.
#pragma once

#include <davit/kube/ip.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"

namespace davit::sandbox {

class KindRules;
struct KindFacts;

/// The families that the server has ranges for: one or both, the default one first.
using ServiceFamilies = std::vector<ip::Family>;

/// The rules of Services on a server with these families.
[[nodiscard]] std::shared_ptr<const KindRules> service_rules_for(const KindFacts& facts,
                                                                 const ServiceFamilies& served);

/// "IPv4" or "IPv6", of a text that is an address.
[[nodiscard]] std::string_view family_of_address(std::string_view address);

/// The families in spec.ipFamilies; unknown ones are left out.
[[nodiscard]] ServiceFamilies families_of(const Json& service);

/// Completes ipFamilyPolicy and ipFamilies, and drops what a Service with a single family gives up.
/// `old`: null for a new Service. Leaves what check_families() refuses.
void complete_families(Json& service, const Json& old, const ServiceFamilies& served);

/// Finds the same before and after complete_families().
void check_families(const Json& service, const Json& old, const ServiceFamilies& served,
                    FieldErrors& errors);

}  // namespace davit::sandbox
