#include "sandbox/client/in_process_transport.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "host/api/rest_client.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

/// A body that a test writes.
struct Script {
  std::string text;
  HttpBodyStream::State state = HttpBodyStream::State::kOpen;
  std::function<void()> ready;
  Time next = Time::max();  ///< Until the next read.
};

class ScriptedStream final : public HttpBodyStream {
 public:
  explicit ScriptedStream(Script& script) : script_(script) {}
  State read(std::string& out, std::size_t) override {
    out += script_.text;
    script_.text.clear();
    script_.next = Time::max();
    return script_.state;
  }
  void on_ready(std::function<void()> ready) override { script_.ready = std::move(ready); }
  Time next_read() const override { return script_.next; }

 private:
  Script& script_;
};

class FunctionHandler final : public HttpHandler {
 public:
  HttpServerResponse handle(const HttpServerRequest& request) override { return respond(request); }
  std::function<HttpServerResponse(const HttpServerRequest&)> respond;
};

class Reader final : public ResponseReader {
 public:
  void on_head(int code, const HttpHeaders& headers) override {
    status = code;
    type = headers.front().second;
  }
  Flow on_body(std::string_view chunk) override {
    if (pause) return Flow::kPause;
    body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override {
    ended = true;
    broken = end.kind;
  }

  int status = 0;
  std::string type;
  std::string body;
  bool pause = false;
  bool ended = false;
  Break broken = Break::kNone;
};

class InProcessTransportTest : public testing::Test {
 protected:
  std::unique_ptr<davit::Call> start(HttpRequest request = {}) {
    request.method = "GET";
    request.target = "/x";
    return transport_.start(std::move(request), reader_);
  }
  void pump() {
    while (transport_.pump()) {
    }
  }
  HttpServerResponse stream() {
    HttpServerResponse response;
    response.stream = std::make_unique<ScriptedStream>(script_);
    return response;
  }

  test::FakeClock clock_;
  FunctionHandler handler_;
  Script script_;
  Reader reader_;
  InProcessTransport transport_{handler_, clock_};
};

TEST_F(InProcessTransportTest, PlainResponseComesAtOnce) {
  handler_.respond = [](const HttpServerRequest& request) {
    HttpServerResponse response;
    response.status = 201;
    response.content_type = kJsonText;
    response.body = request.method + request.target + std::string(request.header("Accept"));
    return response;
  };
  HttpRequest request;
  request.headers = {{"accept", "json"}};

  const auto call = start(std::move(request));

  EXPECT_EQ(reader_.status, 201);
  EXPECT_EQ(reader_.body, "GET/xjson");
  EXPECT_EQ(reader_.type, "application/json");
  EXPECT_TRUE(reader_.ended && reader_.broken == Break::kNone);
}

TEST_F(InProcessTransportTest, StreamIsReadWhenItIsReady) {
  handler_.respond = [this](const HttpServerRequest&) { return stream(); };
  const auto call = start();
  pump();
  EXPECT_EQ(reader_.status, 200);
  EXPECT_EQ(reader_.body, "");

  script_.text = "one";
  script_.ready();
  pump();
  EXPECT_EQ(reader_.body, "one");
  EXPECT_FALSE(reader_.ended);

  script_.state = HttpBodyStream::State::kEnded;
  script_.ready();
  pump();
  EXPECT_TRUE(reader_.ended && reader_.broken == Break::kNone);
}

TEST_F(InProcessTransportTest, CutStreamBreaks) {
  handler_.respond = [this](const HttpServerRequest&) { return stream(); };
  script_.state = HttpBodyStream::State::kCut;
  const auto call = start();
  pump();
  EXPECT_TRUE(reader_.ended && reader_.broken == Break::kReset);
}

TEST_F(InProcessTransportTest, StreamIsReadAtItsTime) {
  handler_.respond = [this](const HttpServerRequest&) { return stream(); };
  const auto call = start();
  pump();
  script_.next = clock_.now() + seconds(60);
  EXPECT_EQ(transport_.next_pump(), script_.next);
  script_.text = "bookmark";

  clock_.advance(seconds(60));
  pump();

  EXPECT_EQ(reader_.body, "bookmark");
}

TEST_F(InProcessTransportTest, PausedReaderGetsTheSameBytesAgain) {
  handler_.respond = [this](const HttpServerRequest&) { return stream(); };
  const auto call = start();
  reader_.pause = true;
  script_.text = "one";
  script_.ready();
  pump();
  EXPECT_EQ(reader_.body, "");

  reader_.pause = false;
  call->resume();
  pump();

  EXPECT_EQ(reader_.body, "one");
}

TEST_F(InProcessTransportTest, PausedPlainResponseComesAgainToo) {
  handler_.respond = [](const HttpServerRequest&) {
    HttpServerResponse response;
    response.body = "all";
    return response;
  };
  reader_.pause = true;
  const auto call = start();
  EXPECT_FALSE(reader_.ended);

  reader_.pause = false;
  call->resume();
  pump();

  EXPECT_EQ(reader_.body, "all");
  EXPECT_TRUE(reader_.ended);
}

TEST_F(InProcessTransportTest, DestroyedCallIsSilent) {
  handler_.respond = [this](const HttpServerRequest&) { return stream(); };
  auto call = start();
  pump();
  const std::function<void()> ready = script_.ready;
  call.reset();

  ready();
  pump();

  EXPECT_FALSE(reader_.ended);
}

TEST_F(InProcessTransportTest, ResetComesInsteadOfAResponse) {
  handler_.respond = [](const HttpServerRequest&) {
    HttpServerResponse response;
    response.aborted = true;
    return response;
  };
  const auto call = start();
  pump();
  EXPECT_EQ(reader_.status, 0);
  EXPECT_EQ(reader_.broken, Break::kReset);
}

TEST_F(InProcessTransportTest, StreamThatContinuesBeyondTheTimeoutBreaks) {
  handler_.respond = [this](const HttpServerRequest&) { return stream(); };
  HttpRequest request;
  request.timeout = seconds(5);
  const auto call = start(std::move(request));
  script_.text = "one";
  pump();
  EXPECT_EQ(transport_.next_pump(), clock_.now() + seconds(5));

  clock_.advance(seconds(5));
  pump();

  EXPECT_EQ(reader_.body, "one");
  EXPECT_EQ(reader_.broken, Break::kTimeout);
}

/// Known from `when` on; continues with `stream` if there is one.
class ScriptedDeferredResponse final : public HttpDeferredResponse {
 public:
  ScriptedDeferredResponse(const Clock& clock, Time when,
                           std::unique_ptr<HttpBodyStream> stream = nullptr)
      : clock_(clock), when_(when), stream_(std::move(stream)) {}
  std::optional<HttpServerResponse> take() override {
    if (clock_.now() < when_) return std::nullopt;
    HttpServerResponse response;
    response.status = 201;
    response.body = "known";
    response.stream = std::move(stream_);
    return response;
  }
  Time next_take() const override { return clock_.now() + seconds(1); }

