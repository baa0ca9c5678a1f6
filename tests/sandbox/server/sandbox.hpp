/// A server in a test: one process, no socket, time by hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::sandbox {

/// A response, with its body parsed.
struct Reply {
  int code = 0;
  Json body;
  std::string text;  ///< The body as it came.
  HttpHeaders headers;
  std::unique_ptr<HttpBodyStream> stream;
  std::unique_ptr<HttpDeferredResponse> deferred;

  [[nodiscard]] const std::string& message() const { return body.text_at({"message"}); }
  [[nodiscard]] const std::string& reason() const { return body.text_at({"reason"}); }
  [[nodiscard]] const std::string& revision() const {
    return body.text_at({"metadata", "resourceVersion"});
  }
  /// metadata.name of the items, joined by blanks.
  [[nodiscard]] std::string names() const {
    std::string out;
    for (const Json& each : body.get("items").items()) {
      out += (out.empty() ? "" : " ") + each.text_at({"metadata", "name"});
    }
    return out;
  }
};

class Sandbox {
 public:
  explicit Sandbox(ApiServerOptions options = {}) { reopen(std::move(options)); }

  /// Another server on the same store.
  void reopen(ApiServerOptions options = {}) {
    server.reset();
    Result<std::unique_ptr<ApiServer>> opened =
        ApiServer::open({store, clock, *random, Logger(log)}, std::move(options));
    server = std::move(*opened);
  }

  Reply send(std::string method, std::string target, std::string body = "",
             HttpHeaders headers = {}) {
    HttpServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    HttpServerResponse response = server->handle(request);
    Reply reply;
    reply.code = response.status;
    reply.text = response.body;
    reply.headers = std::move(response.headers);
    reply.stream = std::move(response.stream);
    reply.deferred = std::move(response.deferred);
    if (response.content_type == "application/json" && !response.body.empty()) {
      Result<Json> json = parse_json(response.body);
      EXPECT_TRUE(json.has_value()) << response.body;
      if (json) reply.body = std::move(*json);
    }
    return reply;
  }
  Reply get(std::string target) { return send("GET", std::move(target)); }
  Reply post(std::string target, std::string body) {
    return send("POST", std::move(target), std::move(body));
  }
  Reply put(std::string target, std::string body) {
    return send("PUT", std::move(target), std::move(body));
  }
  Reply remove(std::string target, std::string body = "") {
    return send("DELETE", std::move(target), std::move(body));
  }
  /// `kind`: "merge", "strategic", "json", or "apply".
  Reply patch(std::string target, std::string_view kind, std::string body) {
    const std::string type = kind == "merge"       ? "merge-patch+json"
                             : kind == "strategic" ? "strategic-merge-patch+json"
                             : kind == "json"      ? "json-patch+json"
                                                   : "apply-patch+yaml";
    return send("PATCH", std::move(target), std::move(body),
                {{"Content-Type", "application/" + type}});
  }
  /// "ADDED a, DELETED b" of what a watch has to say now.
  static std::string events(HttpBodyStream& stream) {
    std::string text;
    static_cast<void>(stream.read(text, 1 << 20));
    std::string out;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const Json event = json_literal(text.substr(0, end));
      text.erase(0, end + 1);
      const Json& object = event.get("object");
      const std::string& name = object.text_at({"metadata", "name"});
      const std::string shown = event.text_at({"type"}) == "ERROR"
                                    ? std::to_string(object.get("code").integer_or(0))
                                    : name;
      out += (out.empty() ? "" : ", ") + event.text_at({"type"});
      if (!shown.empty()) out += ' ' + shown;
    }
    return out;
  }

  test::FakeClock clock;
  std::unique_ptr<Random> random = make_seeded_random(1);
  test::RecordingLogSink log;
  Store store{clock};
  std::unique_ptr<ApiServer> server;
};

}  // namespace davit::sandbox
