// The choice of a proxy, and requests through one.
#include "host/transport/proxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>

#include "host/api/rest_client.hpp"
#include "host/transport/curl_transport.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/transport/certificates.hpp"
#include "tests/host/transport/collected_response.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// ---- Exemptions.

struct ExemptCase {
  const char* host;
  const char* list;
  bool exempt;
};

constexpr ExemptCase kExemptCases[] = {
    {"api.example.com", "", false},
    {"api.example.com", "*", true},
    {"api.example.com", "api.example.com", true},
    {"API.example.com.", "api.EXAMPLE.com", true},
    {"api.example.com", "example.com", true},
    {"api.example.com", ".example.com", true},
    {"example.com", ".example.com", true},
    {"api.example.com", "example.com.", true},
    {"badexample.com", "example.com", false},
    {"example.com", "api.example.com", false},
    {"api.example.com", "localhost, ,other.org,example.com", true},
    {"api.example.com", "localhost example.com", true},
    {"api.example.com", "10.0.0.0/8", false},
    {"api.example.com", ".", false},
    {"10.1.2.3", "10.1.2.3", true},
    {"10.1.2.3", "10.1.2.30", false},
    {"10.1.2.3", "10.0.0.0/8", true},
    {"11.1.2.3", "10.0.0.0/8", false},
    {"10.1.2.3", "10.0.0.0/x", false},
    {"10.1.2.3", "2.3", false},
    {"[fd00::1]", "fd00::1", true},
    {"[fd00::1]", "fd00::/16", true},
    {"[fd00::1]", "10.0.0.0/8,fe80::/10", false},
};

TEST(ProxyExemptionTest, NamesIncludeSubdomainsAndAddressesMatchThemselvesAndRanges) {
  for (const ExemptCase& each : kExemptCases) {
    EXPECT_EQ(is_exempt(each.host, each.list), each.exempt) << each.host << " of " << each.list;
  }
}

// ---- The choice.

/// Variables of the environment that decide about proxies, only as the test sets them.
class ProxyEnvironment {
 public:
  ProxyEnvironment() {
    for (const char* const name : kNames) {
      const char* const value = std::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      ::unsetenv(name);
    }
  }
  ~ProxyEnvironment() {
    for (const auto& [name, value] : before_) {
      ::unsetenv(name);
      if (value) ::setenv(name, value->c_str(), 1);
    }
  }
  ProxyEnvironment(const ProxyEnvironment&) = delete;
  ProxyEnvironment& operator=(const ProxyEnvironment&) = delete;

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

 private:
  static constexpr const char* kNames[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                           "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
  std::map<const char*, std::optional<std::string>> before_;
};

class ProxyChoiceTest : public testing::Test {
 protected:
  Result<Proxy> choose(const char* server) {
    return proxy_of(config_, *ServerUrl::parse(server, ServerUrl::Scheme::kHttps));
  }
  std::string chosen(const char* server) { return choose(server)->url; }

