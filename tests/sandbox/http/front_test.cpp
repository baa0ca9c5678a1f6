#include "sandbox/http/front.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "lib/base/mutex.hpp"
#include "sandbox/http/credentials.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/tls_client.hpp"

namespace davit::sandbox {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// Says one line to every stream of a Channel.
class Channel {
 public:
  void say(const std::string& line) {
    std::map<int, std::function<void()>> told;
    {
      const MutexLock lock(mutex_);
      text_ += line;
      told = listeners_;
    }
    for (const auto& [id, ready] : told) ready();
  }
  std::string from(std::size_t at) {
    const MutexLock lock(mutex_);
    return text_.substr(at);
  }
  void listen(int id, std::function<void()> ready) {
    const MutexLock lock(mutex_);
    listeners_[id] = std::move(ready);
  }
  int next_id() {
    const MutexLock lock(mutex_);
    return ++last_id_;
  }

 private:
  Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  std::map<int, std::function<void()>> listeners_ GUARDED_BY(mutex_);
  int last_id_ GUARDED_BY(mutex_) = 0;
};

class ChannelStream final : public HttpBodyStream {
 public:
  explicit ChannelStream(Channel& channel) : channel_(channel), id_(channel.next_id()) {}

  [[nodiscard]] State read(std::string& out, std::size_t) override {
    const std::string more = channel_.from(at_);
    at_ += more.size();
    out += more;
    return out.ends_with("end\n") ? State::kEnded : State::kOpen;
  }
  void on_ready(std::function<void()> ready) override { channel_.listen(id_, std::move(ready)); }
  [[nodiscard]] Time next_read() const override { return Time::max(); }

 private:
  Channel& channel_;
  const int id_;
  std::size_t at_ = 0;
};

/// Known at the second question.
class SecondTime final : public HttpDeferredResponse {
 public:
  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    if (!std::exchange(asked_, true)) return std::nullopt;
    HttpServerResponse response;
    response.body = "known";
    return response;
  }
  [[nodiscard]] Time next_take() const override {
    return make_system_clock()->now() + std::chrono::milliseconds(1);
  }

 private:
  bool asked_ = false;
};

/// Responds with the user and the path; "/stream" continues with the content of `channel`.
class TestHandler final : public HttpHandler {
 public:
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    HttpServerResponse response;
    if (request.target == "/stream") response.stream = std::make_unique<ChannelStream>(channel);
    if (request.target == "/late") response.deferred = std::make_unique<SecondTime>();
    if (request.target == "/reset") response.aborted = true;
    response.body = request.method + " " + request.target;
    if (request.body_too_large) response.body += " too large";
    if (request.peer && !request.peer->trusted) response.body += " refused";
    if (request.peer && request.peer->trusted) {
      response.body += " " + request.peer->common_name;
      for (const std::string& each : request.peer->organizations) response.body += "/" + each;
    }
    return response;
  }

  Channel channel;
};

class FrontTest : public testing::Test {
 protected:
  void open(std::optional<TlsIdentity> tls = std::nullopt) {
    FrontOptions options;
    options.tls = std::move(tls);
    auto front = open_front(options, handler_, Logger(sink_));
    ASSERT_TRUE(front) << front.error().message();
    front_ = std::move(*front);
  }
  void open_tls() {
    Result<Credentials> made = make_credentials({"127.0.0.1"}, make_system_clock()->wall_now());
    ASSERT_TRUE(made) << made.error().message();
    credentials_ = std::move(*made);
    open(TlsIdentity{credentials_.server.certificate, credentials_.server.key,
                     credentials_.authority.certificate});
  }
  test::TlsResponse ask(const KeyPair& own, std::string protocols = "") {
    return test::tls_get(front_->port(), "/who",
                         {credentials_.authority.certificate, own, std::move(protocols)});
  }

  test::RecordingLogSink sink_;
  TestHandler handler_;
  Credentials credentials_;
  std::unique_ptr<HttpServer> front_;
};

TEST_F(FrontTest, ClientCertificateSaysWhoAsks) {
  open_tls();

  EXPECT_THAT(ask(credentials_.admin).text, EndsWith("GET /who kubernetes-admin/system:masters"));
}

TEST_F(FrontTest, ClientWithoutCertificateIsServed) {
  open_tls();

  EXPECT_THAT(ask({}).text, EndsWith("\r\n\r\nGET /who"));
}

TEST_F(FrontTest, CertificateOfAnotherAuthorityIsNotBelieved) {
  open_tls();
  const auto other = make_credentials({"127.0.0.1"}, make_system_clock()->wall_now());

  EXPECT_THAT(ask(other->admin).text, EndsWith("GET /who refused"));
}

TEST_F(FrontTest, CertificateThatHasRunOutIsNotBelieved) {
  open_tls();
  const auto old =
      issue_certificate(credentials_.authority, {.common_name = "old"},
                        make_system_clock()->wall_now() - kCertificateTime - std::chrono::hours(2));

  EXPECT_THAT(ask(*old).text, EndsWith("GET /who refused"));
}

TEST_F(FrontTest, OnlyTheOldProtocolIsSpoken) {
  open_tls();

  EXPECT_EQ(ask({}, "\x02h2\x08http/1.1").protocol, "http/1.1");
  EXPECT_EQ(ask({}, "\x02h2").protocol, "") << "the client decides whether he continues";
}

TEST_F(FrontTest, PlainRequestOnTheTlsPortGetsAnExplanation) {
  open_tls();

  EXPECT_THAT(test::http_get(front_->port(), "/"),
              HasSubstr("Client sent an HTTP request to an HTTPS server."));
}

TEST_F(FrontTest, BodyBeyondTheLimitReachesTheHandlerWithoutBeingRead) {
  open();
  test::HttpClient client(front_->port());

  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3145729\r\n\r\n");

  EXPECT_THAT(client.read_all(), EndsWith("POST /a too large"));
}

TEST_F(FrontTest, ManyStreamsAreServedAtOnce) {
  open();
  std::deque<test::HttpClient> clients;
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back(front_->port());
    clients.back().send("GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  handler_.channel.say("one\n");
  handler_.channel.say("end\n");

  for (test::HttpClient& client : clients) {
    const std::string all = client.read_all();
    EXPECT_THAT(all, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(all, EndsWith("0\r\n\r\n"));
  }
}

TEST_F(FrontTest, DeferredResponseReachesTheClient) {
  open();

  EXPECT_THAT(test::http_get(front_->port(), "/late"), EndsWith("\r\n\r\nknown"));
}

TEST_F(FrontTest, ResetReachesTheClient) {
  open();

  EXPECT_EQ(test::http_get(front_->port(), "/reset"), "");
}

TEST_F(FrontTest, StreamsOfAStoppingServerEndProperly) {
  open();
  test::HttpClient client(front_->port());
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_response(), HasSubstr("Transfer-Encoding: chunked\r\n"));

  front_.reset();

  EXPECT_THAT(client.read_all(), EndsWith("0\r\n\r\n"));
}

}  // namespace
}  // namespace davit::sandbox
