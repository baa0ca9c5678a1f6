#include "host/api/rest_parts.hpp"

#include <algorithm>
#include <davit/percent_code.hpp>
#include <utility>

#include "host/api/request_builder.hpp"

namespace davit::host {
namespace {

constexpr int kLogRequests = 6;
constexpr int kLogHeaders = 7;
constexpr int kLogBodies = 8;
constexpr int kLogLongBodies = 9;
constexpr int kLogWholeBodies = 10;
constexpr Duration kQuietWait = std::chrono::milliseconds(50);
constexpr Duration kLongWait = std::chrono::seconds(1);

std::string cut(const RestParts& parts, std::string_view body) {
  const int verbosity = parts.log.sink().verbosity();
  const std::size_t limit = verbosity >= kLogWholeBodies  ? body.size()
                            : verbosity >= kLogLongBodies ? 10240
                                                          : 1024;
  std::string out(body.substr(0, limit));
  if (limit < body.size()) {
    out += " [truncated " + std::to_string(body.size() - limit) + " bytes]";
  }
  return out;
}

std::string milliseconds(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + "ms";
}

/// For a shell. Credentials are added further down and never here.
std::string curl_line(const RestParts& parts, const HttpRequest& http) {
  std::string out = "curl -v -X" + std::string(http.method);
  for (const auto& [name, value] : http.headers) {
    out.append(" -H \"").append(name).append(": ").append(value).append("\"");
  }
  return out.append(" '").append(parts.transport.server()).append(http.target).append("'");
}

// "https://10.0.0.1:6443/prefix" -> "10.0.0.1:6443"
std::string address_of(std::string_view server) {
  const std::size_t mark = server.find("://");
  if (mark != server.npos) server.remove_prefix(mark + 3);
  server = server.substr(0, server.find('/'));
  return server.empty() ? "none" : std::string(server);
}

}  // namespace

RestParts::RestParts(Transport& t, Clock& c, RestMetrics& m, Logger l, RestOptions o)
    : transport(t),
      clock(c),
      metrics(m),
      log(std::move(l)),
      options(std::move(o)),
      host(address_of(t.server())),
      limiter(options.rate),
      backoff(options.failure_backoff) {}

ApiRequest with_client_options(const ApiRequest& request, const RestOptions& options) {
  ApiRequest out = request;
  if (options.dry_run == DryRun::kServer) out.dry_run = DryRun::kServer;
  const bool owns_fields = is_write(out.verb) && !is_delete(out.verb);
  if (owns_fields && !options.field_manager.empty() &&
      !has_query_parameter(out.query, "fieldManager")) {
    if (!out.query.empty()) out.query += '&';
    out.query += "fieldManager=" + percent_escaped(options.field_manager, "-._~");
  }
  return out;
}

std::string_view header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

void note_attempt(RestParts& parts, const HttpRequest& request, int http_status, Duration took) {
  const std::string code = http_status == 0 ? "<error>" : std::to_string(http_status);
  parts.metrics.request_done(code, request.method, parts.host);
  parts.backoff.note(http_status, parts.clock.now());
  if (http_status >= 200 && http_status < 300 && parts.options.on_success) {
    parts.options.on_success();
  }
  if (parts.log.sink().verbosity() < kLogRequests) return;
  parts.log.info(
      kLogRequests, "Response",
      {{"verb", request.method},
       {"url", std::string(parts.transport.server()) + request.target},
       {"status", code},
       {"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}});
}

void note_limiter_wait(RestParts& parts, std::string_view method, std::string_view target,
                       Duration wait) {
  parts.metrics.limiter_duration(method, parts.host, wait);
  if (wait <= kQuietWait) return;
  parts.log.info(wait > kLongWait ? 2 : 3, "Waited before sending request",
                 {{"delay", milliseconds(wait)},
                  {"reason", "client-side throttling, not priority and fairness"},
                  {"verb", method},
                  {"url", std::string(parts.transport.server()).append(target)}});
}

void log_request(const RestParts& parts, const ApiRequest& request, const HttpRequest& http) {
  if (parts.log.sink().verbosity() < kLogHeaders) return;
  for (const auto& [name, value] : http.headers) {
    parts.log.info(kLogHeaders, "Request header", {{"name", name}, {"value", value}});
  }
  parts.log.info(kLogLongBodies, curl_line(parts, http));
  if (http.body.empty()) return;
  const std::string body =
      is_confidential(request.path) ? "<confidential>" : cut(parts, std::string_view(http.body));
  parts.log.info(kLogBodies, "Request body", {{"body", body}});
}

void log_response(const RestParts& parts, const ApiRequest& request, const ApiResponse& response) {
  if (parts.log.sink().verbosity() < kLogBodies || response.http_status == 0) return;
  const std::string body =
      is_confidential(request.path) ? "<confidential>" : cut(parts, response.body);
  parts.log.info(
      kLogBodies, "Response body",
      {{"status", response.http_status}, {"contentType", response.content_type}, {"body", body}});
}

Status broken_status(const RestParts& parts, const ApiRequest& request, const TransportEnd& end) {
  const bool sent = end.kind != Break::kCredentials;
  const Code code = sent ? Code::kUnavailable : Code::kForbidden;
  std::string text(http_method(request.verb));
  text.append(" ").append(parts.transport.server());
  text.append(request.raw_path.empty() ? " (" + describe(request) + ")" : request.raw_path);
  return {code, text + ": " + end.message};
}

Status with_previous_error(const Status& status, const std::string& previous) {
  if (status.ok() || previous.empty() || previous == status.message()) return status;
  std::string text = status.message() + " - error from a previous attempt: " + previous;
  if (status.detail() == nullptr) return {status.code(), std::move(text)};
  return {status.code(), std::move(text), *status.detail()};
}

}  // namespace davit::host
