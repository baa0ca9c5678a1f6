#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/net/certificate_pool.hpp"
#include "lib/net/certificates.hpp"
#include "lib/net/http_server.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/tls_client.hpp"
#include "tests/support/weak_pair.hpp"

namespace davit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// Says whether a client's certificate is one of the test's authority.
class TlsServerTest : public testing::Test {
 protected:
  KeyPair pair_for(const std::string& name) {
    const Result<KeyPair> made = issue_certificate(
        authority_,
        {.common_name = name, .use = CertificateUse::kServer, .dns_names = {name, "localhost"}},
        now_);
    EXPECT_TRUE(made) << made.error().message();
    return *made;
  }
  TlsIdentity identity_of(const KeyPair& pair) {
    TlsIdentity out{pair.certificate, pair.key};
    out.any_client = TlsIdentity::AnyClient::kAsked;
    return out;
  }
  void open(const TlsIdentity& identity) {
    HttpServerOptions options;
    options.tls = identity;
    auto server = HttpServer::open(
        options, [this](const HttpServerRequest& request) { return judge(request); },
        Logger(sink_));
    ASSERT_TRUE(server) << server.error().message();
    server_ = *std::move(server);
  }
  HttpServerResponse judge(const HttpServerRequest& request) const {
    HttpServerResponse response;
    response.body = "nobody";
    if (!request.peer) return response;
    const auto pool = CertificatePool::from_pem(authority_.certificate);
    const auto holder = (*pool)->verify_client(*request.peer->chain, now_);
    response.body = holder ? holder->common_name + "/" + holder->organizations.front() : "unknown";
    return response;
  }
  test::TlsResponse ask(const test::TlsClientOptions& options) {
    return test::tls_get(server_->port(), "/", options);
  }

  const WallTime now_ = make_system_clock()->wall_now();
  const KeyPair authority_ = *make_authority("authority", now_);
  test::RecordingLogSink sink_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsServerTest, TheServerNameChoosesTheCertificate) {
  TlsIdentity identity = identity_of(pair_for("localhost"));
  const KeyPair shop = pair_for("shop.example.org");
  const KeyPair any = pair_for("any.example.org");
  const KeyPair named = pair_for("named.example.org");
  identity.named = {{any.certificate, any.key, {"*.Example.org"}},
                    {named.certificate, named.key, {}},
                    {shop.certificate, shop.key, {"shop.example.org"}}};
  open(identity);

  const auto served = [this](const std::string& name) {
    return ask({.authority = authority_.certificate, .own = {}, .name = name}).common_name;
  };

  EXPECT_EQ(served("localhost"), "named.example.org") << "a name in a certificate counts";
  EXPECT_EQ(served("shop.example.org"), "shop.example.org") << "a whole name before a pattern";
  EXPECT_EQ(served("any.example.org"), "any.example.org");
  EXPECT_EQ(served("named.example.org"), "named.example.org");
}

TEST_F(TlsServerTest, ACertificateMayHaveItsAuthoritysName) {
  open(identity_of(pair_for("authority")));

  const test::TlsClientOptions client{.authority = authority_.certificate, .own = {}};
  EXPECT_EQ(ask(client).common_name, "authority");
}

TEST_F(TlsServerTest, NewConnectionsGetTheNewIdentityAndBadOnesChangeNothing) {
  const KeyPair first = pair_for("first");
  const KeyPair second = pair_for("second");
  open(identity_of(first));
  const test::TlsClientOptions client{.authority = authority_.certificate, .own = {}};
  EXPECT_EQ(ask(client).common_name, "first");

  TlsIdentity mixed = identity_of(first);
  mixed.key = second.key;
  EXPECT_THAT(server_->change_tls(mixed).message(), HasSubstr("key values mismatch"));
  EXPECT_EQ(ask(client).common_name, "first");

  ASSERT_TRUE(server_->change_tls(identity_of(second)).ok());
  EXPECT_EQ(ask(client).common_name, "second");
}

TEST_F(TlsServerTest, OldVersionsAreSpokenOnlyIfAsked) {
  TlsIdentity identity = identity_of(pair_for("localhost"));
  open(identity);
  const test::TlsClientOptions old{
      .authority = authority_.certificate, .own = {}, .old_version = true};
  EXPECT_EQ(ask(old).text, "");

  identity.min_version = TlsVersion::k10;
  ASSERT_TRUE(server_->change_tls(identity).ok());
  EXPECT_THAT(ask(old).text, EndsWith("nobody"));
}

