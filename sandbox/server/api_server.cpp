#include "sandbox/server/api_server.hpp"

#include "lib/base/uuid.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/aggregation/aggregation.hpp"
#include "sandbox/server/access.hpp"
#include "sandbox/server/bootstrap.hpp"
#include "sandbox/server/connect.hpp"
#include "sandbox/server/deferred_response.hpp"
#include "sandbox/server/dispatch.hpp"
#include "sandbox/server/server_state.hpp"

namespace davit::sandbox {

namespace {

/// Admits everything, for servers that are plain storage. Stateless.
class OpenAdmission final : public Admission {
 public:
  void restore() override {}
  [[nodiscard]] ApiFailure admit(const WriteRequest&, Json&) const override { return std::nullopt; }
  [[nodiscard]] Reserved reserve(const WriteRequest&, Json&) override { return {}; }
  [[nodiscard]] ApiFailure admit_delete(const Resource&, std::string_view,
                                        std::string_view) const override {
    return std::nullopt;
  }
  void removed(const Resource&, const Json&) override {}
};

/// Escapes the text of a Warning header as the real server does.
std::string warning_header(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

/// The parts of a server that judge and change writes, and its metrics.
struct Judges {
  Policies& policies;
  MutatingPolicies& mutations;
  Webhooks& webhooks;
  const RequestMetrics& metrics;
};

ApiResult<HttpServerResponse> serve(const RestParts& rest, const ApiServerOptions& options,
                                    bool knows_requesters, const Judges& judges,
                                    Documents& documents, Call& call, bool* hook_wanted) {
  ApiResult<UserInfo> who = check_access(options, call.request, call.url, call.verb);
  if (!who) return who.error();
  if (options.aggregation != nullptr) {
    std::optional<HttpServerResponse> proxied =
        options.aggregation->serve(call.request, call.url, *who);
    if (proxied) return *std::move(proxied);
  }
  const Serving serving{rest,
                        options,
                        *who,
                        documents,
                        judges.policies,
                        judges.mutations,
                        judges.webhooks,
                        knows_requesters,
                        judges.metrics,
                        hook_wanted};
  return call.url.is_resource ? serve_resource(serving, call)
                              : serve_path(serving, call.request, call.url);
}

}  // namespace

ApiServer::ApiServer(Private, std::unique_ptr<State> state) : state_(std::move(state)) {}
ApiServer::~ApiServer() = default;

Result<std::unique_ptr<ApiServer>> ApiServer::open(ApiServerParts parts, ApiServerOptions options) {
  std::unique_ptr<ObjectLookup> lookup = lookup_in(parts.store);
  std::unique_ptr<Admission> admission = std::make_unique<OpenAdmission>();
  if (options.admission_switch == AdmissionSwitch::kOn) {
    Result<std::unique_ptr<Admission>> made =
        make_admission(options.admission, *lookup, parts.random);
    if (!made) return made.error();
    admission = std::move(*made);
  }
  auto state = std::make_unique<State>(std::move(parts), std::move(options), std::move(lookup),
                                       std::move(admission));
  state->admission->restore();
  state->definitions.restore();
  write_bootstrap_objects(state->rest, state->options);
  if (state->writes_policy) write_bootstrap_policy(state->rest, state->options);
  return std::make_unique<ApiServer>(Private(), std::move(state));
}

/// Repeats requests on the thread of one that waits anyway. The server must outlive it.
class ApiServer::Direct final : public UrlHandler {
 public:
  Direct(ApiServer& server, const std::stop_token& stop) : server_(server), stop_(stop) {}
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    return server_.handle(request);
  }
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request,
                                          const Url& url) override {
    return server_.respond(request, url, *this, stop_, nullptr);
  }

 private:
  ApiServer& server_;
  const std::stop_token& stop_;
};

/// Stands for the webhooks of a request on a thread that must not wait for them.
class ApiServer::HookGate final : public ObjectConverter {
 public:
  [[nodiscard]] ApiResult<std::vector<Json>> convert(const ConversionHook& hook,
                                                     const std::vector<Json>&, const std::string&,
                                                     const std::stop_token&) override {
    wanted = true;
    share = hook.definition;
    return too_many_requests("the request waits for webhooks", {}, 1);
  }
  [[nodiscard]] std::shared_ptr<void> reserve(std::size_t) override {
    return std::make_shared<bool>();
  }
  /// Only watches need it, and they do not pass a gate.
  [[nodiscard]] std::unique_ptr<Task> start(const std::string&, Work) override { return nullptr; }

  bool wanted = false;
  std::string share;  ///< The definition whose webhook it was; empty: another kind of webhook.
};

