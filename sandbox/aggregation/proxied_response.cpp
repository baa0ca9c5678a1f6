#include "sandbox/aggregation/proxied_response.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <davit/mutant.hpp>
#include <davit/percent_code.hpp>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/lower_case.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/trimmed.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

namespace {

/// The part of a body that waits for a slow client; TCP makes the server wait for the rest.
constexpr std::size_t kUnreadBytesMax = std::size_t{1} << 20U;

/// Headers that belong to one connection (RFC 9110, section 7.6.1), and those that a transport or a
/// server writes itself.
constexpr std::array<std::string_view, 11> kOfConnection = {"connection",
                                                            "keep-alive",
                                                            "proxy-authenticate",
                                                            "proxy-authorization",
                                                            "proxy-connection",
                                                            "te",
                                                            "trailer",
                                                            "trailers",
                                                            "transfer-encoding",
                                                            "upgrade",
                                                            "content-length"};

/// The server has used these up, or sets them for the one that gets the request.
constexpr std::array<std::string_view, 10> kOfClient = {
    "authorization",  "host",   "accept-encoding",  "x-remote-user",     "x-remote-uid",
    "x-remote-group", "expect", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-uri"};

/// The server decides which pages may read its responses, not one behind it.
constexpr std::array<std::string_view, 4> kOfOrigin = {
    "access-control-allow-credentials", "access-control-allow-headers",
    "access-control-allow-methods", "access-control-allow-origin"};

bool is_listed(const auto& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

/// The further headers that belong to the connection, in lower case: those that Connection names.
std::vector<std::string> named_by_connection(const HttpHeaders& headers) {
  std::vector<std::string> out;
  for (const auto& [name, value] : headers) {
    if (lower_case(name) != "connection" || mutant("connection-headers")) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      out.push_back(lower_case(std::string(trimmed(rest.substr(0, comma), " \t"))));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return out;
}

/// Characters of a header's name other than letters and digits (RFC 9110, section 5.6.2), without
/// the percent sign.
constexpr std::string_view kTokenSigns = "!#$&'*+-.^_`|~";

/// The path of a target, unescaped and without empty and dotted parts (k8s: path.Join of Go).
std::string forwarded_uri(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string plain = percent_unescaped(path).value_or(std::string(path));
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t end = std::min(plain.find('/', at), plain.size());
    const std::string_view part = std::string_view(plain).substr(at, end - at);
    at = end + 1;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string out;
  for (const std::string_view part : parts) out += '/' + std::string(part);
  return plain.ends_with('/') || out.empty() ? out + '/' : out;
}

bool is_redirect(const HttpServerResponse& response) {
  return response.status >= 300 && response.status < 400 &&
         std::ranges::any_of(response.headers, [](const auto& each) {
           return each.first == "location" && !each.second.empty();
         });
}

/// k8s: UpgradeAwareHandler.RejectForwardingRedirects of k8s.io/apimachinery/pkg/util/proxy.
HttpServerResponse redirect_refused() {
  HttpServerResponse out;
  out.status = 502;
  out.body = "the backend attempted to redirect this request, which is not permitted";
  return out;
}

HttpServerResponse failure(const TransportEnd& end) {
  if (end.kind == Break::kTimeout) {
    return to_response(without_details(
        reason::kTimeout, "Timeout: request did not complete within the allotted timeout"));
  }
  HttpServerResponse out;
  out.status = 503;
  out.body = "error trying to reach service: " + end.message;
  return out;
}

/// A response as far as it has arrived.
struct ProxiedHead {
  HttpServerResponse response;
  bool complete = false;  ///< It has its whole body; otherwise that follows as a stream.
};

/// One request to the server of an aggregated API. The transport's thread writes what arrives, the
/// thread of the client's connection reads it.
class Exchange final : public ResponseReader {
 public:
  Exchange(std::string_view method, std::shared_ptr<void> held)
      : has_body_(method != "HEAD"), held_(std::move(held)) {}

  void start(std::shared_ptr<Transport> transport, HttpRequest request) {
    transport_ = std::move(transport);
    call_ = transport_->start(std::move(request), *this);
  }

  void on_head(int status, const HttpHeaders& headers) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    status_ = status;
    headers_ = headers;
  }
  Flow on_body(std::string_view chunk) override EXCLUDES(mutex_) {
    std::function<void()> ready;
    {
      MutexLock lock(mutex_);
      paused_ = unread_.size() >= kUnreadBytesMax;
      if (paused_) return Flow::kPause;
      unread_ += chunk;
      ready = ready_;
    }
    if (ready) ready();
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override EXCLUDES(mutex_) {
    std::function<void()> ready;
    {
      MutexLock lock(mutex_);
      end_ = end;
      ready = ready_;
    }
    if (ready) ready();
  }

  void on_ready(std::function<void()> ready) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ready_ = std::move(ready);
  }

  /// Nothing: the head has not arrived yet.
  [[nodiscard]] std::optional<ProxiedHead> head() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (status_ == 0 && !end_) return std::nullopt;
    if (status_ == 0) return ProxiedHead{failure(*end_), true};
    HttpServerResponse out = passed_on(status_, headers_);
    if (is_redirect(out)) return ProxiedHead{redirect_refused(), true};
    const bool complete = end_ && end_->kind == Break::kNone;
    if (complete) out.body = std::exchange(unread_, "");
    return ProxiedHead{std::move(out), complete || !has_body_};
  }

  [[nodiscard]] HttpBodyStream::State read(std::string& out, std::size_t bytes_max)
      EXCLUDES(mutex_) {
    bool resumes = false;
    HttpBodyStream::State state = HttpBodyStream::State::kOpen;
    {
      MutexLock lock(mutex_);
      const std::size_t taken = std::min(bytes_max, unread_.size());
      out.append(unread_, 0, taken);
      unread_.erase(0, taken);
      if (unread_.empty() && end_) {
        state = end_->kind == Break::kNone ? HttpBodyStream::State::kEnded
                                           : HttpBodyStream::State::kCut;
      }
      resumes = paused_ && unread_.size() < kUnreadBytesMax;
      if (resumes) paused_ = false;
    }
    if (resumes) call_->resume();
    return state;
  }

 private:
  const bool has_body_;
  const std::shared_ptr<void> held_;
  std::shared_ptr<Transport> transport_;
  Mutex mutex_;
  int status_ GUARDED_BY(mutex_) = 0;
  HttpHeaders headers_ GUARDED_BY(mutex_);
  std::string unread_ GUARDED_BY(mutex_);
  bool paused_ GUARDED_BY(mutex_) = false;
  std::optional<TransportEnd> end_ GUARDED_BY(mutex_);
  std::function<void()> ready_ GUARDED_BY(mutex_);
  std::unique_ptr<Call> call_;  // Last: its end may use all of the above.
};

class ProxiedStream final : public HttpBodyStream {
 public:
  explicit ProxiedStream(std::unique_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  [[nodiscard]] State read(std::string& out, std::size_t bytes_max) override {
    return exchange_->read(out, bytes_max);
  }
  void on_ready(std::function<void()> ready) override { exchange_->on_ready(std::move(ready)); }
  [[nodiscard]] Time next_read() const override { return Time::max(); }

 private:
  const std::unique_ptr<Exchange> exchange_;
};

/// Polled more and more seldom, since a server is either fast or takes seconds.
class ProxiedResponse final : public HttpDeferredResponse {
 public:
  ProxiedResponse(std::unique_ptr<Exchange> exchange, const Clock& clock)
      : exchange_(std::move(exchange)), clock_(clock), next_take_(clock.now() + pause_) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    next_take_ = clock_.now() + pause_;
    pause_ = std::min(pause_ * 2, kPauseMax);
    std::optional<ProxiedHead> head = exchange_->head();
    if (!head) return std::nullopt;
    if (!head->complete) {
      head->response.stream = std::make_unique<ProxiedStream>(std::move(exchange_));
    }
    return std::move(head->response);
  }
  [[nodiscard]] Time next_take() const override { return next_take_; }

 private:
  static constexpr Duration kPauseMax = std::chrono::milliseconds(20);

  std::unique_ptr<Exchange> exchange_;
  const Clock& clock_;
  Duration pause_ = std::chrono::milliseconds(1);
  Time next_take_;
};

}  // namespace

HttpServerResponse passed_on(int status, const HttpHeaders& headers) {
  HttpServerResponse out;
  out.status = status;
  out.content_type.clear();
  const std::vector<std::string> named = named_by_connection(headers);
  for (const auto& [name, value] : headers) {
    if (is_listed(named, name)) continue;
    if (name == "content-type") {
      out.content_type = value;
    } else if (!is_listed(kOfConnection, name) && !is_listed(kOfOrigin, name)) {
      out.headers.emplace_back(name, value);
    }
  }
  return out;
}

bool is_of_client(std::string_view name) {
  return is_listed(kOfClient, name) || name == "content-length" || name == "transfer-encoding" ||
         name.starts_with("x-remote-extra-") || name.starts_with("impersonate-");
}

void add_remote_user(const UserInfo& who, HttpHeaders& headers) {
  headers.emplace_back("X-Remote-User", who.name);
  if (!who.uid.empty()) headers.emplace_back("X-Remote-Uid", who.uid);
  for (const std::string& each : who.groups) headers.emplace_back("X-Remote-Group", each);
  for (const auto& [key, values] : who.extra) {
    for (const std::string& value : values) {
      headers.emplace_back("X-Remote-Extra-" + percent_escaped(key, kTokenSigns), value);
    }
  }
}

HttpRequest proxied_request(const HttpServerRequest& request, const UserInfo& who,
                            const BackendServer& server) {
  HttpRequest out;
  out.method = request.method;
  out.target = request.target;
  out.body = request.body;
  const std::vector<std::string> named = named_by_connection(request.headers);
  for (const auto& [name, value] : request.headers) {
    const std::string lower = lower_case(name);
    if (is_of_client(lower) || is_listed(kOfConnection, lower) || is_listed(named, lower)) continue;
    out.headers.emplace_back(name, value);
  }
  const std::size_t scheme = server.url.find("://");
  out.headers.emplace_back("X-Forwarded-Host", server.url.substr(scheme + 3));
  out.headers.emplace_back("X-Forwarded-Proto", server.url.substr(0, scheme));
  out.headers.emplace_back("X-Forwarded-Uri", forwarded_uri(request.target));
  add_remote_user(who, out.headers);
  return out;
}

HttpServerResponse start_proxied(const std::shared_ptr<Transport>& transport, HttpRequest request,
                                 const Clock& clock, std::shared_ptr<void> held) {
  auto exchange = std::make_unique<Exchange>(request.method, std::move(held));
  Exchange& started = *exchange;
  // For callers that do not wait.
  HttpServerResponse out = proxy_error(503, "the server of the aggregated API takes time");
  out.deferred = std::make_unique<ProxiedResponse>(std::move(exchange), clock);
  started.start(transport, std::move(request));
  return out;
}

HttpServerResponse proxy_error(int status, std::string text) {
  HttpServerResponse out;
  out.status = status;
  out.headers.emplace_back("X-Content-Type-Options", "nosniff");
  out.body = std::move(text) + '\n';
  return out;
}

}  // namespace davit::sandbox
