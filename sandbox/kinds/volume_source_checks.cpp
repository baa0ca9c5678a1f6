#include "sandbox/kinds/volume_source_checks.hpp"

#include <algorithm>
#include <string>

#include "lib/base/take_until.hpp"
#include "lib/kube/validation/pattern.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/claim_checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kHostPorts =
    "must be a host:port pair or multiple pairs separated by commas";
constexpr std::size_t kTenantBytesMax = 64;
constexpr std::size_t kDriverBytesMax = 63;
/// "VOLUME:PORTAL", which nodes use as a name.
constexpr std::size_t kIscsiNameBytesMax = 64;
constexpr std::int64_t kUnitMax = 255;

/// The name of an iSCSI initiator or target.
void check_iscsi_name(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  struct Form {
    std::string_view prefix;
    Pattern pattern;
  };
  static const Form kForms[] = {
      {"iqn", *Pattern::compile(R"(iqn\.\d{4}-\d{2}\.([[:alnum:].-]+)(:[^,;*&$|\s]+)$)")},
      {"eui", *Pattern::compile("^eui.[[:alnum:]]{16}$")},
      {"naa", *Pattern::compile("^naa.[[:alnum:]]{32}$")},
  };
  for (const Form& each : kForms) {
    if (!name.starts_with(each.prefix)) continue;
    if (!each.pattern.matches(name)) {
      errors.push_back(field_invalid(path.text(), name, "must be valid format"));
    }
    return;
  }
  errors.push_back(
      field_invalid(path.text(), name, "must be valid format starting with iqn, eui, or naa"));
}

/// As Go's net.SplitHostPort takes it: a port that may be empty, and brackets around a host with
/// colons.
bool is_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  return text.substr(colon).find_first_of("[]") == std::string_view::npos &&
         host.find_first_of("[]") == std::string_view::npos;
}

}  // namespace

void check_git_repo(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_descending_path(source, "directory", path, errors);
}

void check_iscsi(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (const std::string& target = source.get("iqn").text(); !target.empty()) {
    check_iscsi_name(target, path.child("iqn"), errors);
  }
  const bool secret =
      source.get("chapAuthDiscovery").boolean() || source.get("chapAuthSession").boolean();
  if (secret && !is_set(source, "secretRef")) {
    errors.push_back(field_required(path.text("secretRef")));
  }
  if (is_set(source, "initiatorName")) {
    check_iscsi_name(source.get("initiatorName").text(), path.child("initiatorname"), errors);
  }
}

void check_iscsi_names(const Json& volume, const FieldPath& path, FieldErrors& errors) {
  const Json& source = volume.get("iscsi");
  if (!is_set(source, "initiatorName")) return;
  const Json& name = volume.get("name");
  const std::size_t bytes = name.text().size() + 1 + source.get("targetPortal").text().size();
  if (bytes <= kIscsiNameBytesMax) return;
  errors.push_back(field_invalid(path.text("name"), name,
                                 "Total length of <volume name>:<iscsi.targetPortal> must be under "
                                 "64 characters if iscsi.initiatorName is specified."));
}

void check_flocker(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = source.get("datasetName").text();
  const bool has_id = !source.get("datasetUUID").empty();
  if (name.empty() && !has_id) {
    errors.push_back(field_required(path.text(), "one of datasetName and datasetUUID is required"));
  }
  if (!name.empty() && has_id) {
    errors.push_back(
        field_invalid(path.text(), "resource",
                      "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (name.find('/') != std::string::npos) {
    errors.push_back(field_invalid(path.text("datasetName"), name, "must not contain '/'"));
  }
}

void check_secret_ref(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(source, "secretRef")) return;
  require_text(source.get("secretRef"), "name", path.child("secretRef"), errors);
}

void check_quobyte(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& registry = source.get("registry").text();
  if (registry.empty()) {
    errors.push_back(field_required(path.text("registry"), kHostPorts));
  } else if (source.get("tenant").text().size() > kTenantBytesMax) {
    errors.push_back(field_required(path.text("tenant"),
                                    "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (std::string_view rest = registry; !rest.empty();) {
      if (is_host_port(take_until(rest, ","))) continue;
      errors.push_back(field_invalid(path.text("registry"), registry, kHostPorts));
    }
  }
  require_text(source, "volume", path, errors);
}

void check_fibre_channel(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const Json& targets = source.get("targetWWNs");
  const bool has_ids = source.get("wwids").size() != 0;
  if (targets.size() == 0) {
    if (!has_ids) {
      errors.push_back(field_required(path.text("targetWWNs"),
                                      "must specify either targetWWNs or wwids, but not both"));
    }
    return;
  }
  if (has_ids) {
    errors.push_back(field_invalid(path.text("targetWWNs"), targets,
                                   "targetWWNs and wwids can not be specified simultaneously"));
  }
  const Json& unit = source.get("lun");
  if (unit.is_null()) {
    errors.push_back(
        field_required(path.text("lun"), "lun is required if targetWWNs is specified"));
  } else if (unit.integer_or(0) < 0 || unit.integer_or(0) > kUnitMax) {
    errors.push_back(field_invalid(path.text("lun"), unit, "must be between 0 and 255, inclusive"));
  }
}

void check_flex_volume(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath options = path.child("options");
  for (const Json::Member& each : source.get("options").members()) {
    const std::string domain = '.' + to_lower(each.key.substr(0, each.key.find('/')));
    if (!domain.ends_with(".kubernetes.io") && !domain.ends_with(".k8s.io")) continue;
    errors.push_back(field_invalid(options.key(each.key).text(), each.key,
                                   "kubernetes.io and k8s.io namespaces are reserved"));
  }
}

void check_azure_disk(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& kind = source.get("kind").text();
  const std::string& uri = source.get("diskURI").text();
  if (kind == "Managed" && !uri.starts_with("/subscriptions/")) {
    errors.push_back(field_not_supported(path.text("diskURI"), uri,
                                         {"/subscriptions/{sub-id}/resourcegroups/{group-name}/"
                                          "providers/microsoft.compute/disks/{disk-id}"}));
  } else if (!kind.empty() && kind != "Managed" && !uri.starts_with("https://")) {
    errors.push_back(field_not_supported(
        path.text("diskURI"), uri,
        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"}));
  }
}

void check_csi_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_csi_driver_name(source.get("driver").text(), path.child("driver"), errors);
  const Json& secret = source.get("nodePublishSecretRef");
  if (secret.is_null()) return;
  if (!require_text(secret, "name", path.child("nodePublishSecretRef"), errors)) return;
  // Upstream's path.
  const std::string& name = secret.get("name").text();
  add_invalid(check_dns_subdomain(name), name, path.child("name"), errors);
}

void check_ephemeral(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (is_set(source, "volumeClaimTemplate")) {
    check_claim_template(source.get("volumeClaimTemplate"), path.child("volumeClaimTemplate"),
                         errors);
  } else {
    errors.push_back(field_required(path.text("volumeClaimTemplate")));
  }
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

void check_csi_driver_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.push_back(field_required(path.text()));
    return;
  }
  if (name.size() > kDriverBytesMax) errors.push_back(field_too_long(path.text(), kDriverBytesMax));
  add_invalid(check_dns_subdomain(to_lower(name)), name, path, errors);
}

}  // namespace davit::sandbox
