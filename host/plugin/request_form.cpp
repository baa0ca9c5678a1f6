#include "host/plugin/request_form.hpp"

#include <algorithm>
#include <davit/percent_code.hpp>
#include <string>
#include <utility>

#include "host/api/abi_request.hpp"
#include "host/api/request_builder.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/received.hpp"

namespace davit::host {
namespace {

/// Parameters that have a member of their own, and that member.
constexpr std::pair<std::string_view, std::string_view> kMembers[] = {
    {"fieldManager", "field_manager"},
    {"force", "force"},
    {"limit", "limit"},
    {"continue", "continue_token"}};

constexpr std::size_t kFieldManagerBytesMax = 128;  // The server's limit.

bool owns_fields(std::int32_t verb) {
  return verb == DAVIT_CREATE || verb == DAVIT_UPDATE || verb == DAVIT_PATCH;
}

bool is_apply(const davit_request& request) {
  return request.verb == DAVIT_PATCH && request.patch_type == DAVIT_PATCH_APPLY;
}

Status misuse(std::string text) { return {Code::kMisuse, std::move(text)}; }

Status check_numbers(const davit_request& request) {
  const auto unknown = [](const char* what, std::int32_t number) {
    return misuse(std::string("unknown ") + what + " " + std::to_string(number));
  };
  if (rbac_verb(request.verb).empty()) return unknown("verb", request.verb);
  if (request.verb == DAVIT_PATCH &&
      (request.patch_type < DAVIT_PATCH_JSON || request.patch_type > DAVIT_PATCH_APPLY)) {
    return unknown("patch type", request.patch_type);
  }
  const bool deletes = request.verb == DAVIT_DELETE || request.verb == DAVIT_DELETE_COLLECTION;
  if (deletes && (request.propagation < DAVIT_PROPAGATION_DEFAULT ||
                  request.propagation > DAVIT_PROPAGATION_FOREGROUND)) {
    return unknown("propagation", request.propagation);
  }
  if (request.answer < DAVIT_ANSWER_OBJECT || request.answer > DAVIT_ANSWER_METADATA) {
    return unknown("answer", request.answer);
  }
  if (request.priority < DAVIT_PRIORITY_NORMAL || request.priority > DAVIT_PRIORITY_LOW) {
    return unknown("priority", request.priority);
  }
  if (request.force != 0 && request.force != 1) return unknown("force", request.force);
  return {};
}

/// The server would refuse these, or ignore them without a word.
Status check_members(const davit_request& request) {
  const std::string_view manager = view(request.field_manager);
  if (!manager.empty() && !owns_fields(request.verb)) {
    return misuse("field_manager is for create, update and patch");
  }
  const bool printable = std::all_of(manager.begin(), manager.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  if (manager.size() > kFieldManagerBytesMax || !printable) {
    return misuse("field_manager must have at most 128 bytes, all of them printable");
  }
  if (request.force != 0 && !is_apply(request)) return misuse("force is for DAVIT_PATCH_APPLY");
  const bool pages = request.limit != 0 || !view(request.continue_token).empty();
  if (pages && request.verb != DAVIT_LIST) return misuse("limit and continue_token are for lists");
  if (request.raw != nullptr && request.verb != DAVIT_GET && request.verb != DAVIT_LIST) {
    return misuse("raw is for get and list");
  }
  if (request.raw != nullptr && received(request.raw).write == nullptr) {
    return misuse("raw has no write()");
  }
  for (const auto& [parameter, member] : kMembers) {
    if (has_query_parameter(view(request.query), parameter)) {
      return misuse("the query has \"" + std::string(parameter) + "\": set the member " +
                    std::string(member) + " of the request instead");
    }
  }
  return {};
}

RequestPriority priority_of(std::int32_t priority) {
  switch (priority) {
    case DAVIT_PRIORITY_HIGH:
      return RequestPriority::kHigh;
    case DAVIT_PRIORITY_LOW:
      return RequestPriority::kLow;
    default:
      return RequestPriority::kNormal;
  }
}

std::string query_of(const davit_request& from, std::string_view client_name) {
  std::string query(view(from.query));
  const auto add = [&query](const char* name, std::string_view value) {
    if (value.empty()) return;
    if (!query.empty()) query += '&';
    query.append(name).append("=").append(percent_escaped(value, "-._~"));
  };
  std::string_view manager = view(from.field_manager);
  if (manager.empty() && is_apply(from)) manager = client_name.substr(0, kFieldManagerBytesMax);
  add("fieldManager", manager);
  if (from.force != 0) add("force", "true");
  if (from.limit != 0) add("limit", std::to_string(from.limit));
  add("continue", view(from.continue_token));
  return query;
}

}  // namespace

std::string_view rbac_verb(std::int32_t verb) {
  switch (verb) {
    case DAVIT_GET:
      return "get";
    case DAVIT_LIST:
      return "list";
    case DAVIT_CREATE:
      return "create";
    case DAVIT_UPDATE:
      return "update";
    case DAVIT_PATCH:
      return "patch";
    case DAVIT_DELETE:
      return "delete";
    case DAVIT_DELETE_COLLECTION:
      return "deletecollection";
    default:
      return "";
  }
}

Status check_form(const davit_request& request) {
  if (Status s = check_numbers(request); !s.ok()) return s;
  return check_members(request);
}

ApiRequest to_api_request(const davit_request& from, std::string_view client_name) {
  ApiRequest to;
  to.verb = api_verb(from.verb);
  to.path = ResourcePath{std::string(view(from.group)),    std::string(view(from.version)),
                         std::string(view(from.resource)), std::string(view(from.subresource)),
                         std::string(view(from.ns)),       std::string(view(from.name))};
  to.body = view(from.body);
  to.query = query_of(from, client_name);
  to.patch_type = api_patch(from.patch_type);
  to.priority = priority_of(from.priority);
  if (from.answer == DAVIT_ANSWER_METADATA) {
    const bool one = from.verb != DAVIT_LIST && from.verb != DAVIT_DELETE_COLLECTION;
    to.accept = one ? kAcceptMetadata : kAcceptMetadataList;
  }
  to.delete_options.propagation = api_propagation(from.propagation);
  if (from.has_grace_seconds != 0) to.delete_options.grace_seconds = from.grace_seconds;
  to.delete_options.uid = view(from.precondition_uid);
  to.delete_options.resource_version = view(from.precondition_resource_version);
  // Longer than the 34 s after which the server itself ends a write, with all its webhooks. It does
  // not learn of a default, as of none of client-go's: it would give the webhooks less time.
  constexpr std::uint64_t kDefaultTimeoutMs = 40'000;
  constexpr std::uint64_t kMostTimeoutMs = 10 * 60 * 1000;
  to.timeout = std::chrono::milliseconds(
      std::min(from.timeout_ms == 0 ? kDefaultTimeoutMs : from.timeout_ms, kMostTimeoutMs));
  to.server_knows_timeout = from.timeout_ms != 0;
  return to;
}

}  // namespace davit::host
