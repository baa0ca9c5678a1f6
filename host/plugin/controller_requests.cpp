#include "host/plugin/controller_requests.hpp"

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <utility>

#include "host/api/abi_request.hpp"
#include "host/api/request_builder.hpp"
#include "host/cache/write_tracker.hpp"
#include "host/object/api_status.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/rights.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// The RBAC verb; empty for a number that is none of DAVIT_GET … DAVIT_DELETE_COLLECTION.
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

bool is_delete(std::int32_t verb) {
  return verb == DAVIT_DELETE || verb == DAVIT_DELETE_COLLECTION;
}

ApiRequest to_api_request(const davit_request& from) {
  ApiRequest to;
  to.verb = api_verb(from.verb);
  to.path = ResourcePath{std::string(view(from.group)),    std::string(view(from.version)),
                         std::string(view(from.resource)), std::string(view(from.subresource)),
                         std::string(view(from.ns)),       std::string(view(from.name))};
  to.body = view(from.body);
  to.query = view(from.query);
  to.patch_type = api_patch(from.patch_type);
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

bool is_write(std::int32_t verb) { return verb != DAVIT_GET && verb != DAVIT_LIST; }

/// Numbers that abi.h does not define are refused, because they could mean anything.
Status check_form(const davit_request& request) {
  const auto unknown = [](const char* what, std::int32_t number) {
    return Status(Code::kMisuse, std::string("unknown ") + what + " " + std::to_string(number));
  };
  if (rbac_verb(request.verb).empty()) return unknown("verb", request.verb);
  if (request.verb == DAVIT_PATCH &&
      (request.patch_type < DAVIT_PATCH_JSON || request.patch_type > DAVIT_PATCH_APPLY)) {
    return unknown("patch type", request.patch_type);
  }
  if (is_delete(request.verb) && (request.propagation < DAVIT_PROPAGATION_DEFAULT ||
                                  request.propagation > DAVIT_PROPAGATION_FOREGROUND)) {
    return unknown("propagation", request.propagation);
  }
  if (request.answer < DAVIT_ANSWER_OBJECT || request.answer > DAVIT_ANSWER_METADATA) {
    return unknown("answer", request.answer);
  }
  return {};
}

/// The attributes of the request for the server's authorizer. Borrows from it.
RequestAttributes attributes_of(const davit_request& request, std::string_view selected) {
  RequestAttributes made;
  made.verb = rbac_verb(request.verb);
  made.group = view(request.group);
  made.resource = view(request.resource);
  made.subresource = view(request.subresource);
  made.ns = view(request.ns);
  made.name = request.verb == DAVIT_LIST ? selected : view(request.name);
  return made;
}

/// Why no rule allows the request, and the rule that the note lacks.
std::string undeclared_text(const std::string& controller, const RequestAttributes& asked,
                            const std::string& what) {
  JsonText rule('{');
  rule.text("group", asked.group).text("resource", asked.resource);
  if (!asked.subresource.empty()) rule.text("subresource", asked.subresource);
  rule.texts("verbs", {std::string(asked.verb)});
  return "the plugin declares no rule for " + std::string(asked.verb) + " of " + what +
         " in group \"" + std::string(asked.group) + "\": \"rules\" of " + controller +
         " in its note need " + rule.str();
}

/// The namespaces and names to which the rules and watches of that resource are limited; empty:
/// they are not.
std::string limits_text(const DeclaredController& declared, const RequestAttributes& asked) {
  std::string out;
  const auto add = [&out](const char* what, const std::vector<std::string>& limit) {
    if (limit.empty()) return;
    constexpr std::size_t kShown = 5;
    out += std::string("; one that is there has the ") + what + " ";
    for (std::size_t i = 0; i < std::min(limit.size(), kShown); ++i) {
      out += (i == 0 ? "" : ", ") + limit[i];
    }
    if (limit.size() > kShown) out += " and " + std::to_string(limit.size() - kShown) + " more";
  };
  for (const DeclaredRule& rule : declared.rules) {
    DeclaredRule wide = rule;
    wide.namespaces.clear();
    wide.resource_names.clear();
    if (!allows(wide, asked)) continue;
    add("namespaces", rule.namespaces);
    add("resourceNames", rule.resource_names);
  }
  for (const DeclaredWatch& watch : declared.watches) {
    DeclaredWatch wide = watch;
    wide.namespaces.clear();
    if (allows(wide, asked)) add("namespaces", watch.namespaces);
  }
  return out;
}

/// Whether a write that did not succeed may have been applied all the same.
bool is_lost(const ApiResponse& response) {
  constexpr int kGatewayTimeout = 504;  // The server gave up waiting for its storage or a webhook.
  if (response.status.ok()) return false;
  if (response.http_status != 0) {
    return response.http_status / 100 == 2 || response.http_status == kGatewayTimeout;
  }
  const bool unsent = response.broken == Break::kRefused || response.broken == Break::kResolve ||
                      response.broken == Break::kTls;
  return response.status.code() == Code::kUnavailable && !unsent;
}

ApiResponse refused(int http_status, const char* reason, const std::string& message) {
  ApiResponse response;
  response.http_status = http_status;
  response.status = api_status(JsonText('{')
                                   .text("kind", "Status")
                                   .text("apiVersion", "v1")
                                   .text("status", "Failure")
                                   .text("reason", reason)
                                   .text("message", message)
                                   .number("code", http_status)
                                   .str());
  return response;
}

ApiResponse granted(int http_status, std::string body) {
  ApiResponse response;
  response.http_status = http_status;
  response.body = std::move(body);
  return response;
}

/// The created object as the server would send it: with a name, a UID and a version.
std::string created(const ApiRequest& request, Value body, const std::string& unique) {
  const Value asked = body["metadata"];
  std::string name(asked["name"].string());
  if (name.empty()) name = std::string(asked["generateName"].string()) + unique;
  JsonText metadata('{');
  asked.each_member([&](std::string_view key, Value value) {
    if (key != "name" && key != "namespace") metadata.raw(key, value.json());
  });
  metadata.text("name", name);
  if (!request.path.ns.empty()) metadata.text("namespace", request.path.ns);
  metadata.text("uid", "shadow-" + unique).text("resourceVersion", "0").number("generation", 1);
  JsonText object('{');
  body.each_member([&](std::string_view key, Value value) {
    if (key != "metadata") object.raw(key, value.json());
  });
  return object.raw("metadata", metadata.str()).str();
}

}  // namespace

