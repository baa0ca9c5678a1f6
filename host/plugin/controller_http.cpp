#include "host/plugin/controller_http.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <memory>
#include <utility>

#include "host/api/rest_client.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"

namespace davit::host {
namespace {

constexpr int kNoContent = 204;

Status unknown(const char* what, std::int32_t number) {
  return {Code::kMisuse, std::string("unknown ") + what + " " + std::to_string(number)};
}

/// Numbers that abi.h does not define are refused, because they could mean anything.
Status read_policy(const davit_http_request& from, OutboundRequest& to) {
  using Effect = OutboundRequest::Effect;
  using Retry = OutboundRequest::Retry;
  switch (from.effect) {
    case DAVIT_HTTP_EFFECT_BY_METHOD:
      to.effect = is_safe_method(to.method) ? Effect::kReads : Effect::kChanges;
      break;
    case DAVIT_HTTP_READS:
      to.effect = Effect::kReads;
      break;
    case DAVIT_HTTP_CHANGES:
      to.effect = Effect::kChanges;
      break;
    default:
      return unknown("effect", from.effect);
  }
  switch (from.retry) {
    case DAVIT_HTTP_RETRY_BY_METHOD:
      to.retry = Retry::kByMethod;
      break;
    case DAVIT_HTTP_RETRY_NEVER:
      to.retry = Retry::kNever;
      break;
    case DAVIT_HTTP_RETRY_ALWAYS:
      to.retry = Retry::kAlways;
      break;
    default:
      return unknown("retry policy", from.retry);
  }
  return {};
}

Result<OutboundRequest> to_outbound(const davit_http_request& from) {
  constexpr std::uint64_t kDefaultTimeoutMs = 30'000;
  constexpr std::uint64_t kMostTimeoutMs = 10 * 60 * 1000;
  OutboundRequest to;
  if (!view(from.method).empty()) to.method = view(from.method);
  if (Status s = read_policy(from, to); !s.ok()) return s;
  Result<OutboundUrl> url = OutboundUrl::parse(view(from.url));
  if (!url) return url.error();
  to.url = *std::move(url);
  if (from.headers == nullptr && from.header_count != 0) {
    return Status(Code::kMisuse, "it has a number of headers and no headers");
  }
  for (std::size_t i = 0; i < from.header_count; ++i) {
    to.headers.emplace_back(view(from.headers[i].name), view(from.headers[i].value));
  }
  to.body = view(from.body);
  to.redirects_max = from.redirects_max;
  to.timeout = std::chrono::milliseconds(
      std::min(from.timeout_ms == 0 ? kDefaultTimeoutMs : from.timeout_ms, kMostTimeoutMs));
  constexpr std::uint64_t kMostBytes = DAVIT_HTTP_BODY_BYTES_MAX;
  if (from.body_bytes_max != 0) {
    to.response_bytes_max = static_cast<std::size_t>(std::min(from.body_bytes_max, kMostBytes));
  }
  if (Status s = check_outbound(to); !s.ok()) return s;
  return to;
}

std::vector<DeclaredHost> hosts_of(const DeclaredController& declared) {
  std::vector<std::string> texts = declared.http.hosts;
  // A test without a note declares nothing and may do everything.
  if (declared.is_unlimited) texts = {"*", "http://*"};
  std::vector<DeclaredHost> hosts;
  for (const std::string& each : texts) {
    Result<DeclaredHost> host = DeclaredHost::parse(each, DeclaredHost::Path::kRefused);
    if (host) hosts.push_back(*std::move(host));  // The note and its configuration were checked.
  }
  return hosts;
}

/// The part of a request that is kept while the client has it.
struct Sent {
  std::size_t place = 0;    // Its response's.
  OutboundRequest line;     // Its method and URL, for the trace.
  std::string traceparent;  // Empty without a trace.
};

/// Adds the header of the trace, unless the plugin has set one.
Sent begin(OutboundRequest& request, std::size_t place, const CallFrame& frame) {
  Sent sent{place, {}, {}};
  if (frame.trace() == nullptr) return sent;
  sent.line.method = request.method;
  sent.line.url = request.url;
  sent.traceparent = frame.trace()->traceparent();
  const bool has_own =
      std::any_of(request.headers.begin(), request.headers.end(),
                  [](const auto& each) { return lower_case(each.first) == "traceparent"; });
  if (!has_own) request.headers.emplace_back("Traceparent", sent.traceparent);
  return sent;
}

/// The part of a response that the frame keeps.
struct LentResponse {
  OutboundResponse response;
  std::vector<davit_http_header> headers;
};

void respond(OutboundResponse from, davit_http_response& to, CallFrame& frame) {
  if (from.status.code() == Code::kCancelled) frame.note_cancelled();
  auto lent = std::make_shared<LentResponse>();
  lent->response = std::move(from);
  const OutboundResponse& response = lent->response;
  for (const auto& [name, value] : response.headers) {
    lent->headers.push_back({lend_view(name), lend_view(value)});
  }
  const std::uint32_t size = to.size;
  to = davit_http_response{};
  to.size = size;
  to.code = static_cast<davit_code>(response.status.code());
  to.http_status = response.http_status;
  to.simulated = response.is_simulated ? 1 : 0;
  to.retry_after_ms = response.retry_after_ms;
  to.message = lend_view(response.status.message());
  to.url = lend_view(response.url);
  to.headers = lent->headers.data();
  to.header_count = lent->headers.size();
  to.body = lend_view(response.body);
  frame.keep(std::move(lent));
}

}  // namespace

ControllerHttp::ControllerHttp(const ControllerHostOptions& options, const HostServices& services,
                               const Logger& log, IntendedWrites& intended)
    : options_(options),
      services_(services),
      log_(log),
      intended_(intended),
      client_(services.clock, services.metrics, log,
              {.controller = options.declared.name,
               .user_agent = user_agent(options.declared.client_name),
               .hosts = hosts_of(options.declared),
               .roots = options.declared.http.roots,
               .write_gate = options.write_gate,
               .connect = services.outside}) {}

Status ControllerHttp::check_host(const OutboundUrl& url) const {
  if (client_.host_of(url) != nullptr || mutant("hosts")) return {};
  const DeclaredHost asked{url.scheme, url.host, url.port};
  const ConfigSource& source = options_.declared.http.hosts_from;
  const std::string place =
      source.path.empty()
          ? "\"http\" of " + options_.declared.name + " in the note needs \"hosts\":[" +
                json_string(asked.text()) + "]"
          : "config." + source.path + ", from which the note takes the hosts, does not name it";
  return {Code::kUndeclared,
          "the plugin declares no HTTP requests to " + asked.text() + ": " + place};
}

Result<OutboundRequest> ControllerHttp::check(const davit_http_request& request) const {
  Result<OutboundRequest> outgoing = to_outbound(request);
  if (!outgoing) return outgoing;
  if (Status s = check_host(outgoing->url); !s.ok()) return s;
  return outgoing;
}

bool ControllerHttp::is_sent(const OutboundRequest& request) {
  if (request.effect == OutboundRequest::Effect::kReads) return true;
  const IntendedWrites::Mode mode = intended_.mode();
  if (mode != IntendedWrites::Mode::kOff) {
    intended_.note(intended_request(request), services_.clock.now());
  }
  if (mode == IntendedWrites::Mode::kSimulate) return false;
  if (options_.dry_run == DryRun::kOff) return true;
  log_.info(0, "Dry run: this request to an external server was not sent",
            {{"method", request.method}, {"url", request.url.shown()}});
  return false;
}

void ControllerHttp::send(std::span<const davit_http_request> requests,
                          std::span<davit_http_response> responses, CallFrame& frame) {
  std::vector<OutboundRequest> outgoing;
  std::vector<Sent> sent;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Result<OutboundRequest> request = check(requests[i]);
    OutboundResponse instead;
    if (!request) {
      instead.status = request.error();
      frame.log_refusal(log_, instead.status);
      if (services_.observer != nullptr) {
        services_.observer->refused(options_.declared.name, instead.status.message());
      }
    } else if (is_sent(*request)) {
      sent.push_back(begin(*request, i, frame));
      outgoing.push_back(*std::move(request));
      continue;
    } else {
      instead.http_status = kNoContent;
      instead.is_simulated = true;
      instead.url = request->url.text();
    }
    respond(std::move(instead), responses[i], frame);
  }
  std::vector<OutboundResponse> received = client_.batch(std::move(outgoing), frame.stop());
  for (std::size_t i = 0; i < received.size(); ++i) {
    if (frame.trace() != nullptr) {
      frame.trace()->ended(sent[i].line, received[i], sent[i].traceparent);
    }
    respond(std::move(received[i]), responses[sent[i].place], frame);
  }
}

}  // namespace davit::host
