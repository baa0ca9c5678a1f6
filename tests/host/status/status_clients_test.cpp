// The status page under far more clients than the server serves at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "host/health/observability_server.hpp"
#include "host/status/status_board.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kClients = 1000;
constexpr int kClientsBetweenProbes = 100;
/// All clients, the server's ends of them, and what the process has open anyway.
constexpr rlim_t kFiles = 2 * kClients + 200;

/// The kernel keeps up to 4 MiB of a response that its client does not read.
constexpr std::size_t kMoreThanBuffersHold = std::size_t{8} << 20U;

/// A process may open enough files while it lives.
class ManyFiles {
 public:
  ManyFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit raised = before_;
    raised.rlim_cur = std::max(before_.rlim_cur, kFiles);
    is_enough_ = raised.rlim_cur <= before_.rlim_max && ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
  }
  ~ManyFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  ManyFiles(const ManyFiles&) = delete;
  ManyFiles& operator=(const ManyFiles&) = delete;

  [[nodiscard]] bool is_enough() const { return is_enough_; }

 private:
  rlimit before_{};
  bool is_enough_ = false;
};

class StatusClientsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(files_.is_enough()) << "ulimit -Hn is below " << kFiles; }

  /// Serves a page of a host with 20 plugins and a `note`.
  void serve(const HttpServerOptions& options, const std::string& note) {
    HostStatus status;
    status.now = clock_.now();
    status.notes = {note};
    for (int i = 0; i < 20; ++i) {
      PluginState plugin;
      plugin.name = "plugin-" + std::to_string(i);
      plugin.controllers.push_back({.name = plugin.name + "-controller", .state = "running"});
      status.set.plugins.push_back(plugin);
    }
    board_.sample(status);
    routes_.add_route("/", [this](const HttpServerRequest&) {
      HttpServerResponse response;
      response.body = board_.page();
      return response;
    });
    auto server = routes_.serve(options, Logger(sink_));
    ASSERT_TRUE(server) << server.error().message();
    server_ = std::move(*server);
  }

  /// Reads the response of each client; the number of pages among them.
  std::size_t read_responses() {
    const std::string page = "\r\n\r\n" + board_.page();
    std::size_t pages = 0;
    for (test::HttpClient& client : clients_) {
      const std::string response = client.read_response();
      if (response.starts_with("HTTP/1.1 200 ")) {
        EXPECT_TRUE(response.ends_with(page));
        ++pages;
      } else {
        EXPECT_THAT(response, StartsWith("HTTP/1.1 503 "));
        EXPECT_THAT(response, HasSubstr("\r\nRetry-After: 1\r\n"));
      }
    }
    return pages;
  }

  /// One more client, which does not read yet.
  void connect(const std::string& bytes) {
    test::HttpClient& client = clients_.emplace_back(server_->port());
    ASSERT_TRUE(client.connected());
    client.send(bytes);
  }
  void expect_probes_are_served() const {
    for (const char* const probe : {"/healthz", "/livez", "/readyz"}) {
      EXPECT_THAT(test::http_get(server_->port(), probe), StartsWith("HTTP/1.1 200 ")) << probe;
    }
  }

  const ManyFiles files_;
  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  HealthChecks checks_{Logger(sink_)};
  std::unique_ptr<Metrics> metrics_ = Metrics::make({.git_version = "v1.36.2"}, clock_);
  ProbeThreads probe_threads_{clock_, std::chrono::hours(1)};
  ObservabilityRoutes routes_{checks_, *metrics_, probe_threads_};
  StatusBoard board_;
  std::unique_ptr<HttpServer> server_;
  std::deque<test::HttpClient> clients_;
};

TEST_F(StatusClientsTest, AThousandAtOnceGetTheWholePageOrARefusal) {
  serve({}, "a note");
  for (int i = 0; i < kClients; ++i) {
    connect("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % kClientsBetweenProbes == 0) expect_probes_are_served();
  }
  expect_probes_are_served();

  EXPECT_GE(read_responses(), HttpServerOptions().others_max);
}

TEST_F(StatusClientsTest, OfAThousandThatDoNotReadFewOccupyTheServer) {
  HttpServerOptions options;
  options.others_max = 4;
  serve(options, std::string(kMoreThanBuffersHold, 'x'));
  for (int i = 0; i < kClients; ++i) connect("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  expect_probes_are_served();
  EXPECT_GE(read_responses(), options.others_max);
}

TEST_F(StatusClientsTest, AThousandThatAskForNothingKeepNoOneOut) {
  serve({}, "a note");
  for (int i = 0; i < kClients; ++i) {
    connect("GET / HTTP/1.1\r\n");
    if (i % kClientsBetweenProbes == 0) expect_probes_are_served();
  }

  expect_probes_are_served();
  EXPECT_THAT(test::http_get(server_->port(), "/"), EndsWith("\r\n\r\n" + board_.page()));
}

}  // namespace
}  // namespace davit::host
