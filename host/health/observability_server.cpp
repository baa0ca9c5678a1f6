#include "host/health/observability_server.hpp"

#include <optional>
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

HttpServerResponse to_response(Result<std::string> page) {
  if (page) return text(200, std::move(*page));
  const Status& error = page.error();
  if (error.code() != Code::kThrottled) {
    return text(error.code() == Code::kNotFound ? 404 : 500, error.message() + "\n");
  }
  HttpServerResponse busy = text(503, error.message() + "\n");
  busy.headers = {{"Retry-After", "1"}};
  return busy;
}

/// The response of a page that its controller has not made yet.
class DeferredPage final : public HttpDeferredResponse {
 public:
  DeferredPage(std::shared_ptr<ProbeThread> thread, ProbeThread::Call call)
      : thread_(std::move(thread)), ticket_(thread_->begin(std::move(call))) {}
  ~DeferredPage() override {
    if (ticket_) thread_->drop(*ticket_);
  }

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    std::optional<Result<std::string>> page = thread_->take(*ticket_);
    if (!page) return std::nullopt;
    ticket_.reset();
    return to_response(std::move(*page));
  }
  [[nodiscard]] Time next_take() const override { return thread_->next_poll(); }

 private:
  const std::shared_ptr<ProbeThread> thread_;
  std::optional<ProbeThread::Ticket> ticket_;  // Until it was taken.
};

}  // namespace

void ObservabilityRoutes::add_debug_page(std::string controller, DebugPage page) {
  Page added{std::move(page), probe_threads_.make()};
  MutexLock lock(mutex_);
  pages_.insert_or_assign(std::move(controller), std::move(added));
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

HttpServerResponse ObservabilityRoutes::respond(const HttpServerRequest& request) {
  const std::string_view path = request.path();
  if (is_health(request)) return checks_.respond(request);
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
  Page page;
  {
    MutexLock lock(mutex_);
    const auto found = pages_.find(name);
    if (found != pages_.end()) page = found->second;
  }
  if (!page.text) return text(404, "404 page not found\n");
  HttpServerResponse response;
  response.deferred = std::make_unique<DeferredPage>(
      std::move(page.thread), [make = std::move(page.text), path = std::string(rest),
                               query = std::string(request.query())] { return make(path, query); });
  return response;
}

}  // namespace davit::host
