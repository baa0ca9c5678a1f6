#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "host/transport/curl_transport.hpp"
#include "host/transport/tls_material.hpp"
#include "lib/net/request_loop.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/transport/certificates.hpp"
#include "tests/host/transport/collected_response.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

class TlsTest : public testing::Test {
 protected:
  Result<std::unique_ptr<TlsSource>> open() {
    return TlsSource::open(config_, clock_.now(), metrics_, Logger(sink_));
  }
  std::string ca_now(TlsSource& source) { return source.current(clock_.now())->ca; }

  // The body of the response to one GET, or the message of the failure.
  static std::string get(Transport& transport) {
    HttpRequest request;
    request.method = "GET";
    request.target = "/";
    CollectedResponse response;
    const auto call = transport.start(request, response);
    const TransportEnd end = response.wait();
    if (end.kind == Break::kTls) return "TLS: " + end.message;
    return end.kind == Break::kNone ? response.body() : end.message;
  }
  // A server that responds "<name the client used> <the client's own name>" to everything.
  static TinyServer::Script naming(const Identity& identity, const Identity* client_ca = nullptr) {
    return [&identity, client_ca](Peer& peer) {
      TlsServerSide tls(identity, client_ca);
      if (!tls.accept(peer.descriptor())) return;
      while (!tls.read_request().empty()) {
        tls.respond(tls.server_name() + " " + tls.client_name());
      }
    };
  }
  std::unique_ptr<Transport> connect_to(const TinyServer& server) {
    config_.server = "https://" + server.address();
    auto made = make_curl_transport(config_, clock_, metrics_, Logger(sink_));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }

  TempDirectory dir_;
  ConnectionConfig config_;
  test::FakeClock clock_;
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
  const Identity ca_ = Identity::authority("ca");
};

TEST_F(TlsTest, NewCaBundleIsUsedWithinFiveMinutesRT023) {
  const Identity other = Identity::authority("ca");
  config_.ca_file = dir_.write("ca.crt", ca_.cert_pem());
  const auto source = open();
  ASSERT_TRUE(source);
  dir_.write("ca.crt", other.cert_pem());
  clock_.advance(minutes(4));
  EXPECT_EQ(ca_now(**source), ca_.cert_pem());
  clock_.advance(minutes(1));
  EXPECT_EQ(ca_now(**source), other.cert_pem());
  EXPECT_EQ(metrics_.of("ca_reload success updated"), 1);
  clock_.advance(minutes(5));
  EXPECT_EQ(ca_now(**source), other.cert_pem());
  EXPECT_EQ(metrics_.of("ca_reload success unchanged"), 1);
}

TEST_F(TlsTest, UnusableCaBundleKeepsTheOldOneRT023) {
  config_.ca_file = dir_.write("ca.crt", ca_.cert_pem());
  const auto source = open();
  ASSERT_TRUE(source);
  dir_.write("ca.crt", "");
  clock_.advance(minutes(5));
  EXPECT_EQ(ca_now(**source), ca_.cert_pem());
  EXPECT_EQ(metrics_.of("ca_reload failure empty"), 1);
  dir_.write("ca.crt", "garbage");
  clock_.advance(minutes(5));
  EXPECT_EQ(ca_now(**source), ca_.cert_pem());
  EXPECT_EQ(metrics_.of("ca_reload failure ca_parse_error"), 1);
  dir_.remove("ca.crt");
  clock_.advance(minutes(5));
  EXPECT_EQ(ca_now(**source), ca_.cert_pem());
  EXPECT_EQ(metrics_.of("ca_reload failure read_error"), 1);
}

TEST_F(TlsTest, HalfReplacedClientCertificateKeepsTheOldPair) {
  const Identity old = Identity::signed_by(ca_, "old", "DNS:old");
  const Identity fresh = Identity::signed_by(ca_, "new", "DNS:new");
  config_.cert_file = dir_.write("c", old.cert_pem());
  config_.key_file = dir_.write("k", old.key_pem());
  const auto source = open();
  ASSERT_TRUE(source) << source.error().message();
  dir_.write("c", fresh.cert_pem());
  clock_.advance(minutes(5));
  EXPECT_EQ((*source)->current(clock_.now())->cert, old.cert_pem());
  dir_.write("k", fresh.key_pem());
  clock_.advance(minutes(5));
  EXPECT_EQ((*source)->current(clock_.now())->cert, fresh.cert_pem());
}

