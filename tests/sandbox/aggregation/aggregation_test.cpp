// Requests for aggregated APIs. The words are those of kube-apiserver v1.36.2.
#include "sandbox/aggregation/aggregation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/sandbox/aggregation/aggregated.hpp"

namespace davit::sandbox {
namespace {

using test::open_response;
using testing::HasSubstr;

/// All values of a header, joined by commas.
std::string values_of(const HttpHeaders& headers, std::string_view name) {
  std::string out;
  for (const auto& [key, value] : headers) {
    if (key == name) out += (out.empty() ? "" : ",") + value;
  }
  return out;
}

/// The last request that the server got.
HttpRequest last_of(const Aggregated& world) { return world.backends.transport.requests().back(); }

TEST(AggregationTest, ARequestReachesTheServerWithItsUser) {
  Aggregated world;
  world.serve_group();

  const HttpServerResponse got =
      world.ask(std::string(kHammers) + "?limit=5", {{"Accept", "application/json"}});

  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, R"({"kind":"HammerList","items":[]})");
  EXPECT_EQ(got.content_type, "application/json");
  const HttpRequest sent = last_of(world);
  EXPECT_EQ(sent.target, std::string(kHammers) + "?limit=5");
  EXPECT_EQ(values_of(sent.headers, "X-Remote-User"), "system:admin");
  EXPECT_EQ(values_of(sent.headers, "X-Remote-Group"), "system:masters,system:authenticated");
  EXPECT_EQ(values_of(sent.headers, "Accept"), "application/json");
  const BackendServer& server = world.backends.servers.back();
  EXPECT_EQ(server.url, "https://localhost:9443");
  EXPECT_EQ(server.server_name, "tools.default.svc");
  EXPECT_EQ(server.verify, BackendServer::Verify::kNo);
}

TEST(AggregationTest, TheServerSeesHowTheRequestCame) {
  Aggregated world;
  world.serve_group();

  static_cast<void>(world.ask("/apis/tools.example.com/v1//namespaces/a%20b/../hammers/?limit=5",
                              {{"X-Forwarded-For", "192.0.2.1"},
                               {"X-Forwarded-Host", "evil"},
                               {"x-forwarded-proto", "evil"},
                               {"X-Forwarded-Uri", "evil"}}));

  const HttpRequest sent = last_of(world);
  EXPECT_EQ(values_of(sent.headers, "X-Forwarded-For"), "192.0.2.1");
  EXPECT_EQ(values_of(sent.headers, "X-Forwarded-Host"), "localhost:9443");
  EXPECT_EQ(values_of(sent.headers, "X-Forwarded-Proto"), "https");
  EXPECT_EQ(values_of(sent.headers, "X-Forwarded-Uri"),
            "/apis/tools.example.com/v1/namespaces/hammers/");
  EXPECT_EQ(values_of(sent.headers, "x-forwarded-proto"), "");
}

TEST(AggregationTest, TheServerDecidesWhichPagesReadIt) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond(
      {200, "{}", {{"access-control-allow-origin", "*"}, {"access-control-max-age", "9"}}});

  const HttpServerResponse got = world.ask(kHammers);

  EXPECT_EQ(values_of(got.headers, "access-control-allow-origin"), "");
  EXPECT_EQ(values_of(got.headers, "access-control-max-age"), "9");
}

TEST(AggregationTest, NoClientChoosesTheUserThatTheServerSees) {
  Aggregated world;
  world.serve_group();

  static_cast<void>(world.ask(kHammers, {{"X-Remote-User", "root"},
                                         {"x-remote-group", "system:masters"},
                                         {"X-Remote-Extra-Scopes", "all"},
                                         {"X-REMOTE-UID", "0"},
                                         {"Authorization", "Bearer secret"},
                                         {"Connection", "keep-alive"},
                                         {"Upgrade", "websocket"}}));

  const HttpRequest sent = last_of(world);
  EXPECT_EQ(values_of(sent.headers, "X-Remote-User"), "system:admin");
  for (const auto& [name, value] : sent.headers) {
    EXPECT_THAT(value, testing::Not(testing::AnyOf("root", "all", "0", "Bearer secret"))) << name;
    EXPECT_NE(name, "Upgrade");
  }
}

TEST(AggregationTest, AnUnavailableGroupIsRefusedAtOnce) {
  Aggregated world;
  world.register_group();
  world.step();

  const HttpServerResponse got = world.ask(kHammers);

  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.body, "service unavailable\n");
  EXPECT_TRUE(world.backends.transport.requests().empty());
}

TEST(AggregationTest, ABodyThatWasNotReadIsNotPassedOnAsEmpty) {
  Aggregated world;
  world.serve_group();
  const std::size_t asked = world.backends.transport.requests().size();
  HttpServerRequest request;
  request.method = "POST";
  request.target = kHammers;
  request.body_too_large = true;

  EXPECT_EQ(world.sandbox.server->handle(request).status, 413);

  EXPECT_EQ(world.backends.transport.requests().size(), asked);
}

TEST(AggregationTest, HeadersThatConnectionNamesGoNoFurther) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond(
      {200, "{}", {{"connection", "x-hop"}, {"x-hop", "1"}, {"x-end", "2"}}});

  const HttpServerResponse got =
      world.ask(kHammers, {{"Connection", "close, X-Mine"}, {"x-mine", "1"}, {"X-Other", "2"}});

  EXPECT_EQ(values_of(last_of(world).headers, "x-mine"), "");
  EXPECT_EQ(values_of(last_of(world).headers, "X-Other"), "2");
  EXPECT_EQ(values_of(got.headers, "x-hop"), "");
  EXPECT_EQ(values_of(got.headers, "x-end"), "2");
}

