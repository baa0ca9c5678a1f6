// A sandbox, its socket, and the server of an aggregated API behind TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <davit/base64.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/sandbox_process.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/certificates.hpp"
#include "lib/net/http_server.hpp"
#include "lib/net/http_tunnel.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kToolPath = "/apis/tools.example.com/v1";
constexpr std::size_t kLargeBytes = 10'000'000;

/// Never known.
class NoResponse final : public HttpDeferredResponse {
 public:
  [[nodiscard]] std::optional<HttpServerResponse> take() override { return std::nullopt; }
  [[nodiscard]] Time next_take() const override { return Time::max(); }
};

/// Sends back what it gets, in capitals, until it gets "bye".
class Shouter final : public HttpTunnel {
 public:
  [[nodiscard]] State read(std::string& out, std::size_t) override {
    out += std::exchange(unread_, "");
    return ended_ ? State::kEnded : State::kOpen;
  }
  void on_ready(std::function<void()> ready) override { ready_ = std::move(ready); }
  [[nodiscard]] Time next_read() const override { return Time::max(); }
  void receive(std::string_view bytes) override {
    for (const char c : bytes) {
      unread_ += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    ended_ = ended_ || bytes.find("bye") != std::string_view::npos;
    ready_();
  }
  [[nodiscard]] bool wants_input() const override { return true; }
  void receive_end() override {
    ended_ = true;
    ready_();
  }

 private:
  std::string unread_ = "hello ";
  bool ended_ = false;
  std::function<void()> ready_;
};

/// The server of tools.example.com/v1. Thread-safe.
class ToolServer {
 public:
  explicit ToolServer(const std::string& name) {
    const WallTime now =
        std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
    authority_ = *make_authority("tools", now);
    KeyPair own = *issue_certificate(
        authority_, {.common_name = "t", .use = CertificateUse::kServer, .dns_names = {name}}, now);
    HttpServerOptions options;
    options.tls = TlsIdentity{.certificate = std::move(own.certificate),
                              .key = std::move(own.key),
                              .any_client = TlsIdentity::AnyClient::kAsked};
    server_ = *HttpServer::open(
        options, [this](const HttpServerRequest& request) { return respond(request); },
        Logger(log_));
  }

  [[nodiscard]] std::string service() const {
    return R"({"metadata":{"name":"tools"},"spec":{"type":"ExternalName",)"
           R"("externalName":"localhost","ports":[{"port":)" +
           std::to_string(server_->port()) + "}]}}";
  }
  [[nodiscard]] std::string registration() const {
    return R"({"metadata":{"name":"v1.tools.example.com"},"spec":{"group":"tools.example.com",)"
           R"("version":"v1","groupPriorityMinimum":100,"versionPriority":100,"caBundle":")" +
           encode_base64(authority_.certificate) +
           R"(","service":{"namespace":"default","name":"tools","port":)" +
           std::to_string(server_->port()) + "}}}";
  }
  /// The common name in the last client's certificate.
  [[nodiscard]] std::string last_client() {
    MutexLock lock(mutex_);
    return last_client_;
  }
  /// Blocks until a request that gets no response has come.
  void await_never() {
    MutexLock lock(mutex_);
    while (!never_asked_) asked_.wait(mutex_);
  }

 private:
  HttpServerResponse respond(const HttpServerRequest& request) {
    if (request.peer) {
      MutexLock lock(mutex_);
      last_client_ = request.peer->common_name;
    }
    const std::string path(request.path());
    HttpServerResponse out;
    if (path == std::string(kToolPath) + "/large") out.body = std::string(kLargeBytes, 'x');
    if (path == std::string(kToolPath) + "/who") out.body = request.header("X-Remote-User");
    if (path == std::string(kToolPath) + "/shout") {
      out.status = 101;
      out.headers = {{"Connection", "Upgrade"}, {"Upgrade", "shout"}};
      out.stream = std::make_unique<Shouter>();
    }
    if (path == std::string(kToolPath) + "/from") out.body = request.header("X-Forwarded-For");
    if (path == std::string(kToolPath) + "/never") {
      out.deferred = std::make_unique<NoResponse>();
      MutexLock lock(mutex_);
      never_asked_ = true;
      asked_.notify_all();
    }
    return out;
  }

  test::RecordingLogSink log_;
  KeyPair authority_;
  Mutex mutex_;
  CondVar asked_;
  bool never_asked_ GUARDED_BY(mutex_) = false;
  std::string last_client_ GUARDED_BY(mutex_);
  std::unique_ptr<HttpServer> server_;
};

class AggregatedApiTest : public testing::Test {
 protected:
  AggregatedApiTest() {
    options_.security = SandboxSecurity::kPlain;
    options_.port = 0;
    options_.controllers = {"scheduler"};
    const Result<SandboxSettings> settings =
        merge_sandbox_settings(options_, [this](const std::string& name) {
          return name == "HOME" ? std::optional(directory_.path().string()) : std::nullopt;
        });
    process_ = *SandboxProcess::open(*settings, {*clock_, *random_, sink_});
  }

