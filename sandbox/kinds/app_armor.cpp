#include "sandbox/kinds/app_armor.hpp"

#include "lib/base/trimmed.hpp"
#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

/// Whether the field would be refused as this annotation has it. k8s: ValidateAppArmorProfileField.
bool is_sound(const Json& profile) {
  constexpr std::size_t kNameBytesMax = 4095;
  const std::string& name = profile.get("localhostProfile").text();
  return trimmed(name, " \t\n\v\f\r") == name && name.size() <= kNameBytesMax;
}

}  // namespace

Json app_armor_profile(const std::string& annotation) {
  constexpr std::string_view kLocalhost = "localhost/";
  if (annotation == "unconfined") return Json::object({{"type", "Unconfined"}});
  if (annotation == "runtime/default") return Json::object({{"type", "RuntimeDefault"}});
  if (!annotation.starts_with(kLocalhost) || annotation.size() == kLocalhost.size()) return {};
  return Json::object(
      {{"type", "Localhost"}, {"localhostProfile", annotation.substr(kLocalhost.size())}});
}

void set_app_armor_profiles(Json& pod) {
  const Json annotations = pod.get("metadata").get("annotations");
  if (annotations.size() == 0 || pod.text_at({"spec", "os", "name"}) == "windows") return;
  const Json whole = pod.get("spec").get("securityContext").get("appArmorProfile");
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Json* containers = pod.at({"spec", list});
    if (containers == nullptr) continue;
    for (Json& each : containers->make_array()) {
      const std::string key = std::string(kAppArmorPrefix) + each.get("name").text();
      if (!annotations.contains(key) || is_set(each.get("securityContext"), "appArmorProfile")) {
        continue;
      }
      Json profile = app_armor_profile(annotations.get(key).text());
      if (profile.is_null() || profile == whole || !is_sound(profile)) continue;
      object_member(each, "securityContext").set("appArmorProfile", std::move(profile));
    }
  }
}

}  // namespace davit::sandbox
