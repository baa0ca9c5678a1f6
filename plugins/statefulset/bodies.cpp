#include "plugins/statefulset/bodies.hpp"

#include <array>
#include <utility>
#include <vector>

#include "plugins/shared/pods/json_rewrite.hpp"
#include "plugins/shared/pods/pod_body.hpp"
#include "plugins/statefulset/identity.hpp"

namespace davit::statefulset {
namespace {

std::string_view template_name(Value claim_template) {
  return claim_template[&Names::metadata][&Names::name].string();
}

bool is_claim_template(const StatefulSet& set, std::string_view name) {
  for (const Value each : set.claim_templates().elements()) {
    if (template_name(each) == name) return true;
  }
  return false;
}

/// The volumes of the claims, then those of the template that no claim replaces.
void write_volumes(JsonWriter& out, const StatefulSet& set, Value pod_template,
                   std::string_view pod) {
  out.begin_array();
  for (const Value each : set.claim_templates().elements()) {
    begin_claim_volume(out, template_name(each), pod).end_object();
  }
  for (const Value each : pod_template[&Names::spec]["volumes"].elements()) {
    if (!is_claim_template(set, each[&Names::name].string())) out.value(each);
  }
  out.end_array();
}

/// Those of the claim template, under the labels that the set selects by.
void write_claim_labels(JsonWriter& out, const StatefulSet& set, Value claim_template) {
  const Value selected = set.selector()[&Names::match_labels];
  out.begin_object();
  for (const Member& label : claim_template[&Names::metadata][&Names::labels].members()) {
    if (selected[label.key].is_absent()) out.member(label.key, label.value);
  }
  for (const Member& label : selected.members()) out.member(label.key, label.value);
  out.end_object();
}

}  // namespace

void write_identity(JsonWriter& out, std::string_view pod, std::int64_t ordinal) {
  out.member(kPodNameLabel, pod).member(kPodIndexLabel, std::to_string(ordinal));
}

JsonWriter& begin_claim_volume(JsonWriter& out, std::string_view claim_template,
                               std::string_view pod) {
  out.begin_object().member("name", claim_template);
  out.key("persistentVolumeClaim").begin_object();
  return out.member("claimName", claim_name(claim_template, pod)).end_object();
}

std::string pod_body(const StatefulSet& set, const Version& version, std::int64_t ordinal) {
  const std::string name = pod_name(set.name(), ordinal);
  std::vector<pods::Replacement> spec = {
      {"hostname", [&](JsonWriter& out) { out.string(name); }},
      {"subdomain", [&](JsonWriter& out) { out.string(set.service_name()); }}};
  if (set.claim_templates().count() > 0) {
    spec.push_back(
        {"volumes", [&](JsonWriter& out) { write_volumes(out, set, version.pod_template, name); }});
  }
  return pods::pod_body(version.pod_template,
                        {.name = name,
                         .generate_name = pods::pod_name_prefix(set.name()),
                         .labels = {{std::string(kPodNameLabel), name},
                                    {std::string(kPodIndexLabel), std::to_string(ordinal)},
                                    {std::string(kRevisionLabel), std::string(version.name)}}},
                        owner_identity(set), spec);
}

std::string claim_body(const StatefulSet& set, Value claim_template, std::string_view pod) {
  const std::array metadata = {
      pods::Replacement{
          "name",
          [&](JsonWriter& out) { out.string(claim_name(template_name(claim_template), pod)); }},
      pods::Replacement{"namespace", [&](JsonWriter& out) { out.string(set.ns()); }},
      pods::Replacement{"labels",
                        [&](JsonWriter& out) { write_claim_labels(out, set, claim_template); }}};
  const std::array object = {
      pods::Replacement{
          "apiVersion",
          [](JsonWriter& out) { out.string(PersistentVolumeClaim::kResource.api_version()); }},
      pods::Replacement{"kind",
                        [](JsonWriter& out) { out.string(PersistentVolumeClaim::kResource.kind); }},
      pods::Replacement{"metadata", [&](JsonWriter& out) {
                          pods::rewrite_object(out, claim_template[&Names::metadata], metadata);
                        }}};
  JsonWriter out;
  pods::rewrite_object(out, claim_template, object);
  return std::move(out).text();
}

}  // namespace davit::statefulset