HttpServerResponse ApiServer::handle(const HttpServerRequest& request) {
  const ApiResult<Url> url = parse_url(request.target);
  return url ? handle(request, *url) : to_response(url.error());
}

HttpServerResponse ApiServer::handle(const HttpServerRequest& request, const Url& url) {
  if (state_->options.hook_thread == ApiServerOptions::HookThread::kCaller) {
    return respond(request, url, *this, {}, nullptr);
  }
  std::vector<std::string> shares = waits(request, url);
  if (shares.empty()) {
    HookGate gate;
    HttpServerResponse response = respond(request, url, *this, {}, &gate);
    if (!gate.wanted) return response;
    // A webhook was configured after waits(), or it converts the parameters of a policy.
    if (!gate.share.empty()) shares.push_back(gate.share);
  }
  HttpServerResponse response = to_response(
      too_many_requests("the request waits for webhooks", {}, 1));  // For callers that do not wait.
  response.deferred = state_->threads.start(
      [this, request, url](const std::stop_token& stop) {
        return respond_in_full(request, url, stop);
      },
      state_->outer.clock, shares);
  return response;
}

std::vector<std::string> ApiServer::waits(const HttpServerRequest& request, const Url& url) const {
  if (state_->options.webhooks == nullptr || !url.is_resource) return {};
  Aggregation* const aggregation = state_->options.aggregation;
  if (aggregation != nullptr && aggregation->serves(url)) return {};
  const ResourcePtr resource = state_->resources.now()->find(url.group, url.version, url.resource);
  const bool converts = resource != nullptr && conversion_hook(*resource) != nullptr;
  // A watch asks for conversions when it has events.
  if (converts && verb_of(request.method, url) == Verb::kWatch) return {};
  std::vector<std::string> out;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads || is_connection(url.subresource)) out = state_->webhooks.concerned(url.resource);
  if (converts) out.push_back(resource->qualified_name());
  return out;
}

HttpServerResponse ApiServer::respond_in_full(const HttpServerRequest& request, const Url& url,
                                              const std::stop_token& stop) {
  Direct direct(*this, stop);
  return await_response(respond(request, url, direct, stop, nullptr), state_->outer.clock, stop);
}

HttpServerResponse ApiServer::respond(const HttpServerRequest& request, const Url& url,
                                      UrlHandler& repeats, const std::stop_token& stop,
                                      HookGate* gate) {
  Call call{request, url, verb_of(request.method, url),
            nullptr, {},  std::string(request.header("User-Agent"))};
  call.stop = stop;
  call.begun = state_->outer.clock.now();
  RestParts rest = state_->rest;
  rest.stop = stop;
  if (gate != nullptr && rest.converter != nullptr && call.verb != Verb::kWatch) {
    rest.converter = gate;
  }
  ApiResult<HttpServerResponse> result =
      serve(rest, state_->options, state_->knows_requesters,
            {state_->policies, state_->mutations, state_->webhooks, state_->metrics},
            state_->documents, call, gate == nullptr ? nullptr : &gate->wanted);
  if (gate != nullptr && gate->wanted) return {};
  HttpServerResponse response = result ? std::move(*result) : to_response(result.error());
  if (!result && !result.error().plain && call.form.media == Media::kProtobuf) {
    EncodedBody status = encode_body(to_status(result.error()), call.form);
    response.content_type = std::move(status.content_type);
    response.body = std::move(status.text);
  }
  response.headers.emplace_back("Cache-Control", "no-cache, private");
  const std::string_view audit = request.header("Audit-Id");
  response.headers.emplace_back(
      "Audit-Id", audit.empty() ? random_uuid(state_->outer.random) : std::string(audit));
  const RequestMetrics::Labels labels = RequestMetrics::labels_of(call);
  // The repetition of a request is counted, unless it is to be repeated, too.
  GivenUp given_up = [&metrics = state_->metrics, labels](int code) { metrics.note(labels, code); };
  if (!result && result.error().awaited) {
    response.deferred = std::make_unique<ResponseAtRevision>(
        repeats, state_->rest, request, url, *result.error().awaited, std::move(given_up));
  } else if (!result && result.error().retry_for) {
    response.deferred = std::make_unique<RepeatedRequest>(
        repeats, state_->rest.clock, request, url, *result.error().retry_for, std::move(given_up));
  } else if (response.deferred == nullptr) {
    given_up(response.status);
  }
  for (const std::string& each : call.warnings) {
    response.headers.emplace_back("Warning", warning_header(each));
  }
  return response;
}

std::shared_ptr<const ResourceSet> ApiServer::resources() const { return state_->resources.now(); }

}  // namespace davit::sandbox
