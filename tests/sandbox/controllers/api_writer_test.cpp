// Writes whose responses come later, as those that wait for webhooks do.
#include "sandbox/controllers/api_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/controllers/controllers.hpp"
#include "tests/sandbox/controllers/cluster.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

using Outcome = ApiWriter::Outcome;

HttpServerResponse response_with(int status) {
  HttpServerResponse out;
  out.status = status;
  return out;
}

/// Defers every response until the test gives its status.
class LateServer final : public HttpHandler {
 public:
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    requests.push_back(request.method + ' ' + request.target + ' ' + request.body);
    HttpServerResponse out = response_with(429);
    out.deferred = std::make_unique<Late>(*this);
    return out;
  }

  std::vector<std::string> requests;
  std::optional<int> status;
  int open = 0;  ///< Responses that exist.

 private:
  class Late final : public HttpDeferredResponse {
   public:
    explicit Late(LateServer& server) : server_(server) { ++server_.open; }
    ~Late() override { --server_.open; }
    [[nodiscard]] std::optional<HttpServerResponse> take() override {
      if (!server_.status) return std::nullopt;
      return response_with(*server_.status);
    }
    [[nodiscard]] Time next_take() const override { return Time::max(); }

   private:
    LateServer& server_;
  };
};

class ApiWriterTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  LateServer server_;
  ApiWriter writer_{server_, clock_, "tester"};
};

TEST_F(ApiWriterTest, AWriteThatWaitsIsSentOnceAndItsRepetitionGetsTheResponse) {
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);
  server_.status = 404;

  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kGone);

  EXPECT_THAT(server_.requests, ElementsAre("DELETE /a {}"));
}

TEST_F(ApiWriterTest, AnotherWriteToTheSamePlaceIsSentOnceTheFirstHasEnded) {
  EXPECT_EQ(writer_.merge("/a", Json::object({{"n", 1}})), Outcome::kFailed);
  EXPECT_EQ(writer_.merge("/a", Json::object({{"n", 2}})), Outcome::kFailed);
  EXPECT_EQ(server_.requests.size(), 1U);
  server_.status = 200;

  EXPECT_EQ(writer_.merge("/a", Json::object({{"n", 2}})), Outcome::kFailed);
  EXPECT_EQ(writer_.merge("/a", Json::object({{"n", 2}})), Outcome::kDone);

  EXPECT_THAT(server_.requests, ElementsAre(R"(PATCH /a {"n":1})", R"(PATCH /a {"n":2})"));
}

TEST_F(ApiWriterTest, AWriteThatWaitsIsTriedAgainSoonAndThenMoreAndMoreSeldom) {
  EXPECT_EQ(writer_.retry_after(), kRetryAfter);
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);
  const Duration first = writer_.retry_after();
  for (int i = 0; i < 20; ++i) {
    clock_.advance(writer_.retry_after());
    EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);
  }
  const Duration last = writer_.retry_after();
  server_.status = 200;
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kDone);

  EXPECT_LT(first, std::chrono::milliseconds(10));
  EXPECT_EQ(last, std::chrono::milliseconds(500));
  EXPECT_EQ(writer_.retry_after(), kRetryAfter);
}

TEST_F(ApiWriterTest, AWriteThatIsNotTriedAgainIsForgotten) {
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);

  clock_.advance(std::chrono::minutes(2));
  writer_.begin_round(clock_.now());
  EXPECT_EQ(writer_.remove("/b", Json::object()), Outcome::kFailed);
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);

  EXPECT_EQ(server_.requests.size(), 3U);
}

TEST_F(ApiWriterTest, AResponseThatIsNotTakenInItsRoundHoldsNothingAndAnswersNoLaterWrite) {
  EXPECT_EQ(writer_.create("/a", Json::object()), Outcome::kFailed);
  server_.status = 201;
  clock_.advance(std::chrono::seconds(1));
  writer_.begin_round(clock_.now());
  EXPECT_EQ(server_.open, 0) << "its thread is free";
  EXPECT_EQ(writer_.next_round(), Time::max());

  writer_.begin_round(clock_.now());
  EXPECT_EQ(writer_.create("/a", Json::object()), Outcome::kFailed);

  EXPECT_EQ(server_.requests.size(), 2U);
}

TEST_F(ApiWriterTest, AResponseThatHasComeIsForTheSameIntentOnly) {
  EXPECT_EQ(writer_.create("/a", Json::object(), "first"), Outcome::kFailed);
  server_.status = 201;
  clock_.advance(std::chrono::seconds(1));
  writer_.begin_round(clock_.now());

  EXPECT_EQ(writer_.create("/a", Json::object(), "second"), Outcome::kFailed);
  EXPECT_EQ(writer_.create("/a", Json::object(), "second"), Outcome::kDone);

  EXPECT_EQ(server_.requests.size(), 2U);
}

TEST_F(ApiWriterTest, AWriteThatIsNotWantedAnyMoreHurriesNoOther) {
  EXPECT_EQ(writer_.remove("/a", Json::object()), Outcome::kFailed);

  clock_.advance(std::chrono::milliseconds(1));
  writer_.begin_round(clock_.now());

  EXPECT_EQ(writer_.retry_after(), kRetryAfter);
  EXPECT_LT(writer_.next_round(), clock_.now() + kRetryAfter) << "its response is awaited";
}

/// Never responds to deletions of one object, as if a webhook hung. Passes on the rest.
class HangingServer final : public HttpHandler {
 public:
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    if (request.method == "DELETE" && request.target.ends_with("/hung")) {
      return late_.handle(request);
    }
    return server->handle(request);
  }

  HttpHandler* server = nullptr;

 private:
  LateServer late_;
};

TEST(ControllersTest, AWriteWhoseWebhookHangsDelaysNoOther) {
  ControllerOptions none;
  none.garbage_collector = none.namespaces = Switch::kOff;
  Cluster cluster(none);
  HangingServer hanging;
  hanging.server = &cluster.server();
  Controllers controllers(
      {cluster.store, hanging, cluster.clock, [&] { return cluster.resources(); }}, {});
  for (const char* name : {"hung", "other"}) {
    cluster.config_map(name, '[' + Cluster::owner("gone", "1") + ']');
  }
  controllers.step(cluster.clock.now());
  EXPECT_THAT(cluster.config_maps(), ElementsAre("hung"));

  cluster.create("/api/v1/namespaces", R"({"metadata":{"name":"team"}})");
  ASSERT_EQ(cluster.call("DELETE", "/api/v1/namespaces/team").status, 200);
  const Time next = controllers.step(cluster.clock.now());

  EXPECT_TRUE(cluster.get("/api/v1/namespaces/team").is_null()) << "another controller's work";
  EXPECT_THAT(cluster.config_maps(), ElementsAre("hung"));
  EXPECT_LE(next, cluster.clock.now() + std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace davit::sandbox