 private:
  const Clock& clock_;
  const Time when_;
  std::unique_ptr<HttpBodyStream> stream_;
};

TEST_F(InProcessTransportTest, DeferredResponseComesOnceItIsKnown) {
  handler_.respond = [this](const HttpServerRequest&) {
    HttpServerResponse response;
    response.status = 504;
    response.body = "for those who do not wait";
    response.deferred =
        std::make_unique<ScriptedDeferredResponse>(clock_, clock_.now() + seconds(2));
    return response;
  };
  const auto call = start();
  for (int second = 0; second < 2; ++second) {
    pump();
    EXPECT_EQ(reader_.status, 0);
    EXPECT_EQ(transport_.next_pump(), clock_.now() + seconds(1));
    clock_.advance(seconds(1));
  }
  pump();

  EXPECT_EQ(reader_.status, 201);
  EXPECT_EQ(reader_.body, "known");
  EXPECT_TRUE(reader_.ended);
}

TEST_F(InProcessTransportTest, DeferredStreamIsReadWhenItIsReady) {
  handler_.respond = [this](const HttpServerRequest&) {
    HttpServerResponse response;
    response.deferred = std::make_unique<ScriptedDeferredResponse>(
        clock_, clock_.now() + seconds(1), std::make_unique<ScriptedStream>(script_));
    return response;
  };
  const auto call = start();
  clock_.advance(seconds(1));
  pump();
  EXPECT_EQ(reader_.body, "known");

  script_.text = " and more";
  script_.ready();
  pump();

  EXPECT_EQ(reader_.body, "known and more");
  EXPECT_FALSE(reader_.ended);
}

TEST_F(InProcessTransportTest, DeferredResponseIsNotWaitedForBeyondTheTimeout) {
  handler_.respond = [this](const HttpServerRequest&) {
    HttpServerResponse response;
    response.deferred = std::make_unique<ScriptedDeferredResponse>(clock_, Time::max());
    return response;
  };
  HttpRequest request;
  request.timeout = seconds(5);
  const auto call = start(std::move(request));
  for (int second = 0; second < 5; ++second) {
    pump();
    EXPECT_FALSE(reader_.ended);
    clock_.advance(seconds(1));
  }
  pump();

  EXPECT_EQ(reader_.broken, Break::kTimeout);
}

TEST(InProcessTransportThreadTest, WithoutAThreadItDoesNotOpen) {
  test::FakeClock clock;
  FunctionHandler handler;
  {
    const test::NoThreads scarce;
    const auto transport = InProcessTransport::open(handler, clock);
    EXPECT_EQ(scarce.wanted(), 1U);
    ASSERT_FALSE(transport);
    EXPECT_EQ(transport.error().code(), Code::kUnavailable);
    EXPECT_EQ(transport.error().message(),
              "cannot connect to the sandbox: cannot start a thread to read responses");
  }
  EXPECT_TRUE(InProcessTransport::open(handler, clock));
}

TEST(InProcessTransportThreadTest, RestClientWorksOverIt) {
  const auto clock = make_system_clock();
  FunctionHandler handler;
  Script script;
  handler.respond = [&script](const HttpServerRequest& request) {
    HttpServerResponse response;
    response.body = R"({"kind":"Pod"})";
    if (request.target.find("watch") != std::string::npos) {
      response.body.clear();
      script.text = "{}\n";
      script.state = HttpBodyStream::State::kEnded;
      response.stream = std::make_unique<ScriptedStream>(script);
    }
    return response;
  };
  const auto transport = InProcessTransport::open(handler, *clock);
  ASSERT_TRUE(transport) << transport.error().message();
  test::RecordingLogSink sink;
  host::NoRestMetrics metrics;
  host::RestClient client(**transport, *clock, metrics, Logger(sink), {.rate = {-1, 1}});
  host::ApiRequest request;
  request.path = {"", "v1", "pods", "", "default", "web"};

  EXPECT_EQ(client.call(request).body, R"({"kind":"Pod"})");
  request.verb = host::Verb::kWatch;
  request.path.name.clear();
  std::string body;
  const Status ended = client.stream(request, {}, [&body](std::string_view chunk) {
    body += chunk;
    return Status();
  });

  EXPECT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(body, "{}\n");
}

}  // namespace
}  // namespace davit::sandbox