ControllerRequests::ControllerRequests(const ControllerHostOptions& options,
                                       const HostServices& services, const Logger& log,
                                       const ControllerInformers& informers,
                                       IntendedWrites& intended)
    : options_(options),
      services_(services),
      log_(log),
      informers_(informers),
      intended_(intended),
      client_(services.transport, services.clock, services.metrics, log,
              RestOptions{.rate = options.rate,
                          .user_agent = user_agent(options.declared.client_name),
                          .write_gate = options.write_gate,
                          .dry_run = options.dry_run,
                          .on_success = options.on_success,
                          .failure_backoff = options.failure_backoff}) {
  const std::array<std::string, 1> metadata = {"metadata"};
  metadata_mask_ = services.space.add_keep_projection(metadata).value_or(kFullMask);
}

Status ControllerRequests::check_rights(const davit_request& request) const {
  if (options_.declared.is_unlimited) return {};
  const DeclaredController& declared = options_.declared;
  const std::string selector = request.verb == DAVIT_LIST
                                   ? query_parameter(view(request.query), "fieldSelector")
                                   : std::string();
  const RequestAttributes asked = attributes_of(request, selected_name(selector));
  const auto any = [](const auto& list, const auto& matches) {
    return std::any_of(list.begin(), list.end(), matches);
  };
  const auto allowed = [&](const auto& each) { return allows(each, asked); };
  std::string what(asked.resource);
  if (!asked.subresource.empty()) what.append("/").append(asked.subresource);
  if (!any(declared.watches, allowed) && !any(declared.rules, allowed) && !mutant("rights")) {
    return Status(Code::kUndeclared,
                  undeclared_text(declared.name, asked, what) + limits_text(declared, asked));
  }
  const auto projects = [&](const DeclaredWatch& watch) {
    return watch.group == asked.group && watch.resource == asked.resource &&
           !watch.projection.empty();
  };
  // A PUT to "scale" has a Scale, of which nothing was read through a projection.
  const bool is_whole = request.verb == DAVIT_UPDATE && asked.subresource != "scale";
  if (is_whole && any(declared.watches, projects)) {
    return Status(Code::kUndeclared, "PUT of " + what +
                                         " refused: the controller reads it through a projection, "
                                         "so fields would be lost; patch it");
  }
  return {};
}

