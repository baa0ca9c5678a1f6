#include <davit/writes.hpp>

namespace davit::detail {

void PatchWriter::operator()(std::string_view name, const draft::Metadata& wanted) {
  out_.key(name).begin_object();
  writer_("labels", wanted.labels);
  writer_("annotations", wanted.annotations);
  bool lists = false;
  if (!followed(&draft::Metadata::owners, wanted)) {
    out_.key("ownerReferences").begin_array();
    for (const Value each : live_.owner_references().elements()) {
      if (!names(wanted.owners, OwnerReference(each).uid())) out_.value(each);
    }
    for (const draft::Owner& each : wanted.owners.items()) out_.raw(json_of(each));
    out_.end_array();
    lists = true;
  }
  if (!followed(&draft::Metadata::finalizers, wanted)) {
    out_.key("finalizers").begin_array();
    for (const Value each : live_.metadata()[&Names::finalizers].elements()) out_.value(each);
    for (const draft::Text& each : wanted.finalizers.items()) {
      if (!live_.has_finalizer(each.view())) out_.string(each.view());
    }
    out_.end_array();
    lists = true;
  }
  // A list is replaced as a whole: entries that others added since must not be lost.
  if (lists) out_.member("resourceVersion", live_.resource_version());
  out_.end_object();
}

bool PatchWriter::names(const draft::List<draft::Owner>& owners, std::string_view uid) {
  for (const draft::Owner& each : owners.items()) {
    if (each.uid.view() == uid) return true;
  }
  return false;
}

std::string finalizer_patch(const ObjectView& object, std::string_view removed,
                            std::string_view added) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  // The version makes sure that no finalizer that others added since is lost.
  body.member("resourceVersion", object.resource_version()).key("finalizers").begin_array();
  for (const Value each : object.metadata()[&Names::finalizers].elements()) {
    if (each.string() != removed) body.value(each);
  }
  if (!added.empty()) body.string(added);
  body.end_array().end_object().end_object();
  return std::move(body).text();
}

}  // namespace davit::detail

namespace davit {

bool set_condition(ConditionList& conditions, Condition condition, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const Condition* present = conditions.find(condition.type);
  const bool same_status = present != nullptr && present->status == condition.status;
  condition.last_transition_time =
      same_status ? present->last_transition_time : std::optional<WallTime>(seconds);
  return conditions.replace(std::move(condition));
}

}  // namespace davit
