#include "plugins/statefulset/semantic_equality.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <davit/kube/json_equal.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit::statefulset {
namespace {

struct Default {
  std::string_view path;  ///< As Path makes it.
  std::string_view json;
};

/// The defaults that the API server adds to pod templates (pkg/apis/core/v1/defaults.go), but for
/// imagePullPolicy, which depends on the image. A member of the same name elsewhere has no default:
/// `restartPolicy` of an init container makes it a sidecar.
constexpr std::array kDefaults{
    Default{"spec.dnsPolicy", R"("ClusterFirst")"},
    Default{"spec.restartPolicy", R"("Always")"},
    Default{"spec.schedulerName", R"("default-scheduler")"},
    Default{"spec.securityContext", "{}"},
    Default{"spec.terminationGracePeriodSeconds", "30"},
    Default{"spec.containers[].resources", "{}"},
    Default{"spec.containers[].terminationMessagePath", R"("/dev/termination-log")"},
    Default{"spec.containers[].terminationMessagePolicy", R"("File")"},
    Default{"spec.containers[].ports[].protocol", R"("TCP")"},
    Default{"spec.containers[].env[].valueFrom.fieldRef.apiVersion", R"("v1")"},
    Default{"spec.containers[].probe.timeoutSeconds", "1"},
    Default{"spec.containers[].probe.periodSeconds", "10"},
    Default{"spec.containers[].probe.successThreshold", "1"},
    Default{"spec.containers[].probe.failureThreshold", "3"},
    Default{"spec.containers[].probe.httpGet.path", R"("/")"},
    Default{"spec.containers[].probe.httpGet.scheme", R"("HTTP")"},
    Default{"spec.containers[].probe.grpc.service", R"("")"},
    Default{"spec.containers[].lifecycle.hook.httpGet.path", R"("/")"},
    Default{"spec.containers[].lifecycle.hook.httpGet.scheme", R"("HTTP")"},
    Default{"spec.volumes[].secret.defaultMode", "420"},
    Default{"spec.volumes[].configMap.defaultMode", "420"},
    Default{"spec.volumes[].downwardAPI.defaultMode", "420"},
    Default{"spec.volumes[].downwardAPI.items[].fieldRef.apiVersion", R"("v1")"},
    Default{"spec.volumes[].projected.defaultMode", "420"},
    Default{"spec.volumes[].projected.sources[].serviceAccountToken.expirationSeconds", "3600"},
    Default{"spec.volumes[].projected.sources[].downwardAPI.items[].fieldRef.apiVersion",
            R"("v1")"},
    Default{"spec.volumes[].ephemeral.volumeClaimTemplate.spec.volumeMode", R"("Filesystem")"},
    Default{"spec.volumes[].hostPath.type", R"("")"},
    Default{"spec.volumes[].iscsi.iscsiInterface", R"("default")"},
    Default{"spec.volumes[].rbd.pool", R"("rbd")"},
    Default{"spec.volumes[].rbd.user", R"("admin")"},
    Default{"spec.volumes[].rbd.keyring", R"("/etc/ceph/keyring")"},
    Default{"spec.volumes[].azureDisk.cachingMode", R"("ReadWrite")"},
    Default{"spec.volumes[].azureDisk.kind", R"("Shared")"},
    Default{"spec.volumes[].azureDisk.fsType", R"("ext4")"},
    Default{"spec.volumes[].azureDisk.readOnly", "false"},
    Default{"spec.volumes[].scaleIO.storageMode", R"("ThinProvisioned")"},
    Default{"spec.volumes[].scaleIO.fsType", R"("xfs")"},
};

/// The place of a value in the template: members joined by dots, elements as "[]". All kinds of
/// containers, of probes and of hooks have one name each.
class Path {
 public:
  Path() = default;

  [[nodiscard]] Path member(std::string_view key) const {
    std::string text = text_;
    if (!text.empty()) text += '.';
    return Path(text.append(common_name(key)));
  }
  [[nodiscard]] Path element() const { return Path(text_ + "[]"); }
  [[nodiscard]] bool is_root() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit Path(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::string_view common_name(std::string_view key) const {
    if (text_ == "spec" && (key == "initContainers" || key == "ephemeralContainers")) {
      return "containers";
    }
    const bool is_probe =
        key == "livenessProbe" || key == "readinessProbe" || key == "startupProbe";
    if (text_ == "spec.containers[]" && is_probe) return "probe";
    const bool is_hook = key == "postStart" || key == "preStop";
    if (text_ == "spec.containers[].lifecycle" && is_hook) return "hook";
    return key;
  }

  std::string text_;
};

/// The member of a revision's template that makes it a patch.
constexpr std::string_view kPatchDirective = "$patch";

bool is_default(const Path& path, Value value) {
  return std::any_of(kDefaults.begin(), kDefaults.end(), [&](const Default& each) {
    return each.path == path.text() && json_equal(each.json, value);
  });
}

bool equal(const Path& path, Value stored, Value present);

bool equal_objects(const Path& path, Value stored, Value present) {
  for (const Member& member : stored.members()) {
    if (member.value.kind() == Kind::kNull) continue;
    if (path.is_root() && member.key == kPatchDirective) continue;
    if (!equal(path.member(member.key), member.value, present[member.key])) return false;
  }
  for (const Member& member : present.members()) {
    if (member.value.kind() == Kind::kNull) continue;
    const Value before = stored[member.key];
    if (before && before.kind() != Kind::kNull) continue;
    if (!is_default(path.member(member.key), member.value)) return false;
  }
  return true;
}

bool equal(const Path& path, Value stored, Value present) {
  if (stored.kind() != present.kind()) return false;
  if (stored.kind() == Kind::kObject) return equal_objects(path, stored, present);
  if (stored.kind() != Kind::kArray) return stored == present;
  if (stored.count() != present.count()) return false;
  const Path element = path.element();
  for (std::size_t i = 0; i < stored.count(); ++i) {
    if (!equal(element, stored.at(i), present.at(i))) return false;
  }
  return true;
}

}  // namespace

bool restores_to(Value stored_template, Value present_template) {
  return stored_template.kind() == Kind::kObject &&
         equal(Path(), stored_template, present_template);
}

}  // namespace davit::statefulset