Status ControllerRequests::check_dependants(const davit_request& request) const {
  if (request.verb != DAVIT_CREATE || !view(request.subresource).empty()) return {};
  for (const OpenedInformer* opened : informers_.of(view(request.group), view(request.resource))) {
    const Store& store = opened->informer->store();
    if (store.skipped_count() == 0) continue;
    const Result<ObjectRef> body = parse_object(services_.space, view(request.body));
    const std::string_view owner = body ? controller_uid(**body) : std::string_view();
    if (owner.empty()) return {};
    const std::optional<SkippedObject> lacking = store.lacking(owner);
    if (!lacking) continue;
    return Status(Code::kUnavailable,
                  "create of " + opened->resource.text() + " refused: " + lacking->identity.name +
                      " has the same controlling owner and cannot be read (" + lacking->why +
                      "), so it may be counted as missing; change or delete it");
  }
  return {};
}

void ControllerRequests::send(std::span<const davit_request> requests,
                              std::span<davit_response> responses, CallFrame& frame) {
  std::vector<ApiRequest> outgoing;
  std::vector<std::size_t> places;
  outgoing.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Status refused = check_form(requests[i]);
    if (refused.ok()) refused = check_rights(requests[i]);
    if (refused.ok()) refused = check_dependants(requests[i]);
    ApiRequest request = to_api_request(requests[i]);
    // Here as well as where it is sent: a shadow's writes come no further.
    if (refused.ok()) refused = check_request(request);
    if (!refused.ok()) {
      log_.warning("A request was refused before it was sent", {{"err", refused.message()}});
      if (services_.observer != nullptr) {
        services_.observer->refused(options_.declared.name, refused.message());
      }
      ApiResponse response;
      response.status = std::move(refused);
      respond(requests[i], std::move(response), responses[i], frame);
      continue;
    }
    if (is_write(requests[i].verb)) {
      if (std::optional<ApiResponse> instead = intend(request)) {
        respond(requests[i], std::move(*instead), responses[i], frame);
        continue;
      }
    }
    outgoing.push_back(std::move(request));
    places.push_back(i);
  }
  if (outgoing.empty()) return;
  if (outgoing.size() == 1) {
    const std::size_t place = places.front();
    respond(requests[place], client_.call(outgoing.front(), frame.stop()), responses[place], frame);
    return;
  }
  std::vector<ApiResponse> received = client_.batch(outgoing, frame.stop());
  for (std::size_t i = 0; i < received.size(); ++i) {
    respond(requests[places[i]], std::move(received[i]), responses[places[i]], frame);
  }
}

void ControllerRequests::respond(const davit_request& request, ApiResponse from, davit_response& to,
                                 CallFrame& frame) {
  const std::uint32_t size = to.size;
  to = davit_response{};
  to.size = size;
  to.http_status = from.http_status;
  to.code = static_cast<davit_code>(from.status.code());
  if (from.status.code() == Code::kCancelled) frame.note_cancelled();
  if (const ApiDetail* detail = from.status.detail(); detail != nullptr) {
    to.reason = frame.lend(detail->reason);
    to.causes = frame.lend(joined_causes(*detail));
    to.retry_after_ms = detail->retry_after_ms;
  }
  const bool writes = is_write(request.verb) && options_.dry_run == DryRun::kOff &&
                      intended_.mode() != IntendedWrites::Mode::kSimulate;
  if (!from.status.ok()) {
    frame.keep_failure(from.status);
    if (writes && is_lost(from)) note_lost(request, frame);
    to.message = frame.lend(from.status.message());
    return;
  }
  const bool whole = request.answer == DAVIT_ANSWER_OBJECT || is_delete(request.verb) ||
                     request.verb == DAVIT_LIST;
  ParseOptions options;
  options.keep_mask = whole ? kFullMask : metadata_mask_;
  Result<ObjectRef> parsed = parse_object(services_.space, from.body, options);
  if (!parsed) {
    // The write was applied all the same: only its response cannot be read.
    if (writes) note_lost(request, frame);
    const Status malformed(Code::kInternal,
                           "the server's response is malformed: " + parsed.error().message());
    frame.keep_failure(malformed);
    to.code = DAVIT_INTERNAL;
    to.message = frame.lend(malformed.message());
    return;
  }
  if (writes && request.verb == DAVIT_DELETE_COLLECTION) {
    // The deleted objects are not known for certain, so the caches are compared with the server.
    note_lost(request, frame);
  } else if (writes) {
    note_write(request, *parsed, frame);
  }
  const bool is_status = parsed->root()["kind"].string() == "Status";
  if (!is_status) to.object = frame.lend(*parsed, kFullMask);
}

