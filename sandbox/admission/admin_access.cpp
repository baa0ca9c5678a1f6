#include <cstddef>
#include <string>

#include "lib/kube/validation/field_path.hpp"
#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

/// The place of the first admin access that is asked for; empty: none.
std::string first_access(const Json& list, std::string_view member, const FieldPath& path) {
  std::size_t index = 0;
  for (const Json& each : list.items()) {
    const FieldPath at = path.index(index++);
    const Json& holder = member.empty() ? each : each.get(member);
    if (holder.get("adminAccess").boolean()) return at.text("adminAccess");
  }
  return "";
}

/// The place of what the write asks for and has not had before.
std::string new_access(const WriteRequest& request, const Json& object) {
  const Resource& resource = request.resource;
  if (resource.group != "resource.k8s.io") return "";
  constexpr FieldPath kRequests("spec.devices.requests");
  constexpr FieldPath kResults("status.allocation.devices.results");
  const auto results = [](const Json& claim) -> const Json& {
    return claim.get("status").get("allocation").get("devices").get("results");
  };
  if (request.subresource == "status" && resource.name == "resourceclaims") {
    const bool had =
        request.old != nullptr && !first_access(results(*request.old), "", kResults).empty();
    return had ? "" : first_access(results(object), "", kResults);
  }
  if (request.verb != WriteVerb::kCreate || !request.subresource.empty()) return "";
  const Json& spec = object.get("spec");
  if (resource.name == "resourceclaims") {
    return first_access(spec.get("devices").get("requests"), "exactly", kRequests);
  }
  if (resource.name != "resourceclaimtemplates") return "";
  // Upstream names the place as in a claim.
  return first_access(spec.get("spec").get("devices").get("requests"), "exactly", kRequests);
}

}  // namespace

ApiFailure check_admin_access(const WriteRequest& request, const Json& object,
                              const ObjectLookup& objects) {
  const std::string place = new_access(request, object);
  if (place.empty()) return std::nullopt;
  const VersionPtr space = objects.get({"", "namespaces"}, "", request.ns);
  if (space != nullptr &&
      space->json().get("metadata").get("labels").get(kAdminLabel).text() == "true") {
    return std::nullopt;
  }
  return invalid(
      Subject::kind_of(request.resource, subject_of(request, object).name),
      {field_forbidden(place, "admin access to devices requires the `" + std::string(kAdminLabel) +
                                  ": true` label on the containing namespace")});
}

}  // namespace davit::sandbox
