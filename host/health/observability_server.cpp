#include "host/health/observability_server.hpp"

#include <utility>

namespace davit::host {
namespace {

constexpr std::string_view kDebugPrefix = "/debug/controllers/";

HttpServerResponse text(int status, std::string body) {
  HttpServerResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

}  // namespace

void ObservabilityRoutes::add_debug_page(std::string controller, DebugPage page) {
  MutexLock lock(mutex_);
  pages_.insert_or_assign(std::move(controller), std::move(page));
}

void ObservabilityRoutes::remove_debug_page(std::string_view controller) {
  MutexLock lock(mutex_);
  const auto found = pages_.find(controller);
  if (found != pages_.end()) pages_.erase(found);
}

bool ObservabilityRoutes::is_health(const HttpServerRequest& request) {
  const std::string_view path = request.path();
  return path.starts_with("/healthz") || path.starts_with("/livez") || path.starts_with("/readyz");
}

HttpServerResponse ObservabilityRoutes::answer(const HttpServerRequest& request) {
  const std::string_view path = request.path();
  if (is_health(request)) return checks_.answer(request);
  const bool exposition = path == "/metrics" || path == "/metrics/slis";
  const bool known = exposition || path.starts_with(kDebugPrefix);
  if (!known) return text(404, "404 page not found\n");
  if (request.method != "GET" && request.method != "HEAD") {
    HttpServerResponse refusal = text(405, "method not allowed\n");
    refusal.headers = {{"Allow", "GET, HEAD"}};
    return refusal;
  }
  if (!exposition) return debug(request);
  HttpServerResponse response =
      text(200, path == "/metrics" ? metrics_.text() : metrics_.slis_text());
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

HttpServerResponse ObservabilityRoutes::debug(const HttpServerRequest& request) {
  const std::string_view below = request.path().substr(kDebugPrefix.size());
  const std::string_view name = below.substr(0, below.find('/'));
  const std::string_view rest =
      below.size() > name.size() ? below.substr(name.size() + 1) : std::string_view();
  DebugPage page;
  {
    MutexLock lock(mutex_);
    const auto found = pages_.find(name);
    if (found != pages_.end()) page = found->second;
  }
  if (!page) return text(404, "404 page not found\n");
  Result<std::string> body = page(rest, request.query());
  if (body) return text(200, std::move(*body));
  return text(body.error().code() == Code::kNotFound ? 404 : 500, body.error().message() + "\n");
}

}  // namespace davit::host
