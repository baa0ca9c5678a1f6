#include "host/transport/tls_session.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "lib/base/unique_fd.hpp"
#include "tests/host/transport/certificates.hpp"

namespace davit::host {
namespace {

/// Connects over a pair of sockets. A connection is "full" or "resumed", as the server sees it, or
/// the client's failure.
class TlsSessionTest : public testing::Test {
 protected:
  static std::shared_ptr<const ClientTls> client(const TlsMaterial& material, TlsVerify verify) {
    const auto opened = ClientTls::open(material, verify);
    EXPECT_TRUE(opened) << opened.error().message();
    return *opened;
  }

  static std::string connect(const std::shared_ptr<const ClientTls>& tls,
                             const TlsServerContext& server, const std::string& name) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const UniqueFd client_end(ends[0]);
    UniqueFd server_end(ends[1]);
    EXPECT_EQ(::fcntl(client_end.get(), F_SETFL, O_NONBLOCK), 0);
    const std::jthread serving([&] {
      TlsServerSide side(server);
      if (side.accept(server_end.get())) side.respond(side.is_resumed() ? "resumed" : "full");
      server_end.reset();
    });
    TlsSession session(tls, client_end.get(), name);
    const auto finish = [&](const auto& step) {
      for (;;) {
        const TlsSession::Progress progress = step();
        const bool writes = progress == TlsSession::Progress::kWrites;
        if (!writes && progress != TlsSession::Progress::kReads) return progress;
        pollfd ready{client_end.get(), static_cast<short>(writes ? POLLOUT : POLLIN), 0};
        (void)::poll(&ready, 1, -1);
      }
    };
    if (finish([&] { return session.handshake(); }) != TlsSession::Progress::kDone) {
      return session.why();
    }
    std::array<char, 4096> buffer;
    std::string_view got;
    if (finish([&] { return session.receive(buffer, got); }) != TlsSession::Progress::kDone) {
      return session.why();
    }
    return std::string(got.substr(got.rfind('\n') + 1));
  }

  TlsMaterial trusting_ca() const {
    TlsMaterial material;
    material.roots = TlsMaterial::Roots::kGiven;
    material.ca = ca_.cert_pem();
    return material;
  }

  const Identity ca_ = Identity::authority("ca");
};

TEST_F(TlsSessionTest, NextConnectionResumes) {
  const TlsServerContext server = make_server_context(Identity::signed_by(ca_, "s", "DNS:one"));
  const auto tls = client(trusting_ca(), TlsVerify::kServer);

  EXPECT_EQ(connect(tls, server, "one"), "full");
  EXPECT_EQ(connect(tls, server, "one"), "resumed");
  EXPECT_EQ(connect(tls, server, "one."), "resumed") << "the same name";
  EXPECT_EQ(connect(client(trusting_ca(), TlsVerify::kServer), server, "one"), "full")
      << "other roots or another certificate of the client";
}

TEST_F(TlsSessionTest, ServerThatForgotItsTicketsIsVerifiedAgain) {
  const Identity identity = Identity::signed_by(ca_, "s", "DNS:one");
  const auto tls = client(trusting_ca(), TlsVerify::kServer);
  ASSERT_EQ(connect(tls, make_server_context(identity), "one"), "full");

  EXPECT_EQ(connect(tls, make_server_context(identity), "one"), "full");
  const TlsServerContext other =
      make_server_context(Identity::signed_by(Identity::authority("ca"), "s", "DNS:one"));
  EXPECT_NE(connect(tls, other, "one").find("certificate problem"), std::string::npos);
}

TEST_F(TlsSessionTest, TicketOfOneNameIsNotGoodForAnother) {
  const TlsServerContext server = make_server_context(Identity::signed_by(ca_, "s", "DNS:one"));
  const auto tls = client(trusting_ca(), TlsVerify::kServer);
  ASSERT_EQ(connect(tls, server, "one"), "full");

  EXPECT_NE(connect(tls, server, "two").find("certificate problem"), std::string::npos);
  EXPECT_EQ(connect(tls, server, "one"), "resumed");
}

TEST_F(TlsSessionTest, KeysAreNeverExchangedWithRsa) {
  const auto tls = client({}, TlsVerify::kNothing);
  const TlsServerContext server = make_server_context(Identity::rsa_authority("s"));
  SSL_CTX_set_max_proto_version(server.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(server.get(), "ECDHE-RSA-AES128-GCM-SHA256");
  EXPECT_EQ(connect(tls, server, "one"), "full");

  const TlsServerContext old = make_server_context(Identity::rsa_authority("s"));
  SSL_CTX_set_max_proto_version(old.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(old.get(), "AES128-GCM-SHA256");
  EXPECT_NE(connect(tls, old, "one").find("TLS handshake: "), std::string::npos);
}

TEST_F(TlsSessionTest, ServerWhoseCertificateHasExpiredIsNotResumed) {
  const TlsServerContext server = make_server_context(Identity::expired(ca_, "s", "DNS:one"));
  const auto tls = client({}, TlsVerify::kNothing);

  EXPECT_EQ(connect(tls, server, "one"), "full");
  EXPECT_EQ(connect(tls, server, "one"), "full");
}

}  // namespace
}  // namespace davit::host
