#include "host/plugin/controller_requests.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <davit/mutant.hpp>
#include <map>
#include <utility>

#include "host/api/expected_kind.hpp"
#include "host/api/request_builder.hpp"
#include "host/cache/write_tracker.hpp"
#include "host/journal/controller_journal.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/journaled_write.hpp"
#include "host/plugin/received.hpp"
#include "host/plugin/request_form.hpp"
#include "host/plugin/rights.hpp"
#include "lib/kube/required_name.hpp"

namespace davit::host {
namespace {

constexpr int kHttpOk = 200;

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
std::string undeclared_text(const DeclaredController& declared, const RequestAttributes& asked,
                            const std::string& what) {
  return "the plugin declares no rule for " + std::string(asked.verb) + " of " + what +
         " in group \"" + std::string(asked.group) + "\": \"rules\" of " + declared.name +
         " in its note need " + missing_rule(declared, asked, {std::string(asked.verb)});
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
  // The server, its storage, a webhook or a proxy gave up, before or after the write.
  constexpr int kServerErrors = 500;
  if (response.status.ok()) return false;
  if (response.has_unclear_attempt) return true;
  if (response.http_status != 0) {
    const bool is_unclear = response.http_status >= kServerErrors && !mutant("unclear-write");
    return response.http_status / 100 == 2 || is_unclear;
  }
  const bool unsent = response.broken == Break::kRefused || response.broken == Break::kResolve ||
                      response.broken == Break::kTls;
  return response.status.code() == Code::kUnavailable && !unsent;
}

bool is_status(const ObjectRef& object) { return object.root()["kind"].string() == "Status"; }

/// Records the span of a request that was sent.
void trace_request(const ApiRequest& request, const ApiResponse& response, const CallFrame& frame) {
  if (frame.trace() != nullptr && response.began != Time{}) frame.trace()->ended(request, response);
}

ApiResponse unsent(const Status& why) {
  ApiResponse response;
  response.status = why;
  return response;
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
                          .user_agent = options.user_agent.empty()
                                            ? user_agent(options.declared.client_name)
                                            : options.user_agent,
                          .field_manager = options.field_manager,
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
  const RequestAttributes asked = attributes_of(request, required_name(selector));
  const auto any = [](const auto& list, const auto& matches) {
    return std::any_of(list.begin(), list.end(), matches);
  };
  const auto allowed = [&](const auto& each) { return allows(each, asked); };
  std::string what(asked.resource);
  if (!asked.subresource.empty()) what.append("/").append(asked.subresource);
  if (!any(declared.watches, allowed) && !any(declared.rules, allowed) && !mutant("rights")) {
    return Status(Code::kUndeclared,
                  undeclared_text(declared, asked, what) + limits_text(declared, asked));
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

Result<ApiRequest> ControllerRequests::prepare(const davit_request& request, Sink sink,
                                               CallFrame& frame) const {
  Status refused = check_form(request);
  if (refused.ok() && request.raw != nullptr && sink == Sink::kRefused) {
    refused = Status(Code::kMisuse, "raw is for a single call()");
  }
  if (refused.ok()) refused = check_rights(request);
  if (refused.ok()) refused = check_dependants(request);
  ApiRequest made = to_api_request(request, options_.declared.client_name);
  // Here as well as where it is sent: a shadow's writes come no further.
  if (refused.ok()) refused = check_request(made);
  if (refused.ok()) {
    if (WorkTrace* const trace = frame.trace()) made.traceparent = trace->traceparent();
    if (!is_built_in_group(made.path.group))
      made.catalog = known_catalog(services_.discovery, frame.stop());
    return made;
  }
  frame.log_refusal(log_, refused);
  if (services_.observer != nullptr) {
    services_.observer->refused(options_.declared.name, refused.message());
  }
  return refused;
}

void ControllerRequests::call(const davit_request& request, davit_response& response,
                              CallFrame& frame) {
  const Result<ApiRequest> made = prepare(request, Sink::kAllowed, frame);
  if (!made) return frame.keep(respond({}, unsent(made.error()), response, frame));
  if (request.raw != nullptr) return stream(*made, *request.raw, response, frame);
  std::optional<ApiResponse> received = intend(*made);
  const AwaitedRequest awaited(frame.journal(), services_.clock, &*made);
  if (!received) received = client_.call(*made, frame.stop());
  frame.keep(respond(*made, std::move(*received), response, frame));
}

void ControllerRequests::batch(std::span<const davit_request> requests,
                               std::span<davit_response> responses, CallFrame& frame) {
  std::vector<ApiRequest> outgoing;
  std::vector<std::size_t> places;
  outgoing.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Result<ApiRequest> made = prepare(requests[i], Sink::kRefused, frame);
    std::optional<ApiResponse> instead;
    if (!made) {
      instead = unsent(made.error());
    } else {
      instead = intend(*made);
    }
    if (instead) {
      const ApiRequest request = made.value_or(ApiRequest());
      frame.keep(respond(request, std::move(*instead), responses[i], frame));
      continue;
    }
    outgoing.push_back(*std::move(made));
    places.push_back(i);
  }
  const AwaitedRequest awaited(frame.journal(), services_.clock, nullptr);
  std::vector<ApiResponse> received = client_.batch(outgoing, frame.stop());
  for (std::size_t i = 0; i < received.size(); ++i) {
    frame.keep(respond(outgoing[i], std::move(received[i]), responses[places[i]], frame));
  }
}

/// A request for a plugin to fill. One that was built with a later header may write more than this
/// host reads, so there is room for that.
class RequestRoom {
 public:
  RequestRoom() {
    constexpr std::uint32_t kSize = sizeof(davit_request);
    std::memcpy(bytes_, &kSize, sizeof(kSize));
  }
  [[nodiscard]] davit_request* get() { return reinterpret_cast<davit_request*>(bytes_); }
  [[nodiscard]] davit_request filled() const {
    return received<davit_request>(bytes_, sizeof(davit_request));
  }

 private:
  alignas(davit_request) char bytes_[DAVIT_REQUEST_ROOM] = {};
};

/// A plugin's fan-out as the client's source. What the host answers itself never reaches the
/// client.
class ControllerRequests::FanOut final : public RequestSource {
 public:
  FanOut(ControllerRequests& requests, const davit_fan_out& plugin, CallFrame& frame)
      : requests_(requests), plugin_(plugin), frame_(frame) {}

  std::optional<ApiRequest> next() override {
    while (ended_ == DAVIT_OK) {
      if (frame_.stop().stop_requested()) {
        end(DAVIT_CANCELLED);
        break;
      }
      RequestRoom asked;
      const davit_code code = plugin_.next(plugin_.self, frame_.call(), made_, asked.get());
      if (code == DAVIT_NOT_FOUND) break;
      if (code != DAVIT_OK) {
        end(code);
        break;
      }
      const std::uint64_t index = made_++;
      Result<ApiRequest> made = requests_.prepare(asked.filled(), Sink::kRefused, frame_);
      if (!made) {
        deliver(index, {}, unsent(made.error()));
        continue;
      }
      if (std::optional<ApiResponse> instead = requests_.intend(*made)) {
        deliver(index, *made, std::move(*instead));
        continue;
      }
      Sent& sent = sent_[client_index_++];
      sent = {index, *made};
      sent.request.body.clear();  // No response needs it.
      return *std::move(made);
    }
    return std::nullopt;
  }

  void done(std::size_t index, ApiResponse response) override {
    const auto sent = sent_.extract(index);
    deliver(sent.mapped().index, sent.mapped().request, std::move(response));
  }

  [[nodiscard]] davit_code ended() const { return ended_; }

 private:
  struct Sent {
    std::uint64_t index = 0;  // The plugin's.
    ApiRequest request;
  };

  void deliver(std::uint64_t index, const ApiRequest& request, ApiResponse from) {
    davit_response to{};
    to.size = sizeof(to);
    const auto lent = requests_.respond(request, std::move(from), to, frame_);
    const davit_code code = plugin_.done(plugin_.self, frame_.call(), index, &to);
    end(code);
    if (to.code == DAVIT_CANCELLED) end(DAVIT_CANCELLED);
  }
  void end(davit_code code) {
    if (ended_ == DAVIT_OK) ended_ = code;
  }

  ControllerRequests& requests_;
  const davit_fan_out& plugin_;
  CallFrame& frame_;
  std::uint64_t made_ = 0;
  std::size_t client_index_ = 0;
  std::map<std::size_t, Sent> sent_;  // The key is the client's index.
  davit_code ended_ = DAVIT_OK;
};

davit_code ControllerRequests::fan_out(const davit_fan_out& plugin, CallFrame& frame) {
  constexpr std::size_t kAtOnceMax = DAVIT_FAN_OUT_AT_ONCE_MAX;
  FanOut source(*this, plugin, frame);
  const std::size_t at_once =
      plugin.at_once_max == 0 ? kAtOnceMax : std::size_t{plugin.at_once_max};
  const AwaitedRequest awaited(frame.journal(), services_.clock, nullptr);
  client_.fan_out(source, at_once, frame.stop());
  return source.ended();
}

void ControllerRequests::stream(const ApiRequest& request, const davit_sink& to,
                                davit_response& response, CallFrame& frame) {
  const davit_sink sink = received<davit_sink>(&to);
  ApiResponse ended;
  davit_code taken = DAVIT_OK;
  ended.began = services_.clock.now();
  ended.status = client_.stream(request, frame.stop(), [&](std::string_view chunk) {
    ended.http_status = kHttpOk;
    if (chunk.empty()) return Status();  // The server has accepted the request.
    taken = sink.write(sink.self, lend_view(chunk));
    if (taken == DAVIT_OK) return Status();
    return Status(Code::kInternal, "the receiver has ended the transfer");
  });
  ended.ended = services_.clock.now();
  if (ended.status.ok()) {
    trace_request(request, ended, frame);
    const std::uint32_t size = response.size;
    response = davit_response{};
    response.size = size;
    response.http_status = ended.http_status;
    return;
  }
  if (const ApiDetail* const detail = ended.status.detail()) {
    ended.http_status = detail->http_status;
  }
  frame.keep(respond(request, std::move(ended), response, frame));
  if (taken != DAVIT_OK) response.code = taken;
}

std::shared_ptr<const ControllerRequests::LentResponse> ControllerRequests::respond(
    const ApiRequest& request, ApiResponse from, davit_response& to, CallFrame& frame) {
  trace_request(request, from, frame);
  auto lent = std::make_shared<LentResponse>();
  const std::uint32_t size = to.size;
  to = davit_response{};
  to.size = size;
  to.http_status = from.http_status;
  to.code = static_cast<davit_code>(from.status.code());
  if (from.status.code() == Code::kCancelled) frame.note_cancelled();
  if (const ApiDetail* detail = from.status.detail(); detail != nullptr) {
    lent->reason = detail->reason;
    lent->causes = joined_causes(*detail);
    to.reason = lend_view(lent->reason);
    to.causes = lend_view(lent->causes);
    to.retry_after_ms = detail->retry_after_ms;
  }
  const bool writes = is_write(request.verb) && options_.dry_run == DryRun::kOff &&
                      intended_.mode() != IntendedWrites::Mode::kSimulate;
  const auto fail = [&](const Status& status) {
    frame.keep_failure(status);
    to.code = static_cast<davit_code>(status.code());
    lent->message = status.message();
    to.message = lend_view(lent->message);
  };
  if (!from.status.ok()) {
    record(request, from, {}, frame);
    // The resource may have another kind by now.
    if (request.catalog && from.http_status / 100 == 2) services_.discovery.doubt();
    if (writes && is_lost(from)) note_lost(request, frame);
    fail(from.status);
    return lent;
  }
  if (from.body.empty() && is_delete(request.verb)) {
    // The server has accepted the deletion, but not said what became of the object.
    record(request, from, {}, frame);
    if (writes) note_lost(request, frame);
    return lent;
  }
  const bool whole = request.accept != kAcceptMetadata || is_delete(request.verb);
  const ParseOptions options{.keep_mask = whole ? kFullMask : metadata_mask_};
  Result<ObjectRef> parsed = parse_object(services_.space, from.body, options);
  record(request, from, parsed.value_or(ObjectRef()), frame);
  if (!parsed) {
    // The write was applied all the same: only its response cannot be read.
    if (writes) note_lost(request, frame);
    fail(Status(Code::kUnavailable,
                "the server's response is malformed: " + parsed.error().message()));
    return lent;
  }
  if (writes && request.verb == Verb::kDeleteCollection) {
    // The deleted objects are not known for certain, so the caches are compared with the server.
    note_lost(request, frame);
  } else if (writes) {
    note_write(request, *parsed, frame);
  }
  lent->object = *std::move(parsed);
  if (!is_status(lent->object)) to.object = lent->object.root(kFullMask).raw;
  return lent;
}

void ControllerRequests::note_write(const ApiRequest& request, const ObjectRef& answer,
                                    const CallFrame& frame) {
  if (frame.writes() == nullptr || request.path.subresource == "token") return;
  const Metadata meta = metadata(*answer);
  WrittenObject written{meta.ns, meta.name, meta.uid, meta.resource_version};
  // An eviction is a deletion that budgets may refuse.
  const bool removes = request.verb == Verb::kDelete || request.path.subresource == "eviction";
  ObjectRef cached;
  if (is_status(answer)) {
    const Value details = answer.root()["details"];
    written = {request.path.ns, request.path.name, details["uid"].string(), {}};
    if (written.uid.empty()) written.uid = request.delete_options.uid;
    if (written.uid.empty()) cached = look(request.path, request.path.name).object;
    if (cached) written.uid = metadata(*cached).uid;
  }
  const bool names_state = removes ? !written.uid.empty() : !written.resource_version.empty();
  // The response does not say what to wait for, so the caches are compared with the server.
  if (!names_state && !mutant("unnamed-write")) return note_lost(request, frame);
  const Time now = services_.clock.now();
  for (const OpenedInformer* each : informers_.of(request.path.group, request.path.resource)) {
    if (removes) {
      frame.writes()->note_delete(frame.writer(), *each->informer, written, now);
    } else {
      frame.writes()->note_write(frame.writer(), *each->informer, written, now);
    }
  }
}

void ControllerRequests::note_lost(const ApiRequest& request, const CallFrame& frame) {
  if (frame.writes() == nullptr) return;
  const Time now = services_.clock.now();
  for (const OpenedInformer* each : informers_.of(request.path.group, request.path.resource)) {
    frame.writes()->note_lost(frame.writer(), *each->informer, now);
  }
}

CacheView ControllerRequests::look(const ResourcePath& path, std::string_view name) const {
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

void ControllerRequests::record(const ApiRequest& request, const ApiResponse& response,
                                ObjectRef answer, const CallFrame& frame) const {
  if (frame.journal() == nullptr || !is_write(request.verb)) return;
  Write write = describe_write(request, response, services_.clock.now());
  write.is_dry_run = options_.dry_run == DryRun::kServer || request.dry_run == DryRun::kServer;
  // The answer to an eviction is not the pod, and that to a delete often no object.
  const bool is_object = answer && !is_status(answer) &&
                         (request.verb != Verb::kCreate || request.path.subresource.empty());
  if (is_object) {
    write.version = metadata(*answer).resource_version;
  } else {
    answer = look(request.path, request.path.name).object;
  }
  if (!answer && request.verb == Verb::kCreate) {
    const ParseOptions options{.keep_mask = metadata_mask_};
    answer = parse_object(services_.space, request.body, options).value_or(ObjectRef());
  }
  name_object(write, answer);
  frame.journal()->wrote(std::move(write));
}

std::optional<ApiResponse> ControllerRequests::intend(const ApiRequest& request) {
  const IntendedWrites::Mode mode = intended_.mode();
  if (mode == IntendedWrites::Mode::kOff || !is_write(request.verb)) return std::nullopt;
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

  return simulate(request, name, body, look(request.path, name), services_.random);
}

}  // namespace davit::host
