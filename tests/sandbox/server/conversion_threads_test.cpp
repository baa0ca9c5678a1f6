// Conversion webhooks that hang, and that ask the server itself.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/sandbox/server/conversion_hooks.hpp"

namespace davit::sandbox {
namespace {

ApiServerOptions with_own_threads(HookConnector& connector) {
  ApiServerOptions options = with_converter(connector);
  options.hook_thread = ApiServerOptions::HookThread::kOwn;
  return options;
}

/// The response, which another thread makes.
HttpServerResponse awaited(HttpDeferredResponse& deferred) {
  std::optional<HttpServerResponse> response;
  while (!response) {
    std::this_thread::yield();
    response = deferred.take();
  }
  return std::move(*response);
}

/// The response to a request, whether it is deferred or not.
int code_of(const Reply& reply) {
  return reply.deferred == nullptr ? reply.code : awaited(*reply.deferred).status;
}

void make_widget(Sandbox& sandbox) {
  ASSERT_EQ(sandbox.post(kDefinitions, widget_definition()).code, 201);
  ASSERT_EQ(code_of(sandbox.post(kWidgetsV2, widget_v2("w", 1))), 201);
}

/// Widgets w0 to w39, which have 35 MiB together.
void make_large_widgets(Sandbox& sandbox) {
  constexpr int kObjects = 40;
  const std::string color(std::size_t{900} << 10U, 'x');
  for (int i = 0; i < kObjects; ++i) {
    const std::string body = R"({"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"w)" +
                             std::to_string(i) + R"("},"spec":{"color":")" + color + "\"}}";
    ASSERT_EQ(code_of(sandbox.post(kWidgetsV2, body)), 201);
  }
}

/// A webhook that takes requests and never responds.
void hang(FakeConverter& converter) {
  converter.respond = [](test::ScriptedResponse& out) { out = test::open_response(0); };
}

TEST(ConversionThreadsTest, AWebhookThatHangsDelaysItsOwnRequestsOnly) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  hang(converter);

  const Reply hanging = sandbox.get(kWidgetsV1 + "/w");

  ASSERT_NE(hanging.deferred, nullptr);
  converter.transport.await_requests(1);
  EXPECT_FALSE(hanging.deferred->take());
  EXPECT_EQ(sandbox.get("/api/v1/namespaces").code, 200);
  EXPECT_EQ(code_of(sandbox.get(kWidgetsV2 + "/w")), 200);
  EXPECT_EQ(sandbox.get("/api/v1/namespaces").deferred, nullptr);
}

TEST(ConversionThreadsTest, AWebhookThatHangsIsGivenUpAfterThirtySeconds) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  hang(converter);
  const Reply hanging = sandbox.get(kWidgetsV1 + "/w");
  ASSERT_NE(hanging.deferred, nullptr);
  converter.transport.await_requests(1);

  std::optional<HttpServerResponse> response;
  while (!response) {
    sandbox.clock.advance(std::chrono::seconds(32));
    std::this_thread::yield();
    response = hanging.deferred->take();
  }

  EXPECT_EQ(response->status, 500);
  EXPECT_EQ(json_literal(response->body).get("message").text(),
            "conversion webhook for ex.io/v2, Kind=Widget failed: Post "
            "\"https://127.0.0.1:1/convert?timeout=30s\": context deadline exceeded");
}

TEST(ConversionThreadsTest, ListsThatWaitForAWebhookShareABoundedMemory) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  make_large_widgets(sandbox);
  hang(converter);
  Reply hanging = sandbox.get(kWidgetsV1);
  converter.transport.await_requests(1);

  EXPECT_EQ(code_of(sandbox.get(kWidgetsV1)), 429);

  EXPECT_EQ(code_of(sandbox.get(kWidgetsV2)), 200) << "it needs no webhook";
  converter.respond = nullptr;
  EXPECT_EQ(code_of(sandbox.get(kWidgetsV1 + "/w1")), 200) << "one object fits always";
  hanging.deferred.reset();
  while (code_of(sandbox.get(kWidgetsV1)) != 200) std::this_thread::yield();
}

TEST(ConversionThreadsTest, AWatchWaitsWhileListsHaveTheMemory) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  make_large_widgets(sandbox);
  hang(converter);
  Reply hanging = sandbox.get(kWidgetsV1);
  converter.transport.await_requests(1);
  converter.respond = nullptr;
  Reply watch = sandbox.get(kWidgetsV1 + "?watch=true");
  std::string text;

  const auto read = [&] {
    std::this_thread::yield();
    return watch.stream->read(text, 1 << 20) == HttpBodyStream::State::kOpen;
  };
  const auto pause = [&] { return watch.stream->next_read() - sandbox.clock.now(); };
  constexpr Duration kFirstPause = std::chrono::milliseconds(1);

  // The pauses before a thread is asked again grow, so a shorter one shows that the first thread
  // was refused the memory and that another has begun.
  while (text.empty() && pause() > kFirstPause) ASSERT_TRUE(read());
  Duration last = pause();
  while (text.empty() && pause() >= last) {
    last = pause();
    ASSERT_TRUE(read());
  }

  EXPECT_EQ(text, "") << "the list has the memory";

  hanging.deferred.reset();

  while (text.empty()) {
    std::this_thread::yield();
    ASSERT_EQ(watch.stream->read(text, 1 << 20), HttpBodyStream::State::kOpen);
  }
  EXPECT_TRUE(text.starts_with(R"({"type":"ADDED")"));
}

