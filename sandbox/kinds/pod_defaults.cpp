#include "sandbox/kinds/pod_defaults.hpp"

#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kGraceSeconds = 30;
constexpr std::int64_t kFileMode = 0644;
constexpr std::int64_t kTokenSeconds = 3600;

/// A default of a volume source that only few still use.
struct SourceDefault {
  const char* source;
  const char* field;
  const char* value;
};
constexpr SourceDefault kSourceDefaults[] = {
    {"hostPath", "type", ""},
    {"iscsi", "iscsiInterface", "default"},
    {"rbd", "pool", "rbd"},
    {"rbd", "user", "admin"},
    {"rbd", "keyring", "/etc/ceph/keyring"},
    {"azureDisk", "cachingMode", "ReadWrite"},
    {"azureDisk", "kind", "Shared"},
    {"azureDisk", "fsType", "ext4"},
    {"scaleIO", "storageMode", "ThinProvisioned"},
    {"scaleIO", "fsType", "xfs"},
};

/// "Always" for what may change under its name.
const char* pull_policy(std::string_view image) {
  const std::size_t slash = image.rfind('/');
  std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const bool has_digest = last.find('@') != std::string_view::npos;
  last = last.substr(0, last.find('@'));
  const std::size_t colon = last.find(':');
  if (colon != std::string_view::npos) {
    return last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
  }
  return has_digest || last.empty() ? "IfNotPresent" : "Always";
}

void set_http_defaults(Json& handler) {
  Json* get = handler.find("httpGet");
  if (get == nullptr || get->is_null()) return;
  replace_empty(*get, "path", "/");
  replace_empty(*get, "scheme", "HTTP");
}

void set_probe_defaults(Json& container, std::string_view name) {
  Json* probe = container.find(name);
  if (probe == nullptr || probe->is_null()) return;
  replace_empty(*probe, "timeoutSeconds", 1);
  replace_empty(*probe, "periodSeconds", 10);
  replace_empty(*probe, "successThreshold", 1);
  replace_empty(*probe, "failureThreshold", 3);
  set_http_defaults(*probe);
  if (Json* grpc = probe->find("grpc"); grpc != nullptr && !grpc->is_null()) {
    set_default(*grpc, "service", "");
  }
}

void set_field_ref_default(Json& holder) {
  if (Json* ref = holder.find("fieldRef"); ref != nullptr && ref->is_object()) {
    replace_empty(*ref, "apiVersion", "v1");
  }
}

void set_container_defaults(Json& container) {
  if (container.get("imagePullPolicy").empty()) {
    container.set("imagePullPolicy", pull_policy(container.get("image").text()));
  }
  replace_empty(container, "terminationMessagePath", "/dev/termination-log");
  replace_empty(container, "terminationMessagePolicy", "File");
  object_member(container, "resources");
  if (Json* ports = container.find("ports"); ports != nullptr && ports->is_array()) {
    for (Json& each : ports->make_array()) replace_empty(each, "protocol", "TCP");
  }
  if (Json* env = container.find("env"); env != nullptr && env->is_array()) {
    for (Json& each : env->make_array()) {
      if (Json* from = each.find("valueFrom"); from != nullptr) set_field_ref_default(*from);
    }
  }
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    set_probe_defaults(container, probe);
  }
  if (Json* lifecycle = container.find("lifecycle"); lifecycle != nullptr) {
    for (const std::string_view hook : {"postStart", "preStop"}) {
      if (Json* handler = lifecycle->find(hook); handler != nullptr) set_http_defaults(*handler);
    }
  }
}

void set_item_defaults(Json& source) {
  Json* items = source.find("items");
  if (items == nullptr || !items->is_array()) return;
  for (Json& each : items->make_array()) set_field_ref_default(each);
}

void set_projected_defaults(Json& projected) {
  set_default(projected, "defaultMode", kFileMode);
  Json* sources = projected.find("sources");
  if (sources == nullptr || !sources->is_array()) return;
  for (Json& each : sources->make_array()) {
    if (Json* token = each.find("serviceAccountToken"); token != nullptr && token->is_object()) {
      set_default(*token, "expirationSeconds", kTokenSeconds);
    }
    if (Json* downward = each.find("downwardAPI"); downward != nullptr) {
      set_item_defaults(*downward);
    }
  }
}

bool has_source(const Json& volume) {
  for (const Json::Member& each : volume.members()) {
    if (each.key != "name" && !each.value.is_null()) return true;
  }
  return false;
}

