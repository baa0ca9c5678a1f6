#include <array>
#include <chrono>

#include "sandbox/kinds/age_text.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {
namespace {

std::int64_t size_of(const Json& object, std::string_view member) {
  return static_cast<std::int64_t>(object.get(member).size());
}

Json::Items config_map_cells(const Json& object, WallTime now) {
  return {name_of(object), size_of(object, "data") + size_of(object, "binaryData"),
          age_of(object, now)};
}

Json::Items secret_cells(const Json& object, WallTime now) {
  return {name_of(object), object.get("type").text(), size_of(object, "data"), age_of(object, now)};
}

Json::Items name_and_age_cells(const Json& object, WallTime now) {
  return {name_of(object), age_of(object, now)};
}

/// The subjects of one kind; accounts with their namespaces.
std::string subjects_text(const Json& binding, std::string_view kind) {
  std::vector<std::string> out;
  for (const Json& each : binding.get("subjects").items()) {
    if (each.get("kind").text() != kind) continue;
    const std::string& name = each.get("name").text();
    out.push_back(kind == "ServiceAccount" ? each.get("namespace").text() + '/' + name : name);
  }
  return join_texts(out, ", ");
}

Json::Items binding_cells(const Json& object, WallTime now) {
  return {name_of(object),
          object.text_at({"roleRef", "kind"}) + '/' + object.text_at({"roleRef", "name"}),
          age_of(object, now),
          subjects_text(object, "User"),
          subjects_text(object, "Group"),
          subjects_text(object, "ServiceAccount")};
}

bool has_condition(const Json& object, std::string_view type) {
  for (const Json& each : value_at(object, {"status", "conditions"}).items()) {
    if (each.get("type").text() == type) return true;
  }
  return false;
}

std::string signing_status(const Json& request) {
  std::string out = has_condition(request, "Denied")     ? "Denied"
                    : has_condition(request, "Approved") ? "Approved"
                                                         : "Pending";
  if (has_condition(request, "Failed")) out += ",Failed";
  if (!request.text_at({"status", "certificate"}).empty()) out += ",Issued";
  return out;
}

Json::Items signing_request_cells(const Json& object, WallTime now) {
  const auto wanted = value_at(object, {"spec", "expirationSeconds"}).integer();
  return {name_of(object),
          age_of(object, now),
          text_or(object, {"spec", "signerName"}),
          object.text_at({"spec", "username"}),
          wanted ? human_duration(std::chrono::seconds(*wanted)) : std::string("<none>"),
          signing_status(object)};
}

constexpr std::array kConfigCells = std::to_array<KindCells>({
    {"", "configmaps", config_map_cells},
    {"", "secrets", secret_cells},
    {"", "serviceaccounts", name_and_age_cells},
    {"rbac.authorization.k8s.io", "rolebindings", binding_cells},
    {"rbac.authorization.k8s.io", "clusterrolebindings", binding_cells},
    {"certificates.k8s.io", "certificatesigningrequests", signing_request_cells},
});

}  // namespace

std::span<const KindCells> config_cells() { return kConfigCells; }

}  // namespace davit::sandbox