TEST(AggregationTest, TheServersRedirectsAreNotFollowed) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond({302, "", {{"location", "https://elsewhere/"}}});

  const HttpServerResponse got = world.ask(kHammers);

  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.body, "the backend attempted to redirect this request, which is not permitted");
}

TEST(AggregationTest, AServerThatBreaksOffIsAnError) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond(test::broken(Break::kReset, "EOF"));
  EXPECT_EQ(world.ask(kHammers).body, "error trying to reach service: EOF");

  world.backends.transport.respond(test::broken(Break::kTimeout));
  const HttpServerResponse late = world.ask(kHammers);
  EXPECT_EQ(late.status, 504);
  EXPECT_EQ(json_literal(late.body).text_at({"reason"}), "Timeout");
}

TEST(AggregationTest, AnErrorOfTheServerIsPassedOn) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond({418, "no", {{"content-type", "text/tea"}, {"x-pot", "1"}}});

  const HttpServerResponse got = world.ask(kHammers);

  EXPECT_EQ(got.status, 418);
  EXPECT_EQ(got.content_type, "text/tea");
  EXPECT_EQ(values_of(got.headers, "x-pot"), "1");
  EXPECT_EQ(got.body, "no");
}

TEST(AggregationTest, AWatchIsStreamed) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond(open_response(200));
  const std::size_t number = world.backends.transport.requests().size();
  HttpServerResponse got = world.ask(std::string(kHammers) + "?watch=1");
  ASSERT_NE(got.stream, nullptr);
  int notified = 0;
  got.stream->on_ready([&] { ++notified; });

  world.backends.transport.send(number, "one\n");
  std::string text;
  EXPECT_EQ(got.stream->read(text, 100), HttpBodyStream::State::kOpen);
  EXPECT_EQ(text, "one\n");
  EXPECT_EQ(notified, 1);
  EXPECT_EQ(last_of(world).timeout, Duration{0}) << "a watch has no time limit";

  world.backends.transport.send(number, "two\n");
  world.backends.transport.finish(number);
  EXPECT_EQ(got.stream->read(text, 100), HttpBodyStream::State::kEnded);
  EXPECT_EQ(text, "one\ntwo\n");
}

TEST(AggregationTest, ABodyThatIsCutIsNotEnded) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond(open_response(200));
  const std::size_t number = world.backends.transport.requests().size();
  HttpServerResponse got = world.ask(kHammers);
  ASSERT_NE(got.stream, nullptr);

  world.backends.transport.send(number, "half");
  world.backends.transport.finish(number, {Break::kReset, "gone"});

  std::string text;
  EXPECT_EQ(got.stream->read(text, 100), HttpBodyStream::State::kCut);
  EXPECT_EQ(text, "half");
}

TEST(AggregationTest, ASlowClientHoldsOneMegabyteOfALargeBody) {
  Aggregated world;
  world.serve_group();
  world.backends.transport.respond(open_response(200));
  const std::size_t number = world.backends.transport.requests().size();
  HttpServerResponse got = world.ask(kHammers);
  ASSERT_NE(got.stream, nullptr);
  constexpr std::size_t kAll = 10'000'000;
  world.backends.transport.send(number, std::string(kAll, 'x'));

  std::string first;
  static_cast<void>(got.stream->read(first, kAll));
  EXPECT_LE(first.size(), (std::size_t{1} << 20U) + 16'384);

  world.backends.transport.finish(number);
  std::size_t read = first.size();
  HttpBodyStream::State state = HttpBodyStream::State::kOpen;
  while (state == HttpBodyStream::State::kOpen) {
    std::string more;
    state = got.stream->read(more, 100'000);
    read += more.size();
  }
  EXPECT_EQ(state, HttpBodyStream::State::kEnded);
  EXPECT_EQ(read, kAll);
}

TEST(AggregationTest, AServerThatHangsHoldsItsShareAlone) {
  Aggregated world;
  world.serve_group();
  std::vector<HttpServerResponse> waiting;
  constexpr std::size_t kShare = 256;
  for (std::size_t i = 0; i < kShare; ++i) {
    world.backends.transport.respond(open_response(0));
    waiting.push_back(world.ask(kHammers));
    ASSERT_NE(waiting.back().deferred, nullptr);
    EXPECT_FALSE(waiting.back().deferred->take().has_value());
  }

  EXPECT_EQ(world.ask(kHammers).status, 429);
  EXPECT_EQ(world.ask("/api/v1/namespaces").status, 200);
  waiting.pop_back();
  EXPECT_EQ(world.ask(kHammers).status, 200);
}

TEST(AggregationTest, TheServersOwnPathsStay) {
  Aggregated world;
  world.serve_group();

  EXPECT_EQ(world.ask("/api/v1/namespaces").status, 200);
  EXPECT_EQ(world.ask("/apis/apps/v1").status, 200);
  EXPECT_EQ(world.ask("/apis/tools.example.com/v2").status, 404);
  EXPECT_EQ(world.ask("/apis/tools.example.com/v1").body, kToolsList);
  EXPECT_EQ(world.ask("/openapi/v3/apis/tools.example.com/v1").status, 404);
  EXPECT_EQ(last_of(world).target, "/openapi/v3/apis/tools.example.com/v1");
}

}  // namespace
}  // namespace davit::sandbox