void set_volume_defaults(Json& volume) {
  if (!has_source(volume)) volume.set("emptyDir", Json::object());
  for (const std::string_view name : {"secret", "configMap", "downwardAPI"}) {
    if (Json* source = volume.find(name); source != nullptr && source->is_object()) {
      set_default(*source, "defaultMode", kFileMode);
      set_item_defaults(*source);
    }
  }
  if (Json* projected = volume.find("projected"); projected != nullptr && projected->is_object()) {
    set_projected_defaults(*projected);
  }
  set_volume_source_defaults(volume);
  if (Json* image = volume.find("image"); image != nullptr && image->is_object()) {
    replace_empty(*image, "pullPolicy", pull_policy(image->get("reference").text()));
  }
  if (Json* spec = volume.at({"ephemeral", "volumeClaimTemplate", "spec"}); spec != nullptr) {
    replace_empty(*spec, "volumeMode", "Filesystem");
  }
}

/// Calls `visit` for each object in the list `name` of `spec`.
template <typename Visit>
void for_each(Json& spec, std::string_view name, Visit visit) {
  Json* list = spec.find(name);
  if (list == nullptr || !list->is_array()) return;
  for (Json& each : list->make_array()) visit(each);
}

/// The old name of serviceAccountName: both are shown, and either may be given.
void mirror_service_account(Json& spec) {
  const std::string name = spec.get("serviceAccountName").text();
  const std::string& old_name = spec.get("serviceAccount").text();
  if (name.empty() && !old_name.empty()) spec.set("serviceAccountName", Json(old_name));
  if (!name.empty() && name != old_name) spec.set("serviceAccount", name);
}

/// A pod as a whole has these resources only.
bool is_pod_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

void request_what_is_limited(Json& holder, bool (*applies)(std::string_view name) = nullptr) {
  Json* resources = holder.find("resources");
  if (resources == nullptr || resources->get("limits").size() == 0) return;
  const Json limits = resources->get("limits");
  Json& requests = object_member(*resources, "requests");
  for (const Json::Member& each : limits.members()) {
    if (applies != nullptr && !applies(each.key)) continue;
    if (!requests.contains(each.key)) requests.set(each.key, each.value);
  }
}

/// Fields that servers leave out until a feature gate is on. k8s: dropDisabledFields of
/// pkg/api/pod/util.go.
void drop_disabled_fields(Json& spec) {
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    for_each(spec, list, [](Json& container) {
      Json* lifecycle = container.find("lifecycle");
      if (lifecycle == nullptr || lifecycle->get("stopSignal").is_null()) return;
      lifecycle->erase("stopSignal");
      if (lifecycle->size() == 0) container.erase("lifecycle");
    });
  }
  for_each(spec, "volumes", [](Json& volume) {
    if (Json* projected = volume.find("projected")) {
      for_each(*projected, "sources", [](Json& source) {
        if (source.is_object()) source.erase("clusterTrustBundle");
      });
    }
  });
}

}  // namespace

void set_volume_source_defaults(Json& volume) {
  for (const SourceDefault& each : kSourceDefaults) {
    Json* source = volume.find(each.source);
    if (source != nullptr && source->is_object()) set_default(*source, each.field, each.value);
  }
  if (Json* disk = volume.find("azureDisk"); disk != nullptr && disk->is_object()) {
    set_default(*disk, "readOnly", false);
  }
}

void set_pod_spec_defaults(Json& spec) {
  drop_disabled_fields(spec);
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    for_each(spec, list, set_container_defaults);
  }
  for_each(spec, "volumes", set_volume_defaults);
  replace_empty(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", kGraceSeconds);
  replace_empty(spec, "dnsPolicy", "ClusterFirst");
  mirror_service_account(spec);
  object_member(spec, "securityContext");
  replace_empty(spec, "schedulerName", "default-scheduler");
}

void set_pod_only_defaults(Json& spec) {
  const bool host_network = spec.get("hostNetwork").boolean();
  for (const std::string_view list : {"containers", "initContainers"}) {
    for_each(spec, list, [&](Json& container) {
      request_what_is_limited(container);
      if (!host_network) return;
      for_each(container, "ports", [](Json& port) {
        if (port.get("hostPort").empty()) port.set("hostPort", port.get("containerPort"));
      });
    });
  }
  request_what_is_limited(spec, is_pod_resource);
  // k8s: Convert_v1_Pod_To_core_Pod; a template keeps it.
  if (spec.get("terminationGracePeriodSeconds").integer_or(0) < 0) {
    spec.set("terminationGracePeriodSeconds", 1);
  }
  if (spec.get("enableServiceLinks").is_null()) spec.set("enableServiceLinks", true);
}

}  // namespace davit::sandbox
