#include "sandbox/policy/write_view.hpp"

#include <algorithm>
#include <utility>

#include "sandbox/policy/admission_request.hpp"
#include "sandbox/policy/match_resources.hpp"
#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

cel::AccessCheck access_check(const Authorizer& authorizer) {
  return [&authorizer](const cel::AccessQuestion& question) {
    const AccessAttributes what{.verb = question.verb,
                                .resource = question.is_resource,
                                .group = question.group,
                                .version = "*",
                                .name_of_resource = question.resource,
                                .subresource = question.subresource,
                                .ns = question.ns,
                                .name = question.name,
                                .path = question.path};
    const Access access = authorizer.authorize(question.who, what);
    return cel::AccessVerdict{access.allowed(), access.reason, ""};
  };
}

/// The namespace of the object; nothing for objects without one, and for Namespaces.
std::optional<Json> namespace_object(const JudgedWrite& write, const Store& store) {
  if (write.ns.empty()) return std::nullopt;
  const VersionPtr found = store.get({"", "namespaces"}, "", write.ns);
  if (found == nullptr) return std::nullopt;
  Json out = found->json();
  out.erase("apiVersion");
  out.erase("kind");
  out["metadata"].erase("managedFields");
  return out;
}

cel::AccessQuestion own_question(const JudgedWrite& write, const UserInfo& who) {
  cel::AccessQuestion own;
  own.who = who;
  own.group = write.resource.group;
  own.resource = write.resource.name;
  own.subresource = write.subresource;
  own.ns = namespace_of(write);
  own.name = write.name;
  return own;
}

}  // namespace

void add_warning(std::vector<std::string>& warnings, std::string text) {
  // No header has such a text.
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(text, is_control)) return;
  if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
}

std::optional<Json> WriteView::form_of(const Json* object, const JudgedWrite& write,
                                       const Resource& matched, const RestParts& parts) {
  if (object == nullptr) return std::nullopt;
  // Only what has the kind of the resource has its versions.
  const Subresource* const part =
      write.subresource.empty() ? nullptr : write.resource.subresource(write.subresource);
  if (part != nullptr && !part->kind.empty()) return *object;
  ApiResult<Json> converted = convert(parts, *object, matched);
  if (converted) return std::move(*converted);
  failure_ = internal_failure(converted.error().message);
  return *object;
}

WriteView::WriteView(const JudgedWrite& write, const Resource& matched,
                     const PolicyContext& context, const Store& store)
    : object_(form_of(write.object, write, matched, context.parts)),
      old_(form_of(write.old, write, matched, context.parts)),
      request_(admission_request(write, matched, context.who,
                                 request_options(context.call, write.operation))),
      space_(namespace_object(write, store)),
      check_(access_check(context.authorizer)) {
  values_.object = object_ ? &*object_ : nullptr;
  values_.old_object = old_ ? &*old_ : nullptr;
  values_.request = &request_;
  values_.namespace_object = space_ ? &*space_ : nullptr;
  values_.authorizer = cel::authorizer_value(context.who, check_);
  values_.request_resource = cel::resource_check_value(own_question(write, context.who), check_);
}

}  // namespace davit::sandbox