  ProxyEnvironment environment_;
  ConnectionConfig config_;
};

TEST_F(ProxyChoiceTest, EachSchemeHasItsVariableAndAllProxyServesBoth) {
  EXPECT_EQ(chosen("http://10.0.0.1"), "");
  environment_.set("ALL_PROXY", "http://all:1");
  EXPECT_EQ(chosen("http://10.0.0.1"), "http://all:1");
  EXPECT_EQ(chosen("https://10.0.0.1"), "http://all:1");
  environment_.set("HTTP_PROXY", "http://plain:1");
  environment_.set("HTTPS_PROXY", "http://tunnel:1");
  EXPECT_EQ(chosen("http://10.0.0.1"), "http://plain:1");
  EXPECT_EQ(chosen("https://10.0.0.1"), "http://tunnel:1");
  environment_.set("https_proxy", "http://small:1");
  EXPECT_EQ(chosen("https://10.0.0.1"), "http://small:1") << "small letters come first";
}

TEST_F(ProxyChoiceTest, LoopbackAndExemptServersHaveNone) {
  environment_.set("ALL_PROXY", "http://all:1");
  for (const char* const server : {"http://127.0.0.1:80", "https://localhost", "http://[::1]:80"}) {
    EXPECT_EQ(chosen(server), "") << server;
  }
  environment_.set("NO_PROXY", "10.0.0.0/8");
  EXPECT_EQ(chosen("https://10.0.0.1:6443"), "");
  EXPECT_EQ(chosen("https://11.0.0.1:6443"), "http://all:1");
}

TEST_F(ProxyChoiceTest, ConfiguredProxyOverridesEverythingRT032) {
  environment_.set("NO_PROXY", "*");
  environment_.set("HTTPS_PROXY", "http://environment:1");
  config_.proxy_url = "http://configured:1";
  EXPECT_EQ(chosen("https://127.0.0.1:6443"), "http://configured:1");
}

TEST_F(ProxyChoiceTest, CredentialsAreDecodedAndNotShown) {
  config_.proxy_url = "http://us%40er:se%3Acret@proxy.example.com:3128";
  const Result<Proxy> proxy = choose("http://10.0.0.1");
  EXPECT_EQ(proxy->authorization, "Basic dXNAZXI6c2U6Y3JldA==") << "us@er:se:cret";
  EXPECT_EQ(proxy->shown, "http://proxy.example.com:3128");
}

TEST_F(ProxyChoiceTest, OnlyProxiesOfHttpTakeRequests) {
  for (const auto& [url, takes] : std::map<std::string, bool>{{"http://p:1", true},
                                                              {"https://p:1", true},
                                                              {"p:1", true},
                                                              {"socks5://p:1", false},
                                                              {"socks4://p:1", false}}) {
    config_.proxy_url = url;
    EXPECT_EQ(choose("http://10.0.0.1")->takes_requests(), takes) << url;
  }
  config_.proxy_url = "socks5://p:1";
  EXPECT_EQ(chosen("http://10.0.0.1"), "socks5h://p:1") << "the proxy resolves names";
}

TEST_F(ProxyChoiceTest, UnreadableUrlIsAnErrorThatShowsNoPassword) {
  environment_.set("ALL_PROXY", "http://user:secret@:port");
  const Result<Proxy> proxy = choose("http://10.0.0.1");
  ASSERT_FALSE(proxy);
  EXPECT_EQ(proxy.error().code(), Code::kInvalid);
  EXPECT_THAT(proxy.error().message(), Not(HasSubstr("secret")));
}

// ---- On the wire.

/// The server behind the proxy; nothing connects to it.
constexpr const char* kServer = "http://192.0.2.1:8080";
constexpr const char* kTlsServer = "https://192.0.2.1:6443";

class ProxyTest : public testing::Test {
 protected:
  std::unique_ptr<Transport> connect_to(const std::string& url) {
    config_.server = url;
    auto made = make_curl_transport(config_, *clock_, metrics_, Logger(sink_));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  std::unique_ptr<RestClient> client_of(Transport& transport) {
    return std::make_unique<RestClient>(transport, *clock_, metrics_, Logger(sink_),
                                        RestOptions{.rate = {-1, 0}});
  }
  /// The end of one request for `url` through the configured proxy.
  TransportEnd end_of(const std::string& url, Duration timeout = Duration::zero()) {
    const auto transport = connect_to(url);
    HttpRequest request;
    request.method = "POST";
    request.target = "/api/v1/pods";
    request.timeout = timeout;
    CollectedResponse response;
    const auto call = transport->start(std::move(request), response);
    return response.wait();
  }

  ProxyEnvironment environment_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  ConnectionConfig config_;
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
};

/// Responds to each request with a Pod, and keeps the requests. The server must end before it.
struct Answering {
  void operator()(Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      {
        MutexLock lock(mutex);
        requests.push_back(std::move(request));
      }
      peer.respond(kWebPod);
    }
  }
  Mutex mutex;
  std::vector<std::string> requests GUARDED_BY(mutex);
};

TEST_F(ProxyTest, PlainRequestsAreInTheAbsoluteFormOnOneConnection) {
  Answering answers;
  TinyServer proxy(std::ref(answers));
  config_.proxy_url = proxy.url();
  const auto transport = connect_to(std::string(kServer) + "/prefix");
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  EXPECT_TRUE(client->call(write_pod(Verb::kUpdate)).status.ok());

  EXPECT_EQ(proxy.connections(), 1U);
  MutexLock lock(answers.mutex);
  ASSERT_EQ(answers.requests.size(), 2U);
  const std::string path =
      "http://192.0.2.1:8080/prefix/api/v1/namespaces/ns/pods/web HTTP/1.1\r\n";
  EXPECT_THAT(answers.requests[0], StartsWith("GET " + path));
  EXPECT_THAT(answers.requests[1], StartsWith("PUT " + path));
  for (const std::string& each : answers.requests) {
    EXPECT_THAT(each, HasSubstr("\r\nHost: 192.0.2.1:8080\r\n"));
    EXPECT_THAT(each, Not(HasSubstr("Proxy-")));
  }
}

TEST_F(ProxyTest, CredentialsOfTheUrlAreSentToTheProxyInBothForms) {
  Answering answers;
  TinyServer proxy(std::ref(answers));
  config_.proxy_url = "http://us%40er:se%3Acret@" + proxy.address();
  EXPECT_EQ(end_of(kServer).kind, Break::kNone);
  static_cast<void>(end_of(kTlsServer));

  MutexLock lock(answers.mutex);
  ASSERT_EQ(answers.requests.size(), 2U);
  EXPECT_THAT(answers.requests[0], StartsWith("POST http://192.0.2.1:8080/api/v1/pods HTTP/1.1"));
  EXPECT_THAT(answers.requests[1], StartsWith("CONNECT 192.0.2.1:6443 HTTP/1.1"));
  for (const std::string& each : answers.requests) {
    EXPECT_THAT(each, HasSubstr("\r\nProxy-Authorization: Basic dXNAZXI6c2U6Y3JldA==\r\n"));
  }
}

TEST_F(ProxyTest, HttpsGoesThroughATunnelThatKeepsItsConnection) {
  const Identity identity = Identity::authority("server");
  std::promise<std::string> connect;
  TinyServer proxy([&](Peer& peer) {
    connect.set_value(peer.read_request());
    peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
    TlsServerSide tls(identity, nullptr);
    if (!tls.accept(peer.descriptor())) return;
    while (!tls.read_request().empty()) tls.respond(std::string(kWebPod));
  });
  config_.proxy_url = proxy.url();
  config_.insecure = true;
  const auto transport = connect_to(kTlsServer);
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  EXPECT_THAT(connect.get_future().get(), StartsWith("CONNECT 192.0.2.1:6443 HTTP/1.1\r\n"));
  EXPECT_EQ(proxy.connections(), 1U);
}

TEST_F(ProxyTest, ProxyOfTheEnvironmentGetsWhatIsNotExempt) {
  Answering answers;
  TinyServer proxy(std::ref(answers));
  environment_.set("http_proxy", proxy.url());
  environment_.set("no_proxy", "example.com");
  EXPECT_EQ(end_of(kServer).kind, Break::kNone);
  EXPECT_EQ(end_of(proxy.url()).kind, Break::kNone) << "a loopback server is reached directly";
  environment_.set("no_proxy", "127.0.0.0/8");
  EXPECT_EQ(end_of(kServer).kind, Break::kNone);

  MutexLock lock(answers.mutex);
  ASSERT_EQ(answers.requests.size(), 3U);
  EXPECT_THAT(answers.requests[0], StartsWith("POST http://192.0.2.1:8080/"));
  EXPECT_THAT(answers.requests[1], StartsWith("POST /api/v1/pods "));
  EXPECT_THAT(answers.requests[2], StartsWith("POST http://192.0.2.1:8080/"));
}

TEST_F(ProxyTest, ProxyThatRequiresCredentialsRefusesWhatTheServerHasNotSeen) {
  TinyServer proxy([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("no", "407 Proxy Authentication Required");
  });
  for (const char* const credentials : {"", "user:secret@"}) {
    config_.proxy_url = "http://" + std::string(credentials) + proxy.address();
    for (const char* const server : {kServer, kTlsServer}) {
      const TransportEnd end = end_of(server);
      EXPECT_EQ(end.kind, Break::kRefused) << "certainly nothing was carried out";
      EXPECT_THAT(end.message, HasSubstr("the proxy " + proxy.url() + " refuses"));
      EXPECT_THAT(end.message, HasSubstr("407"));
      EXPECT_THAT(end.message, Not(HasSubstr("secret")));
    }
  }
}

TEST_F(ProxyTest, ServersOwn407IsAResponse) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("no", "407 Proxy Authentication Required");
  });
  EXPECT_EQ(end_of(server.url()).kind, Break::kNone);
}