TEST_F(TlsTest, TheEndOfTheClientCertificateIsThatOfTheKubeconfigsDataOrFile) {
  const WallTime now = make_system_clock()->wall_now();
  EXPECT_FALSE(client_certificate_end(config_)) << "there is none";

  config_.cert_file = dir_.write("c", Identity::signed_by(ca_, "good", "DNS:a").cert_pem());
  ASSERT_TRUE(client_certificate_end(config_));
  EXPECT_GT(*client_certificate_end(config_), now);

  config_.cert_data = Identity::expired(ca_, "old", "DNS:a").cert_pem();
  ASSERT_TRUE(client_certificate_end(config_));
  EXPECT_LT(*client_certificate_end(config_), now) << "data wins over a file";

  config_.cert_data.clear();
  config_.cert_file = (dir_.path() / "gone").string();
  EXPECT_FALSE(client_certificate_end(config_));
}

TEST_F(TlsTest, ReplacedPairIsReadWithinASecond) {
  const Identity old = Identity::signed_by(ca_, "old", "DNS:old");
  const Identity fresh = Identity::signed_by(ca_, "new", "DNS:new");
  config_.cert_file = dir_.write("c", old.cert_pem());
  config_.key_file = dir_.write("k", old.key_pem());
  const auto source = open();
  ASSERT_TRUE(source) << source.error().message();
  dir_.write("c", fresh.cert_pem());
  dir_.write("k", fresh.key_pem());

  EXPECT_EQ((*source)->current(clock_.now())->cert, old.cert_pem());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ((*source)->current(clock_.now())->cert, fresh.cert_pem());
}

TEST_F(TlsTest, PairThatStaysUnusableIsReportedOnce) {
  const Identity pair = Identity::signed_by(ca_, "one", "DNS:one");
  config_.cert_file = dir_.write("c", pair.cert_pem());
  config_.key_file = dir_.write("k", pair.key_pem());
  const auto source = open();
  ASSERT_TRUE(source) << source.error().message();
  const auto look = [&](const std::string& cert) {
    dir_.write("c", cert);
    for (int i = 0; i < 3; ++i) {
      clock_.advance(std::chrono::seconds(1));
      EXPECT_EQ((*source)->current(clock_.now())->cert, pair.cert_pem());
    }
    return sink_.lines().size();
  };

  EXPECT_EQ(look("garbage"), 1u);
  EXPECT_EQ(look(pair.cert_pem()), 1u);
  EXPECT_EQ(look("garbage"), 2u) << "it was usable in between";
}

TEST_F(TlsTest, ContradictionsAndBadFilesAreReportedAtOnceRT030) {
  config_.insecure = true;
  config_.ca_data = ca_.cert_pem();
  EXPECT_THAT(open().error().message(), HasSubstr("insecure flag is not allowed"));
  config_ = {};
  config_.cert_data = ca_.cert_pem();
  EXPECT_THAT(open().error().message(), HasSubstr("needs its key"));
  config_.key_data = Identity::authority("x").key_pem();
  EXPECT_THAT(open().error().message(), HasSubstr("does not belong to the certificate"));
  config_ = {};
  config_.ca_data = "garbage";
  EXPECT_THAT(open().error().message(), HasSubstr("unable to load root certificates"));
  config_ = {};
  config_.ca_file = dir_.path().string() + "/missing";
  EXPECT_THAT(open().error().message(), HasSubstr("/missing"));
}

TEST_F(TlsTest, EmptyCaFileVerifiesNothing) {
  const Identity identity = Identity::signed_by(ca_, "server", "IP:127.0.0.1");
  TinyServer server(naming(identity));
  config_.ca_file = dir_.write("ca.crt", "");
  EXPECT_THAT(get(*connect_to(server)), HasSubstr("TLS: "));
}

