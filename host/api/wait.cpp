#include "host/api/wait.hpp"

#include <utility>

#include "lib/base/await_stop.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

constexpr Duration kPeriod = std::chrono::seconds(1);
constexpr Duration kLimit = std::chrono::seconds(10);

// Whether waiting cannot help: an expired token, a wrong CA, a wrong address.
bool is_final(const ApiResponse& response) {
  if (response.broken == Break::kTls || response.broken == Break::kCredentials ||
      response.broken == Break::kOther)
    return true;
  const int http = response.http_status;
  return http >= 200 && http < 500 && http != 429;
}

bool is_healthy(const ApiResponse& response) {
  return response.status.ok() && response.http_status == 200 && response.body == "ok";
}

// One line: of a health report the lines that failed, of any other text all.
std::string in_one_line(std::string_view text) {
  const bool report = text.find("\n[-]") != text.npos || text.substr(0, 3) == "[-]";
  std::string out;
  while (!text.empty()) {
    const std::string_view line = take_until(text, "\n");
    if (line.empty() || (report && line.substr(0, 3) != "[-]")) continue;
    if (!out.empty()) out += ", ";
    out += line;
  }
  return out;
}

std::string of_connection(const ApiResponse& response, const std::string& at) {
  const std::string cause = in_one_line(response.status.message());
  switch (response.broken) {
    case Break::kTls:
      return "cannot trust the API server at " + at +
             ": check that certificate-authority(-data) in the kubeconfig belongs to this server "
             "(" +
             cause + ")";
    case Break::kCredentials:
      return "no credentials for the API server at " + at +
             ": check the user's exec plugin or tokenFile in the kubeconfig (" + cause + ")";
    case Break::kResolve:
      return "cannot find the API server at " + at +
             ": its host name has no address; check the server in the kubeconfig or --master (" +
             cause + ")";
    case Break::kRefused:
    case Break::kTimeout:
    case Break::kReset:
      return "cannot reach the API server at " + at +
             ": check that it is running and that the server in the kubeconfig or --master is "
             "right "
             "(" +
             cause + ")";
    case Break::kNone:
    case Break::kGate:
    case Break::kReader:
    case Break::kOther:
      break;
  }
  return "no Kubernetes API server seems to be at " + at +
         ": check the server in the kubeconfig or --master (" + cause + ")";
}

}  // namespace

std::string explain_first_contact(const ApiResponse& response, std::string_view server) {
  const std::string at(server);
  if (response.http_status == 0) return of_connection(response, at);
  const std::string http_status = " (HTTP " + std::to_string(response.http_status) + ")";
  switch (response.http_status) {
    case 401:
      return "the API server at " + at +
             " does not accept our credentials: the token or client certificate is wrong or has "
             "expired; log in again or renew it in the kubeconfig" +
             http_status;
    case 403: {
      std::string cause = in_one_line(response.status.message());
      if (cause.find("davit rbac") == cause.npos) {
        cause += "; grant the right with RBAC, `davit rbac` prints what davit needs";
      }
      return "the API server at " + at + " refuses us: " + cause + http_status;
    }
    default:
      break;
  }
  if (response.http_status >= 500 || response.http_status == 429) {
    return "the API server at " + at + " is not healthy: " +
           in_one_line(response.body.empty() ? response.status.message() : response.body) +
           "; look at its log" + http_status;
  }
  return "no Kubernetes API server seems to be at " + at +
         ": it is not a Kubernetes API server; check the server in the kubeconfig or --master" +
         http_status;
}

std::string explain_first_contact(const Status& error, std::string_view server) {
  ApiResponse response;
  response.status = error;
  if (error.detail() != nullptr) response.http_status = error.detail()->http_status;
  // The detail of the failure is gone; only its code still says that there was no response.
  if (response.http_status == 0) {
    response.broken = error.code() == Code::kUnavailable ? Break::kReset : Break::kOther;
  }
  return explain_first_contact(response, server);
}

Status wait_for_api_server(RestClient& client, Clock& clock, std::stop_token stop) {
  ApiRequest request;
  request.raw_path = "/healthz";
  request.accept = "*/*";
  const Time end = clock.now() + kLimit;
  Time next = clock.now();
  while (true) {
    request.timeout = end - clock.now();
    const ApiResponse response = client.call(request, stop);
    if (is_healthy(response)) return {};
    if (stop.stop_requested()) return {Code::kCancelled, "stopped while waiting for the server"};
    next += kPeriod;
    if (is_final(response) || next >= end) {
      const Code code = response.status.ok() ? Code::kUnsupported : response.status.code();
      return {code, explain_first_contact(response, client.server())};
    }
    (void)await_stop(clock, next, stop);
  }
}

}  // namespace davit::host
