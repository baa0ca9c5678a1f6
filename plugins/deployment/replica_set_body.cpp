#include "plugins/deployment/replica_set_body.hpp"

#include <davit/json_writer.hpp>

#include "plugins/deployment/annotations.hpp"

namespace davit::deployment {
namespace {

/// The members of `object` except `skipped`, into an object that is open in `out`.
void splice_members(JsonWriter& out, const Value& object, std::string_view skipped) {
  for (const Member& member : object.members()) {
    if (member.key != skipped) out.key(member.key).value(member.value);
  }
}

/// The labels with the hash label, or without it when `hash` is empty.
void write_labels(JsonWriter& out, const Value& labels, std::string_view hash) {
  out.begin_object();
  splice_members(out, labels, kTemplateHash);
  if (!hash.empty()) out.member(kTemplateHash, hash);
  out.end_object();
}

void write_template(JsonWriter& out, const Value& pod_template, std::string_view hash) {
  const Value metadata = pod_template[&Names::metadata];
  out.begin_object();
  splice_members(out, pod_template, "metadata");
  out.key("metadata").begin_object();
  splice_members(out, metadata, "labels");
  out.key("labels");
  write_labels(out, metadata[&Names::labels], hash);
  out.end_object().end_object();
}

void write_selector(JsonWriter& out, const Value& selector, std::string_view hash) {
  out.begin_object();
  splice_members(out, selector, "matchLabels");
  out.key("matchLabels");
  write_labels(out, selector[&Names::match_labels], hash);
  out.end_object();
}

void write_annotations(JsonWriter& out, const Deployment& deployment, const NewReplicaSet& wanted) {
  out.begin_object();
  for (const Member& annotation : deployment.annotations().members()) {
    if (!is_shared_annotation(annotation.key)) continue;
    out.key(annotation.key).value(annotation.value);
  }
  out.member(kRevision, std::to_string(wanted.revision));
  out.member(kDesiredReplicas, std::to_string(deployment.replicas()));
  out.member(kMaxReplicas, std::to_string(wanted.replicas_max));
  out.end_object();
}

}  // namespace

std::string new_replica_set_body(const Deployment& deployment, const NewReplicaSet& wanted) {
  JsonWriter out;
  out.begin_object().member("apiVersion", "apps/v1").member("kind", "ReplicaSet");
  out.key("metadata").begin_object();
  out.member("name", wanted.name).member("namespace", deployment.ns());
  out.key("labels");
  write_labels(out, deployment.pod_template()[&Names::metadata][&Names::labels], wanted.hash);
  out.key("annotations");
  write_annotations(out, deployment, wanted);
  out.key("ownerReferences").begin_array();
  owner_identity(deployment).write_controller_reference(out);
  out.end_array().end_object();

  out.key("spec").begin_object();
  out.member("replicas", wanted.size);
  if (const auto min_ready = deployment.min_ready(); min_ready.count() != 0) {
    out.member("minReadySeconds", std::int64_t{min_ready.count()});
  }
  out.key("selector");
  write_selector(out, deployment.selector(), wanted.hash);
  out.key("template");
  write_template(out, deployment.pod_template(), wanted.hash);
  out.end_object().end_object();
  return std::move(out).text();
}

std::string template_without_hash(const Value& pod_template) {
  JsonWriter out;
  write_template(out, pod_template, {});
  return std::move(out).text();
}

}  // namespace davit::deployment
