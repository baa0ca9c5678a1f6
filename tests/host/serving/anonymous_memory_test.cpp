// The memory that strangers take from a host for good: issue 29, 1.2.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "host/serving/access_control.hpp"
#include "tests/host/serving/recording_serving_metrics.hpp"
#include "tests/support/allocated_bytes.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {
namespace {

using test::allocated_bytes;
using testing::StartsWith;

/// Denies everything, and keeps nothing of what it was asked.
class Denying final : public Transport {
 public:
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest, ResponseReader& reader) override {
    reader.on_head(201, {{"content-type", "application/json"}});
    (void)reader.on_body(R"({"kind":"SubjectAccessReview",)"
                         R"("apiVersion":"authorization.k8s.io/v1","status":{"allowed":false}})");
    reader.on_end({});
    return std::make_unique<Ended>();
  }
  [[nodiscard]] std::string_view server() const override { return "https://denying:6443"; }

 private:
  struct Ended final : Call {
    void resume() override {}
  };
};

class AnonymousMemoryTest : public testing::Test {
 protected:
  AnonymousMemoryTest() {
    HttpServerOptions options;
    options.is_probe = [](const HttpServerRequest& request) {
      return request.path() == "/healthz";
    };
    auto server = HttpServer::open(
        options, [this](const HttpServerRequest& request) { return control_.handle(request); },
        Logger(sink_));
    EXPECT_TRUE(server) << server.error().message();
    server_ = *std::move(server);
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

  static constexpr std::size_t kLeftMax = std::size_t{8} << 20U;

  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_system_random();
  test::RecordingLogSink sink_;
  test::RecordingRestMetrics rest_metrics_;
  test::RecordingServingMetrics metrics_;
  Denying transport_;
  RestClient client_{transport_, *clock_, rest_metrics_, Logger(sink_), {.rate = {-1, 0}}};
  AccessReviews reviews_{client_, client_, {*clock_, *random_, metrics_}};
  TrustSource trust_{AuthenticationSettings()};
  AccessControl::Seams seams() {
    return {trust_,  reviews_, threads_,
            *clock_, metrics_, [](const HttpServerRequest&) { return HttpServerResponse(); }};
  }
  // Before the threads, whose jobs use it.
  AccessControl control_{AuthenticationSettings(), AuthorizationSettings(), seams(), Logger(sink_)};
  RequestThreads threads_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(AnonymousMemoryTest, ManyLongPathsAndLargeHeadsLeaveNothingBehind) {
  constexpr int kClients = 32;
  constexpr int kRounds = 250;
  const std::string path = "/" + std::string(4000, 'p');
  const std::size_t before = allocated_bytes();

  std::deque<test::HttpClient> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back(port());
  for (int round = 0; round < kRounds; ++round) {
    int number = round * kClients;
    for (test::HttpClient& each : clients) {
      each.send("GET " + path + std::to_string(number++) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    for (test::HttpClient& each : clients) {
      ASSERT_THAT(each.read_response(), StartsWith("HTTP/1.1 403 ")) << round;
    }
  }
  clients.clear();
  for (std::size_t i = 0; i < HttpServerOptions().connections_max; ++i) {
    std::string head = "GET /x HTTP/1.1\r\nHost: x\r\n";
    for (int field = 0; i % 2 == 0 && field < 90; ++field) {
      head += "N" + std::to_string(field) + ": " + std::string(600, 'v') + "\r\n";
    }
    if (i % 2 == 1) head += "V: " + std::string(60'000, 'v') + "\r\n";
    test::HttpClient& each = clients.emplace_back(port());
    each.send(head + "\r\n");
    ASSERT_THAT(each.read_response(), StartsWith("HTTP/1.1 403 ")) << i;
  }

  EXPECT_LT(allocated_bytes(), before + kLeftMax);
}

}  // namespace
}  // namespace davit::host
