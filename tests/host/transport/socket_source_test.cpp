#include "host/transport/socket_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "host/transport/curl_transport.hpp"
#include "lib/base/mutex.hpp"
#include "tests/host/transport/certificates.hpp"
#include "tests/host/transport/collected_response.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

/// The server's name exists nowhere: a response shows that no name was resolved.
class SocketSourceTest : public testing::Test {
 protected:
  SocketSourceTest() { config_.server = "http://kubernetes.invalid:6443"; }

  /// Connects to `server` for whichever address is asked for, which is kept.
  SocketSource source_of(const TinyServer& server) {
    return [this, &server](const SocketAddress& wanted) -> Result<UniqueFd> {
      MutexLock lock(mutex_);
      asked_.push_back(wanted);
      const std::string at = server.address();
      const auto port = static_cast<std::uint16_t>(std::stoi(at.substr(at.find(':') + 1)));
      UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        return Status(Code::kUnavailable, "the server of the test does not listen");
      }
      return socket;
    };
  }

  [[nodiscard]] Result<std::unique_ptr<Transport>> make(SocketSource sockets) {
    return make_curl_transport(config_, *clock_, metrics_, Logger(sink_), std::move(sockets));
  }
  /// The body of the response to one GET, or how the request ended.
  static std::string get(Transport& transport, Break& end) {
    HttpRequest request;
    request.method = "GET";
    request.target = "/";
    CollectedResponse response;
    const auto call = transport.start(request, response);
    end = response.wait().kind;
    return response.body();
  }

  ConnectionConfig config_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
  Mutex mutex_;
  std::vector<SocketAddress> asked_ GUARDED_BY(mutex_);
};

TEST_F(SocketSourceTest, RequestGoesOverTheSocketThatTheSourceConnected) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("here");
  });
  const auto transport = make(source_of(server)).value();
  Break end{};
  EXPECT_EQ(get(*transport, end), "here");
  EXPECT_EQ(get(*transport, end), "here");
  MutexLock lock(mutex_);
  // The connection is kept for the second request.
  EXPECT_EQ(asked_, (std::vector<SocketAddress>{{"kubernetes.invalid", "6443"}}));
}

TEST_F(SocketSourceTest, ServerOverTlsIsVerifiedByItsOwnName) {
  const Identity ca = Identity::authority("ca");
  const Identity identity = Identity::signed_by(ca, "server", "DNS:kubernetes.invalid");
  TinyServer server([&identity](Peer& peer) {
    TlsServerSide tls(identity, nullptr);
    if (!tls.accept(peer.descriptor())) return;
    while (!tls.read_request().empty()) tls.respond(tls.server_name());
  });
  config_.server = "https://kubernetes.invalid:6443";
  config_.ca_data = ca.cert_pem();
  Break end{};
  const auto transport = make(source_of(server)).value();
  EXPECT_EQ(get(*transport, end), "kubernetes.invalid");

  config_.server = "https://other.invalid:6443";
  const auto other = make(source_of(server)).value();
  EXPECT_EQ(get(*other, end), "");
  EXPECT_EQ(end, Break::kTls);
}

TEST_F(SocketSourceTest, AddressOfIpv6HasNoBrackets) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("here");
  });
  config_.server = "http://[fd00::1]:6443";
  const auto transport = make(source_of(server)).value();
  Break end{};
  EXPECT_EQ(get(*transport, end), "here");
  MutexLock lock(mutex_);
  EXPECT_EQ(asked_, (std::vector<SocketAddress>{{"fd00::1", "6443"}}));
}

TEST_F(SocketSourceTest, SourceThatRefusesSendsNothing) {
  const auto transport = make([](const SocketAddress&) -> Result<UniqueFd> {
                           return Status(Code::kForbidden, "not this server");
                         }).value();
  Break end{};
  EXPECT_EQ(get(*transport, end), "");
  EXPECT_EQ(end, Break::kRefused);
}

TEST_F(SocketSourceTest, ProxyIsRefused) {
  config_.proxy_url = "http://proxy.invalid:3128";
  TinyServer server([](Peer&) {});
  const auto made = make(source_of(server));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::kUnsupported);
  EXPECT_THAT(made.error().message(), HasSubstr("proxy.invalid"));
}

}  // namespace
}  // namespace davit::host