void ControllerRequests::note_write(const davit_request& request, const ObjectRef& answer,
                                    const CallFrame& frame) {
  if (frame.writes() == nullptr) return;
  const Metadata meta = metadata(*answer);
  WrittenObject written{meta.ns, meta.name, meta.uid, meta.resource_version};
  const Value root = answer.root();
  if (request.verb == DAVIT_DELETE && root["kind"].string() == "Status") {
    written = {view(request.ns), view(request.name), root["details"]["uid"].string(), {}};
    if (written.uid.empty()) written.uid = view(request.precondition_uid);
  }
  const Time now = services_.clock.now();
  for (const OpenedInformer* each : informers_.of(view(request.group), view(request.resource))) {
    if (request.verb == DAVIT_DELETE) {
      frame.writes()->note_delete(frame.writer(), *each->informer, written, now);
    } else {
      frame.writes()->note_write(frame.writer(), *each->informer, written, now);
    }
  }
}

void ControllerRequests::note_lost(const davit_request& request, const CallFrame& frame) {
  if (frame.writes() == nullptr) return;
  const Time now = services_.clock.now();
  for (const OpenedInformer* each : informers_.of(view(request.group), view(request.resource))) {
    frame.writes()->note_lost(frame.writer(), *each->informer, now);
  }
}

/// The object of a write, as the caches of this controller show it.
struct ControllerRequests::CacheView {
  enum class Cache { kBlind, kSees };
  Cache cache = Cache::kBlind;  // An informer of the whole collection would have the object.
  ObjectRef object;
};

ControllerRequests::CacheView ControllerRequests::look(const ResourcePath& path,
                                                       std::string_view name) const {
  CacheView view;
  for (const OpenedInformer* opened : informers_.of(path.group, path.resource)) {
    if (opened->informer == nullptr || name.empty()) continue;
    if (opened->label_selector.empty() && opened->field_selector.empty()) {
      view.cache = CacheView::Cache::kSees;
    }
    if (ObjectRef found = opened->informer->store().get(path.ns, name)) view.object = found;
  }
  return view;
}

std::optional<ApiResponse> ControllerRequests::intend(const ApiRequest& request) {
  const IntendedWrites::Mode mode = intended_.mode();
  if (mode == IntendedWrites::Mode::kOff) return std::nullopt;
  ObjectRef body;
  if (request.verb == Verb::kCreate) {
    body = parse_object(services_.space, request.body).value_or(ObjectRef());
  }
  std::string name = request.path.name;
  const Value metadata = body.root()["metadata"];
  if (name.empty()) name = metadata["name"].string();
  const std::string prefix(metadata["generateName"].string());
  intended_.note(intended_write(request, name.empty() ? prefix + "*" : name),
                 services_.clock.now());
  if (mode == IntendedWrites::Mode::kRecord) return std::nullopt;

  // A create of a subresource, as an eviction is, is about an object that is there.
  const bool creates = request.verb == Verb::kCreate && request.path.subresource.empty();
  const CacheView view = look(request.path, name);
  const std::string what = request.path.resource + " \"" + name + "\"";
  if (creates) {
    if (view.object) return refused(409, "AlreadyExists", what + " already exists");
    if (!body) return refused(400, "BadRequest", "the body is not an object");
    return granted(201, created(request, body.root(), std::to_string(services_.random.next())));
  }
  if (!view.object && view.cache == CacheView::Cache::kSees) {
    return refused(404, "NotFound", what + " not found");
  }
  if (is_delete(request.verb) || request.verb == Verb::kCreate) {
    return granted(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  }
  if (request.verb == Verb::kUpdate) return granted(200, request.body);
  // As it is, without the patch: a controller that reads on reads it from the cache.
  std::string present = view.object ? view.object.root().json() : std::string();
  if (present.empty()) {
    present = JsonText('{')
                  .raw("metadata", JsonText('{')
                                       .text("name", request.path.name)
                                       .text("namespace", request.path.ns)
                                       .text("resourceVersion", "0")
                                       .str())
                  .str();
  }
  return granted(200, std::move(present));
}

}  // namespace davit::host