TEST_F(ProxyTest, ProxyThatRefusesATunnelIsNamed) {
  TinyServer proxy([](Peer& peer) {
    peer.read_request();
    peer.respond("", "403 Forbidden");
  });
  config_.proxy_url = proxy.url();
  const TransportEnd end = end_of(kTlsServer);
  EXPECT_EQ(end.kind, Break::kRefused);
  EXPECT_EQ(end.message, "the proxy " + proxy.url() + " refuses the connection: HTTP 403");
}

TEST_F(ProxyTest, ProxyThatIsNotThereIsARefusedConnection) {
  {
    TinyServer proxy([](Peer&) {});
    config_.proxy_url = proxy.url();
  }
  for (const char* const server : {kServer, kTlsServer}) {
    const TransportEnd end = end_of(server);
    EXPECT_EQ(end.kind, Break::kRefused);
    EXPECT_THAT(end.message, HasSubstr("connect to 127.0.0.1 port"));
  }
}

/// Reads requests and never responds.
void hang(Peer& peer) {
  while (!peer.read_request().empty()) {
  }
}

TEST_F(ProxyTest, ProxyThatHangsEndsWithTheRequestsTimeLimit) {
  TinyServer proxy(hang);
  config_.proxy_url = proxy.url();
  for (const char* const server : {kServer, kTlsServer}) {
    const TransportEnd end = end_of(server, std::chrono::milliseconds(20));
    EXPECT_EQ(end.kind, Break::kTimeout);
    EXPECT_EQ(end.message, "the server took too long to respond");
  }
}

