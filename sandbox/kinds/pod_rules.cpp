#include <algorithm>

#include "sandbox/kinds/app_armor.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/pod_defaults.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/pod_update.hpp"
#include "sandbox/kinds/pod_warnings.hpp"
#include "sandbox/kinds/qos.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kFields[] = {"spec.host",          "spec.hostNetwork",
                                        "spec.nodeName",      "spec.restartPolicy",
                                        "spec.schedulerName", "spec.serviceAccountName",
                                        "status.phase",       "status.nominatedNodeName",
                                        "status.podIP",       "status.podIPs"};

Json gated_condition(const Json& now) {
  return Json::object({{"type", "PodScheduled"},
                       {"status", "False"},
                       {"lastProbeTime", Json()},
                       {"lastTransitionTime", now},
                       {"reason", "SchedulingGated"},
                       {"message", "Scheduling is blocked due to non-empty scheduling gates"}});
}

class PodRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    set_pod_spec_defaults(spec);
    set_pod_only_defaults(spec);
  }

  void prepare_create(Json& object) const override {
    set_app_armor_profiles(object);
    const Json& spec = object.get("spec");
    Json status = Json::object({{"phase", "Pending"}, {"qosClass", qos_class(spec)}});
    if (spec.get("schedulingGates").size() != 0) {
      status.set("conditions",
                 Json::array({gated_condition(object.get("metadata").get("creationTimestamp"))}));
    }
    object.set("status", std::move(status));
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    if (target == UpdateTarget::kObject) return;
    Json& metadata = object_member(object, "metadata");
    if (const Json* owners = old.at({"metadata", "ownerReferences"})) {
      metadata.set("ownerReferences", *owners);
    } else {
      metadata.erase("ownerReferences");
    }
    Json& status = object_member(object, "status");
    if (status.get("qosClass").empty()) status.set("qosClass", old.get("status").get("qosClass"));
    align_pod_ips(status);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out;
    add_app_armor_warnings(object, out);
    std::string why;
    for (const std::string& each : check_dns_label(object.text_at({"metadata", "name"}))) {
      why += (why.empty() ? "" : " ") + each;
    }
    if (!why.empty()) {
      out.push_back(
          "metadata.name: this is used in the Pod's hostname, which can result in surprising "
          "behavior; a DNS label is recommended: [" +
          why + "]");
    }
    add_pod_warnings(object, FieldPath(), out);
    return out;
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    const Json& spec = object.get("spec");
    const Json& status = object.get("status");
    const std::string& node = spec.get("nodeName").text();
    return {{"spec.nodeName", node},
            {"spec.host", node},
            {"spec.restartPolicy", spec.get("restartPolicy").text()},
            {"spec.schedulerName", spec.get("schedulerName").text()},
            {"spec.serviceAccountName", spec.get("serviceAccountName").text()},
            {"spec.hostNetwork", spec.get("hostNetwork").boolean() ? "true" : "false"},
            {"status.phase", status.get("phase").text()},
            {"status.podIP", status.get("podIP").text()},
            {"status.nominatedNodeName", status.get("nominatedNodeName").text()}};
  }

  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_metadata_and_spec(object, errors);
    const Json& spec = object.get("spec");
    if (spec.get("ephemeralContainers").size() != 0) {
      errors.push_back(field_forbidden("spec.ephemeralContainers", "cannot be set on create"));
    }
    if (!spec.get("nodeName").empty() && spec.get("schedulingGates").size() != 0) {
      errors.push_back(field_forbidden(
          "spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
    }
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    // The rules of new pods apply whole, as upstream, including those of metadata.
    const FieldPath path("metadata");
    check_metadata(object.get("metadata"), facts().names, Scope::kNamespaced, path, errors);
    check_metadata_and_spec(object, errors);
    check_mirror_update(object, old, errors);
    check_pod_spec_update(object.get("spec"), old.get("spec"), errors);
  }

  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_mirror_update(object, old, errors);
    check_pod_status_update(object, old, errors);
  }

 private:
  /// k8s: validatePodMetadataAndSpec, but for metadata itself.
  static void check_metadata_and_spec(const Json& object, FieldErrors& errors) {
    const Json& spec = object.get("spec");
    check_pod_annotations(object.get("metadata").get("annotations"), spec,
                          FieldPath("metadata.annotations"), errors);
    const FieldPath path("spec");
    check_pod_spec(spec, PodHolder::kPod, path, errors);
    check_pod_volumes(object, path.child("volumes"), errors);
    check_image_blanks(spec.get("containers"), path.child("containers"), errors);
    check_image_blanks(spec.get("initContainers"), path.child("initContainers"), errors);
  }

  /// Rules of volumes that hold for pods, not for templates.
  static void check_pod_volumes(const Json& object, const FieldPath& path, FieldErrors& errors) {
    const Json& spec = object.get("spec");
    const bool has_account = !spec.get("serviceAccountName").empty();
    std::size_t volume = 0;
    for (const Json& each : spec.get("volumes").items()) {
      const FieldPath here = path.index(volume++);
      if (!has_account) forbid_tokens(each, here, errors);
      if (is_set(each, "image")) {
        require_text(each.get("image"), "reference", here.child("image"), errors);
      }
      if (is_set(each, "ephemeral")) check_claim_name(object, each.get("name"), here, errors);
    }
  }

  static void forbid_tokens(const Json& volume, const FieldPath& path, FieldErrors& errors) {
    const FieldPath sources = path.child("projected.sources");
    std::size_t index = 0;
    for (const Json& source : volume.get("projected").get("sources").items()) {
      const FieldPath here = sources.index(index++);
      if (is_set(source, "serviceAccountToken")) {
        errors.push_back(field_forbidden(here.text("serviceAccountToken"),
                                         "must not be specified when serviceAccountName is not "
                                         "set"));
      }
    }
  }

  /// The claim of an ephemeral volume is named after the pod and the volume.
  static void check_claim_name(const Json& pod, const Json& volume, const FieldPath& path,
                               FieldErrors& errors) {
    const std::string& name = pod.text_at({"metadata", "name"});
    if (name.empty() || volume.empty()) return;
    const std::string claim = name + '-' + volume.text();
    for (const std::string& each : check_dns_subdomain(claim)) {
      errors.push_back(
          field_invalid(path.text("name"), volume, "PVC name \"" + claim + "\": " + each));
    }
  }

  static void check_image_blanks(const Json& containers, const FieldPath& path,
                                 FieldErrors& errors) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    std::size_t index = 0;
    for (const Json& each : containers.items()) {
      const FieldPath here = path.index(index++);
      const std::string& image = each.get("image").text();
      if (image.empty() || (kBlanks.find(image.front()) == std::string_view::npos &&
                            kBlanks.find(image.back()) == std::string_view::npos)) {
        continue;
      }
      errors.push_back(
          field_invalid(here.text("image"), image, "must not have leading or trailing whitespace"));
    }
  }

  static void check_mirror_update(const Json& object, const Json& old, FieldErrors& errors) {
    const FieldPath path("metadata.annotations");
    const Json& now = object.get("metadata").get("annotations").get(kMirrorPod);
    const Json& before = old.get("metadata").get("annotations").get(kMirrorPod);
    if (now == before) return;
    errors.push_back(field_forbidden(path.key(kMirrorPod).text(),
                                     before.is_null()
                                         ? "may not add mirror pod annotation"
                                         : "may not remove or update mirror pod annotation"));
  }
};

}  // namespace

std::shared_ptr<const KindRules> pod_rules(const KindFacts& facts) {
  return std::make_shared<PodRules>(facts);
}

}  // namespace davit::sandbox