  [[nodiscard]] std::uint16_t port() const {
    const std::string url = process_->url();
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  /// `request` is a method and a target.
  [[nodiscard]] static std::string head_of(const std::string& request, const std::string& body) {
    return request +
           " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  [[nodiscard]] std::string send(const std::string& request, const std::string& body = "") const {
    test::HttpClient client(port());
    client.send(head_of(request, body));
    return client.read_all();
  }
  void serve(const ToolServer& tools) const {
    ASSERT_THAT(send("POST /api/v1/namespaces/default/services", tools.service()),
                StartsWith("HTTP/1.1 201 "));
    ASSERT_THAT(send("POST /apis/apiregistration.k8s.io/v1/apiservices", tools.registration()),
                StartsWith("HTTP/1.1 201 "));
  }
  /// Blocks until the APIService has the `text`; returns what a watch showed.
  [[nodiscard]] std::string await_text(const std::string& text) const {
    test::HttpClient client(port());
    client.send(
        head_of("GET /apis/apiregistration.k8s.io/v1/apiservices?watch=1&fieldSelector="
                "metadata.name=v1.tools.example.com",
                ""));
    return client.read_until(text);
  }
  /// Blocks until the group is served: requests may follow its condition later than a watch.
  [[nodiscard]] std::string await_who() const {
    const std::string request = std::string("GET ") + kToolPath + "/who";
    std::string response = send(request);
    while (!response.starts_with("HTTP/1.1 200 ")) response = send(request);
    return response;
  }

  TempDirectory directory_;
  SandboxOptions options_;
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_system_random();
  test::RecordingLogSink sink_;
  std::unique_ptr<SandboxProcess> process_;
};

TEST_F(AggregatedApiTest, AProcessOnThisMachineServesItsGroup) {
  ToolServer tools("tools.default.svc");
  serve(tools);
  EXPECT_THAT(await_text(R"("reason":"Passed")"), HasSubstr("Passed"));

  const std::string path = std::string("GET ") + kToolPath;
  EXPECT_THAT(await_who(), HasSubstr("system:unsecured"));
  EXPECT_EQ(tools.last_client(), "front-proxy-client");
  EXPECT_GT(send(path + "/large").size(), kLargeBytes);
  EXPECT_THAT(send("GET /apis/tools.example.com"), HasSubstr("tools.example.com/v1"));
  const std::string trust =
      send("GET /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
  EXPECT_THAT(trust, HasSubstr("requestheader-client-ca-file"));
  EXPECT_THAT(trust, HasSubstr("client-ca-file"));
}

TEST_F(AggregatedApiTest, AnotherProtocolPassesInBothDirectionsUntilEitherSideEnds) {
  ToolServer tools("tools.default.svc");
  serve(tools);
  EXPECT_THAT(await_who(), StartsWith("HTTP/1.1 200 "));
  const std::string request = std::string("GET ") + kToolPath +
                              "/shout HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                              "Upgrade: shout\r\n\r\n";
  test::HttpClient client(port());
  client.send(request);
  const std::string head = client.read_until("hello ");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\n\r\nhello "));
  client.send("one");
  EXPECT_EQ(client.read_until("ONE"), "ONE");
  const std::string large(kLargeBytes / 10, 'x');
  client.send(large + '.');
  EXPECT_EQ(client.read_until(".").size(), large.size() + 1) << "more than any buffer holds";
  EXPECT_EQ(tools.last_client(), "front-proxy-client");
  client.send("bye");
  EXPECT_EQ(client.read_all(), "BYE") << "the server has ended it";

  test::HttpClient other(port());
  other.send(request);
  EXPECT_THAT(other.read_until("hello "), HasSubstr("hello "));
  other.send("last");
  other.end_sending();
  static_cast<void>(other.read_all());  // It ends, too.
  EXPECT_THAT(send(std::string("GET ") + kToolPath + "/who"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AggregatedApiTest, AServerThatHangsDelaysNoOtherRequest) {
  ToolServer tools("tools.default.svc");
  serve(tools);
  EXPECT_THAT(await_who(), StartsWith("HTTP/1.1 200 "));
  test::HttpClient waiting(port());
  waiting.send(head_of(std::string("GET ") + kToolPath + "/never", ""));
  tools.await_never();

  EXPECT_THAT(send(std::string("GET ") + kToolPath + "/who"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(send("GET /api/v1/namespaces"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AggregatedApiTest, ACertificateForAnotherNameIsRefused) {
  ToolServer tools("other.default.svc");
  serve(tools);

  EXPECT_THAT(await_text(R"("reason":"Passed")"), HasSubstr("Passed"))
      << "probes take any certificate, as those of kube-aggregator";
  std::string response = send(std::string("GET ") + kToolPath + "/who");
  while (response.find("service unavailable") != std::string::npos) {
    response = send(std::string("GET ") + kToolPath + "/who");
  }
  EXPECT_THAT(response, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(response, HasSubstr("error trying to reach service: "));
  EXPECT_EQ(tools.last_client(), "front-proxy-client") << "of the probes";
}

TEST_F(AggregatedApiTest, TheServerSeesTheAddressOfTheClient) {
  ToolServer tools("tools.default.svc");
  serve(tools);
  EXPECT_THAT(await_who(), StartsWith("HTTP/1.1 200 "));

  test::HttpClient client(port());
  client.send(std::string("GET ") + kToolPath +
              "/from HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              "X-Forwarded-For: 192.0.2.1\r\nx-forwarded-for: 192.0.2.2\r\n\r\n");

  EXPECT_THAT(client.read_all(), HasSubstr("192.0.2.1, 192.0.2.2, 127.0.0.1"));
}

}  // namespace
}  // namespace davit::host
