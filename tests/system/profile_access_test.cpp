// Who may take a CPU profile of a host: its HTTPS port, with an API server that knows its users and
// their roles.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <utility>

#include "host/process/host_process.hpp"
#include "lib/base/unique_fd.hpp"
#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"
#include "tests/support/tls_client.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A port of the loopback that is this test's alone, although it does not listen there: sockets of
/// other users cannot have it, and the host shares it.
class ReservedPort {
 public:
  ReservedPort() {
    const int yes = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_.get(), place, size), 0);
    EXPECT_EQ(::getsockname(socket_.get(), place, &size), 0);
    number_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::uint16_t number() const { return number_; }

 private:
  UniqueFd socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t number_ = 0;
};

class ProfileAccessTest : public testing::Test {
 protected:
  ProfileAccessTest() {
    transport_.set_bearer_token("admin");
    manifest_.serving.bind_address = "127.0.0.1";
    manifest_.serving.port = port_.number();
    manifest_.serving.port_sharing = true;
    manifest_.serving.certificate_directory = (directory_.path() / "certs").string();
  }
  /// As --profiling.
  void open_with_profiling() {
    manifest_.serving.profiling = true;
    open();
  }
  void open() {
    Result<std::unique_ptr<HostProcess>> opened = HostProcess::open(
        manifest_, ConnectionConfig{}, {}, HostSeams{*clock_, *random_, sink_, &transport_}, [] {});
    ASSERT_TRUE(opened) << opened.error().message();
    host_ = *std::move(opened);
  }
  /// The response to a user's request for a profile; without a token the user is anonymous.
  std::string profile(const std::string& token = "") {
    const std::string header = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return test::tls_get(
               port_.number(), "/debug/pprof/profile?seconds=1",
               {.authority = directory_.read("certs/davit.crt"), .own = {}, .headers = header})
        .text;
  }

  static sandbox::ApiServerOptions server_options(const sandbox::Authenticator& authenticator,
                                                  const sandbox::Authorizer& authorizer) {
    sandbox::ApiServerOptions options;
    options.authenticator = &authenticator;
    options.authorizer = &authorizer;
    return options;
  }

  const ReservedPort port_;
  TempDirectory directory_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink sink_;
  sandbox::Store store_{*clock_};
  const std::unique_ptr<sandbox::Authenticator> authenticator_ = sandbox::make_authenticator(
      {.tokens = {{"admin", {.name = "admin", .groups = {std::string(kMastersGroup)}}},
                  {"stranger", {.name = "stranger"}}}},
      nullptr);
  const std::unique_ptr<sandbox::Authorizer> authorizer_ = sandbox::make_rbac_authorizer(store_);
  const std::unique_ptr<sandbox::ApiServer> server_ = std::move(*sandbox::ApiServer::open(
      {store_, *clock_, *random_, Logger(sink_)}, server_options(*authenticator_, *authorizer_)));
  sandbox::InProcessTransport transport_{*server_, *clock_};
  Manifest manifest_;
  std::unique_ptr<HostProcess> host_;
};

TEST_F(ProfileAccessTest, OnlyThoseWithTheRightToItGetAProfile) {
  open_with_profiling();

  const std::string anonymous = profile();
  EXPECT_THAT(anonymous, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(anonymous, HasSubstr(R"(User \"system:anonymous\" cannot get path )"
                                   R"(\"/debug/pprof/profile\")"));
  EXPECT_THAT(profile("stranger"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(profile("wrong"), StartsWith("HTTP/1.1 401 "));

  const std::string taken = profile("admin");
  EXPECT_THAT(taken, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(taken, HasSubstr("\r\n\r\n" + std::string("\0\0\0\0\0\0\0\0\3\0\0\0", 12)));
}

TEST_F(ProfileAccessTest, WithoutProfilingNotEvenAnAdministratorGetsOne) {
  open();
  EXPECT_THAT(profile("admin"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(profile(), StartsWith("HTTP/1.1 403 ")) << "whether there is one is not shown";
}

}  // namespace
}  // namespace davit::host