TEST(ConversionThreadsTest, AWatchOfAWebhookThatHangsBlocksNothing) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  hang(converter);
  Reply watch = sandbox.get(kWidgetsV1 + "?watch=true");
  ASSERT_NE(watch.stream, nullptr);
  std::string text;

  EXPECT_EQ(watch.stream->read(text, 1 << 20), HttpBodyStream::State::kOpen);

  EXPECT_EQ(text, "");
  EXPECT_LT(watch.stream->next_read(), sandbox.clock.now() + std::chrono::seconds(1));
  converter.transport.await_requests(1);
  EXPECT_EQ(watch.stream->read(text, 1 << 20), HttpBodyStream::State::kOpen);
  EXPECT_EQ(text, "");
  watch.stream.reset();  // The client goes; the server's end would hang if that ended nothing.
}

TEST(ConversionThreadsTest, AWatchShowsWhatItsThreadConverts) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  Reply watch = sandbox.get(kWidgetsV1 + "?watch=true");
  std::string text;

  while (text.empty()) {
    std::this_thread::yield();
    ASSERT_EQ(watch.stream->read(text, 1 << 20), HttpBodyStream::State::kOpen);
  }

  EXPECT_EQ(json_literal(text).get("object").get("spec").get("size").integer_or(0), 1);
}

TEST(ConversionThreadsTest, AWriteWaitsOnAThreadForTheParametersOfItsPolicies) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  demand_widget_sizes(sandbox, R"("name":"w","namespace":"default")");

  const Reply allowed = post_map(sandbox, "a", "1");

  EXPECT_NE(allowed.deferred, nullptr);
  EXPECT_EQ(code_of(allowed), 201);
  EXPECT_EQ(code_of(post_map(sandbox, "b", "2")), 422);
  EXPECT_EQ(sandbox.get("/api/v1/namespaces/default/configmaps").names(), "a");
}

TEST(ConversionThreadsTest, WritesThatWaitForParametersHaveAShareOfTheThreads) {
  constexpr std::size_t kQuarter = 64;
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  demand_widget_sizes(sandbox, R"("name":"w","namespace":"default")");
  hang(converter);
  std::vector<Reply> waiting;

  for (std::size_t i = 0; i < kQuarter; ++i) {
    waiting.push_back(post_map(sandbox, "m" + std::to_string(i), "1"));
    ASSERT_NE(waiting.back().deferred, nullptr) << i;
  }

  const Reply refused = post_map(sandbox, "one-more", "1");
  EXPECT_EQ(refused.deferred, nullptr);
  EXPECT_EQ(refused.code, 429);
}

/// A webhook that reads the object that it is to convert, in the version that it is to make.
class LoopingConverter final : public HookConnector, public Transport {
 public:
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const HookServer&) override {
    return std::shared_ptr<Transport>(std::shared_ptr<void>(), this);
  }
  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest, ResponseReader& reader) override {
    const int code = code_of(sandbox->get(kWidgetsV1 + "/w"));
    reader.on_head(code, {{"content-type", "text/plain"}});
    static_cast<void>(reader.on_body(std::to_string(code)));
    reader.on_end({});
    return std::make_unique<EndedCall>();
  }
  [[nodiscard]] std::string_view server() const override { return "https://127.0.0.1:1"; }

  Sandbox* sandbox = nullptr;
};

TEST(ConversionThreadsTest, AWebhookThatAsksForItsOwnObjectsEnds) {
  LoopingConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  converter.sandbox = &sandbox;
  make_widget(sandbox);

  const Reply reply = sandbox.get(kWidgetsV1 + "/w");

  ASSERT_NE(reply.deferred, nullptr);
  const HttpServerResponse response = awaited(*reply.deferred);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(json_literal(response.body).get("message").text(),
            "conversion webhook for ex.io/v2, Kind=Widget failed: an error on the server "
            "(\"500\") has prevented the request from succeeding");
}

TEST(ConversionThreadsTest, AWatchShowsWhatItsThreadConvertsThoughTheDefinitionHasGone) {
  FakeConverter converter;
  Sandbox sandbox(with_own_threads(converter));
  make_widget(sandbox);
  Reply watch = sandbox.get(kWidgetsV1 + "?watch=true");
  std::string text;
  ASSERT_EQ(watch.stream->read(text, 1 << 20), HttpBodyStream::State::kOpen);

  ASSERT_EQ(sandbox.remove(kDefinitions + "/widgets.ex.io").code, 200);

  while (watch.stream->read(text, 1 << 20) == HttpBodyStream::State::kOpen) {
    std::this_thread::yield();
  }
  const std::size_t deleted = text.find(R"("type":"DELETED")");
  EXPECT_NE(deleted, std::string::npos) << text;
  EXPECT_LT(text.find(R"("type":"ADDED")"), deleted) << text;
  EXPECT_EQ(text.find("ERROR"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"("width")"), std::string::npos) << text;
}

}  // namespace
}  // namespace davit::sandbox