TEST_F(TlsTest, OnlyTheGivenRootsCount) {
  const Identity identity = Identity::signed_by(ca_, "server", "IP:127.0.0.1");
  TinyServer server(naming(identity));
  config_.ca_data = ca_.cert_pem();
  EXPECT_EQ(get(*connect_to(server)), " ");
  config_.ca_data = Identity::authority("other").cert_pem();
  EXPECT_THAT(get(*connect_to(server)), HasSubstr("TLS: "));
  config_.ca_data = "";
  EXPECT_THAT(get(*connect_to(server)), HasSubstr("TLS: "));
  config_.insecure = true;
  EXPECT_EQ(get(*connect_to(server)), " ");
}

TEST_F(TlsTest, KeysAreNeverExchangedWithRsaThroughAProxyEither) {
  const auto through_proxy_to = [this](const char* ciphers) {
    const TlsServerContext context = make_server_context(Identity::rsa_authority("server"));
    SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context.get(), ciphers);
    TinyServer both([context](Peer& peer) {
      peer.read_request();
      peer.write("HTTP/1.1 200 OK\r\n\r\n");
      TlsServerSide tls(context);
      if (!tls.accept(peer.descriptor())) return;
      while (!tls.read_request().empty()) tls.respond("served");
    });
    config_.insecure = true;
    config_.proxy_url = both.url();
    return get(*connect_to(both));
  };

  EXPECT_EQ(through_proxy_to("ECDHE-RSA-AES128-GCM-SHA256"), "served");
  EXPECT_THAT(through_proxy_to("AES128-GCM-SHA256"), HasSubstr("TLS: "));
}

TEST_F(TlsTest, ConfiguredServerNameIsSentAndVerifiedRT031) {
  const Identity identity = Identity::signed_by(ca_, "server", "DNS:api.internal");
  TinyServer server(naming(identity));
  config_.ca_data = ca_.cert_pem();
  EXPECT_THAT(get(*connect_to(server)), HasSubstr("TLS: "));
  config_.tls_server_name = "api.internal";
  EXPECT_EQ(get(*connect_to(server)), "api.internal ");
}

TEST_F(TlsTest, WriteIsHeldBackWhenLeadershipIsLostDuringTheHandshake) {
  const Identity identity = Identity::signed_by(ca_, "server", "IP:127.0.0.1");
  std::atomic<bool> leader = true;
  std::promise<std::string> seen;
  TinyServer server([&](Peer& peer) {
    leader = false;
    TlsServerSide tls(identity, nullptr);
    if (tls.accept(peer.descriptor())) seen.set_value(tls.read_request());
  });
  config_.ca_data = ca_.cert_pem();
  auto transport = connect_to(server);
  RestOptions options{.rate = {-1, 0}};
  options.write_gate = [&leader] {
    return leader ? Status() : Status(Code::kUnavailable, "not the leader");
  };
  const auto clock = make_system_clock();
  RestClient client(*transport, *clock, metrics_, Logger(sink_), options);

  const ApiResponse response = client.call(write_pod(Verb::kCreate));

  EXPECT_EQ(response.status.code(), Code::kCancelled);
  EXPECT_EQ(response.status.message(), "not the leader");
  transport.reset();  // Closes the connection that was never used.
  EXPECT_EQ(seen.get_future().get(), "") << "nothing of the request may reach the server";
}

