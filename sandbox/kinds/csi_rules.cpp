// k8s: pkg/apis/storage/validation, pkg/apis/storage/v1/defaults.go, pkg/registry/storage.
#include <set>
#include <string>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/storage_checks.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDriverSpec = "storage.v1.CSIDriverSpec";
constexpr std::string_view kCapacity = "storage.v1.CSIStorageCapacity";
constexpr std::size_t kNodeIdMax = 256;
constexpr std::size_t kAttachmentBytesMax = 256 * 1024;
constexpr std::size_t kErrorBytesMax = 1024;
constexpr std::int64_t kRequestSecondsMin = 600;
constexpr std::int64_t kRequestSecondsMax = std::int64_t{1} << 32U;

void check_token_requests(const Json& requests, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> audiences;
  std::size_t index = 0;
  for (const Json& each : requests.items()) {
    const FieldPath at = path.index(index++);
    const std::string& audience = each.get("audience").text();
    if (!audiences.insert(audience).second) {
      errors.push_back(field_duplicate(at.text("audience"), audience));
      continue;
    }
    const Json& seconds = each.get("expirationSeconds");
    if (seconds.is_null()) continue;
    if (seconds.integer_or(0) < kRequestSecondsMin) {
      errors.push_back(field_invalid(at.text("expirationSeconds"), seconds,
                                     "may not specify a duration less than 10 minutes"));
    } else if (seconds.integer_or(0) > kRequestSecondsMax) {
      errors.push_back(field_invalid(at.text("expirationSeconds"), seconds,
                                     "may not specify a duration larger than 2^32 seconds"));
    }
  }
}

class CsiDriverRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    set_default(spec, "attachRequired", true);
    for (const std::string_view flag :
         {"podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"}) {
      set_default(spec, flag, false);
    }
    set_default(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if (spec.get("volumeLifecycleModes").items().empty()) {
      spec.set("volumeLifecycleModes", Json::array({"Persistent"}));
    }
  }
  [[nodiscard]] bool raises_generation(const Json& object, const Json& old) const override {
    return object.get("spec") != old.get("spec");
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_token_requests(spec.get("tokenRequests"), kSpec.child("tokenRequests"), errors);
    for (const Json& each : spec.get("volumeLifecycleModes").items()) {
      const std::string& mode = each.text();
      if (mode == "Persistent" || mode == "Ephemeral") continue;
      errors.push_back(field_not_supported(kSpec.text("volumeLifecycleModes"), mode,
                                           {"Persistent", "Ephemeral"}));
    }
    check_fields(kDriverSpec, spec, kSpec, errors);
    const Json& in_secrets = spec.get("serviceAccountTokenInSecrets");
    if (!in_secrets.is_null() && spec.get("tokenRequests").items().empty()) {
      errors.push_back(
          field_invalid(kSpec.text("serviceAccountTokenInSecrets"), in_secrets,
                        "serviceAccountTokenInSecrets is set but no tokenRequests are specified"));
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    const Json& attach = value_at(object, {"spec", "attachRequired"});
    if (attach != value_at(old, {"spec", "attachRequired"})) {
      // Upstream calls the field so.
      errors.push_back(field_invalid(kSpec.text("attachedRequired"), attach, kFieldImmutable));
    }
    check_immutable_fields(kDriverSpec, object.get("spec"), old.get("spec"), kSpec, errors);
  }
};

void check_topology_keys(const Json& keys, const FieldPath& path, FieldErrors& errors) {
  // The errors are about the driver, as upstream has it.
  std::set<std::string> seen;
  for (const Json& each : keys.items()) {
    const std::string& key = each.text();
    if (key.empty()) errors.push_back(field_required(path.text()));
    if (!seen.insert(key).second) errors.push_back(field_duplicate(path.text(), key));
    add_invalid(check_qualified_name(key), key, path, errors);
  }
}

/// A driver of a CSINode without what an update may change.
Json without_allocatable(const Json& driver) {
  Json out = driver;
  out.erase("allocatable");
  return out;
}

class CsiNodeRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path = kSpec.child("drivers");
    std::set<std::string> names;
    std::size_t index = 0;
    for (const Json& each : value_at(object, {"spec", "drivers"}).items()) {
      const FieldPath at = path.index(index++);
      const std::string& name = each.get("name").text();
      check_csi_driver_name(name, at.child("name"), errors);
      check_fields("storage.v1.CSINodeDriver", each, at, errors);
      const std::string& node = each.get("nodeID").text();
      if (node.size() > kNodeIdMax) {
        errors.push_back(field_invalid(at.text("nodeID"), node, "must be 256 characters or less"));
      }
      check_fields("storage.v1.VolumeNodeResources", each.get("allocatable"),
                   at.child("allocatable"), errors);
      if (!names.insert(name).second) errors.push_back(field_duplicate(at.text("name"), name));
      check_topology_keys(each.get("topologyKeys"), at, errors);
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    for (const Json& before : value_at(old, {"spec", "drivers"}).items()) {
      for (const Json& each : value_at(object, {"spec", "drivers"}).items()) {
        if (before.get("name") != each.get("name")) continue;
        const Json driver = without_allocatable(each);
        if (driver == without_allocatable(before)) continue;
        errors.push_back(field_invalid(kSpec.text("drivers"), driver, kFieldImmutable));
      }
    }
  }
};

class StorageCapacityRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_label_selector(object.get("nodeTopology"), FieldPath("nodeTopology"), errors);
    check_fields(kCapacity, object, {"storageClassName"}, FieldPath(), errors);
    const Json& capacity = object.get("capacity");
    if (!capacity.is_null() && quantity_milli(capacity.text()).value_or(0) < 0) {
      errors.push_back(field_invalid("capacity", capacity, kNotNegative));
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_immutable_fields(kCapacity, object, old, FieldPath(), errors);
  }
};

void check_volume_error(const Json& error, const FieldPath& path, FieldErrors& errors) {
  if (error.get("message").text().size() > kErrorBytesMax) {
    // The limit that upstream names is another one.
    errors.push_back(field_too_long(path.text("message"), kAttachmentBytesMax));
  }
  check_fields("storage.v1.VolumeError", error, path, errors);
}

class VolumeAttachmentRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"attached", false}}));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_csi_driver_name(spec.get("attacher").text(), kSpec.child("attacher"), errors);
    check_source(spec.get("source"), errors);
    check_fields("storage.v1.VolumeAttachmentSpec", spec, kSpec, errors);
    const Json& status = object.get("status");
    const FieldPath path("status");
    std::size_t bytes = 0;
    for (const Json::Member& each : status.get("attachmentMetadata").members()) {
      bytes += each.key.size() + each.value.text().size();
    }
    if (bytes > kAttachmentBytesMax) {
      errors.push_back(field_too_long(path.text("attachmentMetadata"), kAttachmentBytesMax));
    }
    for (const std::string_view each : {"attachError", "detachError"}) {
      check_volume_error(status.get(each), path.child(each), errors);
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_immutable(object, old, "spec", FieldPath(), errors);
  }
  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_update(object, old, errors);
  }

 private:
  static void check_source(const Json& source, FieldErrors& errors) {
    const FieldPath path = kSpec.child("source");
    const bool is_inline = is_set(source, "inlineVolumeSpec");
    const bool named = is_set(source, "persistentVolumeName");
    constexpr std::string_view kOneOf =
        "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    if (named && is_inline) {
      errors.push_back(field_forbidden(path.text(), kOneOf));
    } else if (named) {
      const std::string& name = source.get("persistentVolumeName").text();
      if (name.empty()) {
        errors.push_back(field_required(path.text("persistentVolumeName"),
                                        "must specify non empty persistentVolumeName"));
      }
    } else if (is_inline) {
      check_inline_volume_spec(source.get("inlineVolumeSpec"), path.child("inlineVolumeSpec"),
                               errors);
    } else {
      errors.push_back(field_required(path.text(), kOneOf));
    }
    if (!named) return;
    const std::string& name = source.get("persistentVolumeName").text();
    add_invalid(check_dns_subdomain(name), name, path.child("persistentVolumeName"), errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> csi_driver_rules(const KindFacts& facts) {
  return std::make_shared<CsiDriverRules>(facts);
}

std::shared_ptr<const KindRules> csi_node_rules(const KindFacts& facts) {
  return std::make_shared<CsiNodeRules>(facts);
}

std::shared_ptr<const KindRules> storage_capacity_rules(const KindFacts& facts) {
  return std::make_shared<StorageCapacityRules>(facts);
}

std::shared_ptr<const KindRules> volume_attachment_rules(const KindFacts& facts) {
  return std::make_shared<VolumeAttachmentRules>(facts);
}

}  // namespace davit::sandbox
