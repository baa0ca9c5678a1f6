/// The part of a pod's and a few other kinds' field tables that patches need, built by hand.
#pragma once

#include "sandbox/schema/schema.hpp"

namespace davit::sandbox {

/// Owns messages that point to each other. Neither copied nor moved.
class PodSchema {
 public:
  PodSchema() = default;
  PodSchema(const PodSchema&) = delete;
  PodSchema& operator=(const PodSchema&) = delete;
  ~PodSchema() = default;

  /// metadata, spec, status.
  [[nodiscard]] const Message& pod() const { return pod_; }
  /// metadata, data.
  [[nodiscard]] const Message& config_map() const { return config_map_; }

 private:
  static Field make(std::string name, FieldType type, FieldShape shape, ApplyType apply) {
    Field field;
    field.name = std::move(name);
    field.type = type;
    field.shape = shape;
    field.apply = apply;
    return field;
  }
  static Field text(std::string name) {
    return make(std::move(name), FieldType::kString, FieldShape::kOne, ApplyType::kDefault);
  }
  static Field number(std::string name) {
    return make(std::move(name), FieldType::kInt32, FieldShape::kOne, ApplyType::kDefault);
  }
  static Field raws(std::string name) {
    return make(std::move(name), FieldType::kRaw, FieldShape::kList, ApplyType::kDefault);
  }
  static Field texts(std::string name, ApplyType apply = ApplyType::kDefault) {
    return make(std::move(name), FieldType::kString, FieldShape::kList, apply);
  }
  static Field map(std::string name, ApplyType apply = ApplyType::kDefault) {
    return make(std::move(name), FieldType::kString, FieldShape::kMap, apply);
  }
  static Field part(std::string name, const Message& message) {
    Field field = make(std::move(name), FieldType::kMessage, FieldShape::kOne, ApplyType::kDefault);
    field.message = &message;
    return field;
  }
  /// A message that Go writes although it is empty.
  static Field whole(std::string name, const Message& message) {
    Field field = part(std::move(name), message);
    field.always = true;
    return field;
  }
  static Field list(std::string name, const Message& message, std::vector<std::string> keys) {
    Field field = part(std::move(name), message);
    field.shape = FieldShape::kList;
    if (keys.empty()) return field;
    field.merge_key = keys.front();
    field.apply = ApplyType::kMap;
    field.apply_keys = std::move(keys);
    return field;
  }
  static Field united(std::string name) {
    Field field = texts(std::move(name), ApplyType::kSet);
    field.merge_primitives = true;
    return field;
  }

  Message owner_{"OwnerReference", {text("uid"), text("name")}, ApplyType::kAtomic};
  Message metadata_{
      "ObjectMeta",
      {text("name"), text("namespace"), text("uid"), text("resourceVersion"), text("generateName"),
       text("creationTimestamp"), number("generation"), map("labels"), map("annotations"),
       list("ownerReferences", owner_, {"uid"}), united("finalizers"), raws("managedFields")}};
  Message variable_{"EnvVar", {text("name"), text("value")}};
  Message port_{"ContainerPort", {text("name"), number("containerPort"), text("protocol")}};
  Message resources_{"ResourceRequirements", {map("limits"), map("requests")}};
  Message toleration_{"Toleration", {text("key"), text("operator"), text("effect")}};
  Message container_{
      "Container",
      {text("name"), text("image"), texts("command"), list("env", variable_, {"name"}),
       list("ports", port_, {"containerPort", "protocol"}), whole("resources", resources_),
       text("imagePullPolicy")}};
  Message empty_dir_{"EmptyDirVolumeSource", {text("medium")}};
  Message secret_{"SecretVolumeSource", {text("secretName")}};
  Message volume_{"Volume", {text("name"), part("emptyDir", empty_dir_), part("secret", secret_)}};
  Message spec_{"PodSpec",
                {list("containers", container_, {"name"}), list("volumes", volume_, {"name"}),
                 list("tolerations", toleration_, {}), map("nodeSelector", ApplyType::kAtomic),
                 text("nodeName"), text("restartPolicy"), number("priority"), united("podCIDRs")}};
  Message condition_{"PodCondition", {text("type"), text("status"), text("reason")}};
  Message status_{"PodStatus", {text("phase"), list("conditions", condition_, {"type"})}};
  Message pod_{"Pod",
               {text("apiVersion"), text("kind"), whole("metadata", metadata_),
                whole("spec", spec_), whole("status", status_)}};
  Message config_map_{
      "ConfigMap", {text("apiVersion"), text("kind"), whole("metadata", metadata_), map("data")}};
};

}  // namespace davit::sandbox