TEST_F(TlsTest, NewClientCertificateIsShownOnNewConnectionsRT022) {
  const Identity identity = Identity::signed_by(ca_, "server", "IP:127.0.0.1");
  const Identity old = Identity::signed_by(ca_, "old", "DNS:old");
  const Identity fresh = Identity::signed_by(ca_, "new", "DNS:new");
  TinyServer server(naming(identity, &ca_));
  config_.ca_data = ca_.cert_pem();
  config_.cert_file = dir_.write("c", old.cert_pem());
  config_.key_file = dir_.write("k", old.key_pem());
  const auto transport = connect_to(server);
  EXPECT_EQ(get(*transport), " old");
  EXPECT_EQ(get(*transport), " old");
  EXPECT_EQ(server.connections(), 1u);

  dir_.write("c", fresh.cert_pem());
  dir_.write("k", fresh.key_pem());
  clock_.advance(minutes(5));

  EXPECT_EQ(get(*transport), " new");
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(TlsTest, ReplacedCertificateIsNotRestoredByADelayedRequest) {
  const Identity identity = Identity::signed_by(ca_, "server", "IP:127.0.0.1");
  const Identity old = Identity::signed_by(ca_, "old", "DNS:old");
  const Identity fresh = Identity::signed_by(ca_, "new", "DNS:new");
  test::Door door;
  std::promise<void> asked;
  TinyServer server([&](Peer& peer) {
    TlsServerSide tls(identity, &ca_);
    if (!tls.accept(peer.descriptor())) return;
    while (true) {
      const std::string request = tls.read_request();
      if (request.empty()) return;
      if (request.find("/watch") != std::string::npos) {
        asked.set_value();
        door.pass();
      }
      tls.respond(tls.client_name());
    }
  });
  config_.ca_data = ca_.cert_pem();
  const auto transport = connect_to(server);
  // Two requests of a credential plugin that was run in between.
  const auto first = std::make_shared<const ClientCertificate>(
      ClientCertificate{old.cert_pem(), old.key_pem(), 1});
  const auto second = std::make_shared<const ClientCertificate>(
      ClientCertificate{fresh.cert_pem(), fresh.key_pem(), 2});
  HttpRequest watch;
  watch.method = "GET";
  watch.target = "/watch";
  watch.purpose = ConnectionPurpose::kWatch;
  watch.certificate = second;
  CollectedResponse open_response;
  const auto watch_call = transport->start(watch, open_response);
  asked.get_future().wait();

  HttpRequest held_up;
  held_up.method = "GET";
  held_up.target = "/";
  held_up.certificate = first;
  CollectedResponse response;
  const auto call = transport->start(held_up, response);

  EXPECT_EQ(response.wait().kind, Break::kNone);
  EXPECT_EQ(response.body(), "new");
  door.open();
  EXPECT_EQ(open_response.wait().kind, Break::kNone)
      << "the watch of the new certificate continues";
}

enum class Driver { kCaller, kTransport };

class OpenWatchTest : public TlsTest, public testing::WithParamInterface<Driver> {};

INSTANTIATE_TEST_SUITE_P(Every, OpenWatchTest, testing::Values(Driver::kCaller, Driver::kTransport),
                         [](const testing::TestParamInfo<Driver>& info) {
                           return info.param == Driver::kCaller ? "DrivenByItsCaller"
                                                                : "DrivenByTheTransport";
                         });

TEST_P(OpenWatchTest, EndsWhenTheClientCertificateIsReplacedRT022) {
  const Identity identity = Identity::signed_by(ca_, "server", "IP:127.0.0.1");
  const Identity old = Identity::signed_by(ca_, "old", "DNS:old");
  const Identity fresh = Identity::signed_by(ca_, "new", "DNS:new");
  std::promise<void> asked;
  std::atomic<bool> first = true;
  TinyServer server([&](Peer& peer) {
    TlsServerSide tls(identity, &ca_);
    if (!tls.accept(peer.descriptor())) return;
    if (first.exchange(false)) {
      tls.read_request();
      asked.set_value();
      tls.read_request();  // Until the client closes.
      return;
    }
    while (!tls.read_request().empty()) tls.respond(tls.client_name());
  });
  config_.ca_data = ca_.cert_pem();
  config_.cert_file = dir_.write("c", old.cert_pem());
  config_.key_file = dir_.write("k", old.key_pem());
  const auto transport = connect_to(server);
  HttpRequest watch;
  watch.method = "GET";
  watch.target = "/watch";
  watch.purpose = ConnectionPurpose::kWatch;
  RequestLoop loop;
  if (GetParam() == Driver::kCaller) watch.loop = &loop;
  CollectedResponse open_response;
  std::jthread watcher([&](const std::stop_token& stop) {
    const auto call = transport->start(watch, open_response);
    const auto clock = make_system_clock();
    while (!stop.stop_requested()) (void)loop.wait(*clock, Time::max(), 1);
  });
  asked.get_future().wait();

  dir_.write("c", fresh.cert_pem());
  dir_.write("k", fresh.key_pem());
  clock_.advance(minutes(5));
  EXPECT_EQ(get(*transport), "new");

  EXPECT_EQ(open_response.wait().kind, Break::kReset);
  watcher.request_stop();
  loop.stop();
}

}  // namespace
}  // namespace davit::host