TEST_F(TlsServerTest, CipherSuitesHaveTheirIanaNames) {
  TlsIdentity identity = identity_of(pair_for("localhost"));
  identity.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "TLS_AES_128_GCM_SHA256"};
  open(identity);
  EXPECT_THAT(ask({.authority = authority_.certificate, .own = {}}).text, EndsWith("nobody"));

  identity.cipher_suites = {"TLS_NO_SUCH_SUITE"};
  EXPECT_EQ(server_->change_tls(identity).message(), "unknown cipher suite TLS_NO_SUCH_SUITE");
}

TEST_F(TlsServerTest, KeyExchangesAreThoseThatAreAllowed) {
  TlsIdentity identity = identity_of(pair_for("localhost"));
  identity.curves = {"P-384", "P-256", "NotInThisOpenSsl"};
  open(identity);
  const auto answer = [this](const char* groups) {
    return ask({.authority = authority_.certificate, .own = {}, .groups = groups}).text;
  };
  EXPECT_THAT(answer("P-256"), EndsWith("nobody"));
  EXPECT_THAT(answer("X25519:P-384"), EndsWith("nobody"));
  EXPECT_EQ(answer("X25519"), "");

  identity.curves = {"NotInThisOpenSsl"};
  EXPECT_EQ(server_->change_tls(identity).message(),
            "OpenSSL has none of the key exchanges that are allowed");
}

TEST_F(TlsServerTest, KeysAreNeverExchangedWithRsa) {
  TlsIdentity identity = identity_of(test::with_rsa_key(pair_for("localhost"), authority_));
  open(identity);
  const auto answer = [this](const char* ciphers) {
    return ask({.authority = authority_.certificate, .own = {}, .weak = true, .ciphers = ciphers})
        .text;
  };
  EXPECT_THAT(answer("ECDHE-RSA-AES128-GCM-SHA256"), EndsWith("nobody"));
  EXPECT_EQ(answer("AES128-GCM-SHA256:AES256-SHA"), "");

  identity.cipher_suites = {"TLS_RSA_WITH_AES_128_GCM_SHA256",
                            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"};
  ASSERT_TRUE(server_->change_tls(identity).ok());
  EXPECT_THAT(answer("ECDHE-RSA-AES128-GCM-SHA256"), EndsWith("nobody"));
  EXPECT_EQ(answer("AES128-GCM-SHA256"), "") << "also if it is asked for";

  identity.cipher_suites = {"TLS_RSA_WITH_AES_128_GCM_SHA256"};
  EXPECT_EQ(server_->change_tls(identity).message(),
            "none of the cipher suites has forward secrecy");
}

TEST_F(TlsServerTest, AClientsCertificateWithASignatureOfSha1IsNotTrusted) {
  const KeyPair server = pair_for("localhost");
  TlsIdentity identity{server.certificate, server.key};
  identity.client_ca = authority_.certificate;
  HttpServerOptions options;
  options.tls = identity;
  options.tls->min_version = TlsVersion::k10;  // Old versions need OpenSSL's lowest level.
  auto opened = HttpServer::open(
      options,
      [](const HttpServerRequest& request) {
        HttpServerResponse response;
        response.body = request.peer && request.peer->trusted ? "trusted" : "unknown";
        return response;
      },
      Logger(sink_));
  ASSERT_TRUE(opened) << opened.error().message();
  server_ = *std::move(opened);
  const KeyPair ann = *issue_certificate(authority_, {.common_name = "ann"}, now_);
  const auto ask_as = [this](const KeyPair& own) {
    return ask({.authority = authority_.certificate, .own = own, .weak = true}).text;
  };

  EXPECT_THAT(ask_as(ann), EndsWith("trusted"));
  EXPECT_THAT(ask_as(test::signed_again(ann, authority_, EVP_sha1())), EndsWith("unknown"));
}

TEST_F(TlsServerTest, TheHandlerJudgesTheClientsCertificate) {
  open(identity_of(pair_for("localhost")));
  const KeyPair other = *make_authority("other", now_);
  const auto ask_as = [this](const KeyPair& own) {
    return ask({.authority = authority_.certificate, .own = own}).text;
  };
  const CertificateRequest request{.common_name = "ann", .organizations = {"ops"}};

  EXPECT_THAT(ask_as(*issue_certificate(authority_, request, now_)), EndsWith("ann/ops"));
  EXPECT_THAT(ask_as(*issue_certificate(other, request, now_)), EndsWith("unknown"));
  EXPECT_THAT(ask_as(*issue_certificate(authority_, request,
                                        now_ - kCertificateTime - std::chrono::hours(2))),
              EndsWith("unknown"))
      << "it has expired";
  EXPECT_THAT(ask_as(pair_for("localhost")), EndsWith("unknown")) << "it is a server's";
  EXPECT_THAT(ask_as({}), EndsWith("nobody"));
}

}  // namespace
}  // namespace davit
