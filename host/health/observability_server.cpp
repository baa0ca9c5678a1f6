#include "host/health/observability_server.hpp"

#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "lib/net/gzip.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kDebugPrefix = "/debug/controllers/";

HttpServerResponse text(int status, std::string body) {
  HttpServerResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

/// Compressed for clients that accept it, as upstream's is: Prometheus does.
HttpServerResponse exposition(const HttpServerRequest& request, std::string series) {
  const bool packs = accepts_gzip(request.header("Accept-Encoding"));
  HttpServerResponse response = text(200, packs ? gzip(series) : std::move(series));
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.headers = {{"Vary", "Accept-Encoding"}};
  if (packs) response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

HttpServerResponse to_response(DebugResponse page) {
  HttpServerResponse response = text(page.http_status, std::move(page.body));
  response.content_type = std::move(page.content_type);
  return response;
}

HttpServerResponse to_response(const Status& error) {
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
  /// `make` makes the page.
  DeferredPage(std::shared_ptr<ProbeThread> thread, std::function<Result<DebugResponse>()> make)
      : thread_(std::move(thread)),
        ticket_(thread_->begin([page = page_, make = std::move(make)]() -> Result<std::string> {
          Result<DebugResponse> made = make();
          if (!made) return made.error();
          *page = *std::move(made);
          return std::string();
        })) {}
  ~DeferredPage() override {
    if (ticket_) thread_->drop(*ticket_);
  }

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    const std::optional<Result<std::string>> made = thread_->take(*ticket_);
    if (!made) return std::nullopt;
    ticket_.reset();
    return *made ? to_response(std::move(*page_)) : to_response(made->error());
  }
  [[nodiscard]] Time next_take() const override { return thread_->next_poll(); }

 private:
  const std::shared_ptr<ProbeThread> thread_;
  // The call's until it has succeeded; it may outlive this.
  const std::shared_ptr<DebugResponse> page_ = std::make_shared<DebugResponse>();
  std::optional<ProbeThread::Ticket> ticket_;  // Until it was taken.
};

}  // namespace

ObservabilityRoutes::ObservabilityRoutes(HealthChecks& checks, Metrics& metrics,
                                         ProbeThreads& probe_threads)
    : checks_(checks), probe_threads_(probe_threads) {
  add_route("/metrics", [&metrics](const HttpServerRequest& request) {
    return exposition(request, metrics.text());
  });
  add_route("/metrics/slis", [&metrics](const HttpServerRequest& request) {
    return exposition(request, metrics.slis_text());
  });
  add_route(std::string(kDebugPrefix),
            [this](const HttpServerRequest& request) { return debug(request); });
}

void ObservabilityRoutes::add_route(std::string path, Route route, RouteMethods methods) {
  MutexLock lock(mutex_);
  routes_.insert_or_assign(std::move(path), RouteEntry{std::move(route), methods});
}

void ObservabilityRoutes::add_page(std::string path, DebugPage page) {
  add_route(std::move(path),
            [added = Page{std::move(page), probe_threads_.make()}](
                const HttpServerRequest& request) { return defer(added, {}, request.query()); });
}

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

Result<std::string> ObservabilityRoutes::debug_page(std::string_view controller,
                                                    std::string_view path, Time deadline) {
  Page page;
  {
    MutexLock lock(mutex_);
    const auto found = pages_.find(controller);
    if (found == pages_.end()) return Status(Code::kNotFound, "no debug page");
    page = found->second;
  }
  const ProbeThread::Ticket ticket =
      page.thread->begin([text = page.text, path = std::string(path)]() -> Result<std::string> {
        Result<DebugResponse> made = text(path, "");
        if (!made) return made.error();
        return std::move(made->body);
      });
  return page.thread->await(ticket, deadline);
}

bool ObservabilityRoutes::is_health(const HttpServerRequest& request) {
  const std::string_view path = request.path();
  return path.starts_with("/healthz") || path.starts_with("/livez") || path.starts_with("/readyz");
}

std::vector<std::string> ObservabilityRoutes::top_paths() const {
  std::set<std::string> paths{"/healthz", "/livez", "/readyz"};
  MutexLock lock(mutex_);
  for (const auto& [path, route] : routes_) paths.insert(path.substr(0, path.find('/', 1)));
  return {paths.begin(), paths.end()};
}

ObservabilityRoutes::RouteEntry ObservabilityRoutes::find_route(std::string_view path) const {
  MutexLock lock(mutex_);
  if (const auto exact = routes_.find(path); exact != routes_.end()) return exact->second;
  // "/a/b/c" is below "/a/b/" and "/a/", and not below "/".
  for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const auto above = routes_.find(path.substr(0, slash + 1));
    if (above != routes_.end()) return above->second;
  }
  return {};
}

HttpServerResponse ObservabilityRoutes::respond(const HttpServerRequest& request) {
  if (is_health(request)) return checks_.respond(request);
  const RouteEntry route = find_route(request.path());
  if (!route.handle) return text(404, "404 page not found\n");
  if (route.methods == RouteMethods::kRead && request.method != "GET" && request.method != "HEAD") {
    HttpServerResponse refusal = text(405, "method not allowed\n");
    refusal.headers = {{"Allow", "GET, HEAD"}};
    return refusal;
  }
  return route.handle(request);
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
  return defer(std::move(page), rest, request.query());
}

HttpServerResponse ObservabilityRoutes::defer(Page page, std::string_view path,
                                              std::string_view query) {
  HttpServerResponse response;
  response.deferred = std::make_unique<DeferredPage>(
      std::move(page.thread), [make = std::move(page.text), path = std::string(path),
                               query = std::string(query)] { return make(path, query); });
  return response;
}

}  // namespace davit::host
