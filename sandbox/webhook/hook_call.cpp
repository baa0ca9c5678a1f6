#include "sandbox/webhook/hook_call.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/base64.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/net/request_loop.hpp"

namespace davit::sandbox {

namespace {

/// An object has 1.5 MiB at most, and a patch of it not many times more; several objects may become
/// larger by their conversion.
std::size_t reply_bytes_max(const HookRequest& request) {
  return std::max(std::size_t{8} << 20U, 4 * request.body.size());
}

std::string target_of(const HookRequest& request) {
  std::string out = request.path.empty() ? "/" : request.path;
  return out + "?timeout=" + std::to_string(request.timeout.count()) + 's';
}

std::string_view authority_of(std::string_view url) {
  const std::size_t slashes = url.find("//");
  return slashes == url.npos ? url : url.substr(slashes + 2);
}

/// The end of a request in the words of Go's net/http.
std::string go_error(const TransportEnd& end, std::string_view authority) {
  const std::string_view host = authority.substr(0, authority.rfind(':'));
  switch (end.kind) {
    case Break::kRefused:
      return "dial tcp " + std::string(authority) + ": connect: connection refused";
    case Break::kReset:
      return "EOF";
    case Break::kTimeout:
      return "context deadline exceeded";
    case Break::kResolve:
      return "dial tcp: lookup " + std::string(host) + ": no such host";
    case Break::kTls: {
      const bool unknown = end.message.find("self-signed") != std::string::npos ||
                           end.message.find("self signed") != std::string::npos ||
                           end.message.find("issuer") != std::string::npos;
      return "tls: failed to verify certificate: x509: " +
             (unknown ? std::string("certificate signed by unknown authority") : end.message);
    }
    default:
      return end.message;
  }
}

/// One exchange. Belongs to the thread of the loop, which must outlive it.
class Exchange final : public ResponseReader {
 public:
  Exchange(RequestLoop& loop, const HookRequest& request, std::size_t index)
      : loop_(loop), request_(request), index_(index), bytes_max_(reply_bytes_max(request)) {}

  void start(HookConnector& connector) {
    Result<std::shared_ptr<Transport>> transport = connector.connect(request_.server);
    if (!transport) return finish({Break::kOther, transport.error().message()});
    transport_ = std::move(*transport);
    HttpRequest http;
    http.method = "POST";
    http.target = target_of(request_);
    http.headers = {{"Accept", "application/json, */*"},
                    {"Content-Type", "application/json"},
                    {"User-Agent", "kube-apiserver-admission"}};
    http.body = request_.body;
    http.timeout = request_.timeout;
    http.loop = &loop_;
    call_ = transport_->start(std::move(http), *this);
  }

  void on_head(int status, const HttpHeaders& headers) override {
    reply_.status = status;
    for (const auto& [name, value] : headers) {
      if (name == "content-type") reply_.content_type = value;
    }
  }
  Flow on_body(std::string_view chunk) override {
    too_large_ = too_large_ || chunk.size() > bytes_max_ - reply_.body.size();
    if (too_large_) return Flow::kEnough;
    reply_.body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override {
    finish(end);
    loop_.post(index_);
  }

  /// Gives up if there is no response yet.
  void conclude(const char* why) {
    call_.reset();
    if (!ended_) finish({Break::kOther, why});
  }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] HookReply take_reply() { return std::move(reply_); }

 private:
  void finish(const TransportEnd& end) {
    ended_ = true;
    if (end.kind == Break::kNone && !too_large_) return;
    const std::string limit = std::to_string(bytes_max_ >> 20U) + " MiB";
    const std::string why = too_large_ ? "the response is larger than " + limit
                                       : go_error(end, authority_of(request_.shown_server));
    reply_.error = "Post \"" + request_.shown_server + target_of(request_) + "\": " + why;
  }

  RequestLoop& loop_;
  const HookRequest& request_;
  const std::size_t index_;
  const std::size_t bytes_max_;
  HookReply reply_;
  bool too_large_ = false;
  bool ended_ = false;
  std::shared_ptr<Transport> transport_;
  std::unique_ptr<davit::Call> call_;  // Last: its end may use all of the above.
};

HookRequest request_to_service(const Json& config, const Store& store, std::string& why_not) {
  const Json& service = config.get("service");
  const std::string& name = service.get("name").text();
  const std::string& ns = service.get("namespace").text();
  const std::string port = std::to_string(service.get("port").integer_or(443));
  HookRequest out;
  out.server.server_name = name + '.' + ns + ".svc";
  out.shown_server = "https://" + out.server.server_name + ':' + port;
  out.path = service.get("path").text();
  out.server.roots = decode_base64(config.get("caBundle").text()).value_or("");
  const VersionPtr found = store.get({"", "services"}, ns, name);
  if (found == nullptr) {
    why_not = "service " + to_text(Json(name)) + " not found";
    return out;
  }
  const Json object = found->json();
  const std::string external = object.text_at({"spec", "externalName"});
  if (object.text_at({"spec", "type"}) != "ExternalName" || external.empty()) {
    why_not = "the sandbox reaches no Service but those of type ExternalName";
    return out;
  }
  out.server.url = "https://" + external + ':' + port;
  return out;
}

}  // namespace

HookRequest request_to(const Json& config, const Store& store, std::string& why_not) {
  return config.get("service").is_object() ? request_to_service(config, store, why_not)
                                           : request_to_url(config);
}

std::string post_error(const HookRequest& request, const std::string& why) {
  return "Post \"" + request.shown_server + request.path +
         "?timeout=" + std::to_string(request.timeout.count()) + "s\": " + why;
}

HookRequest request_to_url(const Json& config) {
  HookRequest out;
  const std::string& url = config.get("url").text();
  const std::size_t slashes = url.find("//");
  const std::size_t path = slashes == url.npos ? url.npos : url.find('/', slashes + 2);
  out.shown_server = url.substr(0, path);
  if (path != url.npos) out.path = url.substr(path);
  out.server.url = out.shown_server;
  out.server.roots = decode_base64(config.get("caBundle").text()).value_or("");
  return out;
}

std::vector<HookReply> call_hooks(HookConnector& connector, Clock& clock,
                                  const std::vector<HookRequest>& requests,
                                  const std::stop_token& stop) {
  RequestLoop loop;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (const HookRequest& each : requests) {
    exchanges.push_back(std::make_unique<Exchange>(loop, each, exchanges.size()));
  }
  const std::stop_callback on_stop(stop, [&loop] { loop.stop(); });
  Time latest = clock.now();
  for (const auto& each : exchanges) each->start(connector);
  for (const HookRequest& each : requests) {
    // The transport ends each request in time; this is for one that does not.
    latest = std::max(latest, clock.now() + each.timeout + std::chrono::seconds(1));
  }
  const auto is_open = [](const auto& each) { return !each->ended(); };
  while (!loop.stopped() && clock.now() < latest && std::ranges::any_of(exchanges, is_open)) {
    static_cast<void>(loop.wait(clock, latest, 1));
  }
  std::vector<HookReply> out;
  for (const auto& each : exchanges) {
    each->conclude(loop.stopped() ? "context canceled" : "context deadline exceeded");
    out.push_back(each->take_reply());
  }
  return out;
}

}  // namespace davit::sandbox