TEST_F(ProxyTest, StopEndsRequestsThatHangInAProxyAndTheirConnections) {
  for (const char* const server : {kServer, kTlsServer}) {
    std::promise<void> asked;
    std::promise<void> closed;
    TinyServer proxy([&](Peer& peer) {
      peer.read_request();
      asked.set_value();
      if (peer.read_request().empty()) closed.set_value();
    });
    config_.proxy_url = proxy.url();
    const auto transport = connect_to(server);
    const auto client = client_of(*transport);
    std::stop_source stop;
    auto call = std::async(std::launch::async,
                           [&] { return client->call(get_pod(), stop.get_token()).status; });
    asked.get_future().wait();
    stop.request_stop();
    EXPECT_EQ(call.get().code(), Code::kCancelled);
    closed.get_future().wait();
  }
}

TEST_F(ProxyTest, EventsOfAWatchComeThroughAProxyAsTheyAreSent) {
  std::atomic<int> seen = 0;
  TinyServer proxy([&](Peer& peer) {
    EXPECT_THAT(peer.read_request(), StartsWith("GET http://192.0.2.1:8080/api/v1/pods?"));
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
      peer.write("6\r\nevent" + std::to_string(i) + "\r\n");
      for (int now = seen; now <= i; now = seen) seen.wait(now);  // Not before it was read.
    }
    peer.write("0\r\n\r\n");
  });
  config_.proxy_url = proxy.url();
  const auto transport = connect_to(kServer);
  const auto client = client_of(*transport);
  ApiRequest watch;
  watch.verb = Verb::kWatch;
  watch.path = {"", "v1", "pods", "", "", ""};
  std::string received;
  const Status status = client->stream(watch, {}, [&](std::string_view piece) {
    received += piece;
    if (!piece.empty()) ++seen;
    seen.notify_all();
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(received, "event0event1event2");
}

}  // namespace
}  // namespace davit::host
