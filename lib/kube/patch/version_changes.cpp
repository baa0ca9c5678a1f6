#include "lib/kube/patch/version_changes.hpp"

namespace davit {

Result<VersionedForm> in_version(const Json& object, const std::string& api_version,
                                 const Message* schema, const FieldManager& manager) {
  if (manager.convert == nullptr || object.is_null()) return VersionedForm{object, schema};
  const bool is_own = api_version == manager.api_version;
  if (is_own && object.text_at({"apiVersion"}) == api_version) return VersionedForm{object, schema};
  Result<VersionedForm> out = manager.convert(object, api_version);
  if (out && is_own) out->schema = schema;
  return out;
}

VersionChanges::VersionChanges(const Json& before, const Json& after, const Message* schema,
                               const FieldManager& manager)
    : before_(before),
      after_(after),
      schema_(schema),
      manager_(manager),
      own_(compare_objects(before, after, schema, manager.reset_fields)) {}

Result<const Comparison*> VersionChanges::in(const std::string& api_version) {
  if (manager_.convert == nullptr || api_version == manager_.api_version) return &own_;
  const auto known = others_.find(api_version);
  if (known != others_.end()) return &known->second;
  const Comparison* const none = nullptr;
  const Result<VersionedForm> after = in_version(after_, api_version, schema_, manager_);
  if (!after && after.error().code() == Code::kNotFound) return none;
  if (!after) return after.error();
  const Result<VersionedForm> before = in_version(before_, api_version, schema_, manager_);
  if (!before) return before.error();
  const Comparison& made =
      others_
          .emplace(api_version, compare_objects(before->object, after->object, after->schema,
                                                manager_.reset_fields))
          .first->second;
  return &made;
}

}  // namespace davit
