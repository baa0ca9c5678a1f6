#include "sandbox/faults/fault_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/faults/fake_server.hpp"
#include "tests/sandbox/faults/header_users.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kPod = "/api/v1/namespaces/a/pods/p";

class FaultLayerTest : public testing::Test {
 protected:
  FaultyServer faulty_;
};

TEST_F(FaultLayerTest, NothingHappensWithoutRules) {
  const HttpServerResponse response = faulty_.get(kPod);
  EXPECT_EQ(response.body, R"({"kind":"Pod"})");
  EXPECT_EQ(response.deferred, nullptr);
  EXPECT_EQ(response.stream, nullptr);
  EXPECT_FALSE(response.aborted);
}

TEST_F(FaultLayerTest, ServerGetsTheUrlThatTheLayerHasParsed) {
  static_cast<void>(faulty_.get("/api/v1/namespaces/a%2Db/pods?watch=0"));
  EXPECT_THAT(faulty_.server.parsed_paths, ElementsAre("/api/v1/namespaces/a-b/pods"));
}

TEST_F(FaultLayerTest, DelayedResponseComesLaterAndWhole) {
  faulty_.add(R"({"fault":"delay","delay":"2s"})");
  const HttpServerResponse response = faulty_.get(kPod);
  ASSERT_NE(response.deferred, nullptr);
  EXPECT_FALSE(response.deferred->take());
  EXPECT_EQ(response.deferred->next_take(), faulty_.clock.now() + std::chrono::seconds(2));

  faulty_.clock.advance(std::chrono::seconds(2));
  const auto known = response.deferred->take();
  ASSERT_TRUE(known);
  EXPECT_EQ(known->body, R"({"kind":"Pod"})");
}

TEST_F(FaultLayerTest, ResetRequestNeverArrives) {
  faulty_.add(R"({"fault":"reset"})");
  const HttpServerResponse response = faulty_.get(kPod);
  EXPECT_TRUE(response.aborted);
  EXPECT_THAT(faulty_.server.request_facts, IsEmpty());
}

TEST_F(FaultLayerTest, LostResponseIsThatOfARequestThatArrived) {
  faulty_.add(R"({"fault":"lost","target":{"verb":"delete"}})");
  const HttpServerResponse response = faulty_.layer.handle(request("DELETE", kPod));
  EXPECT_TRUE(response.aborted);
  EXPECT_THAT(faulty_.server.request_facts, ElementsAre("DELETE /api/v1/namespaces/a/pods/p"));
}

TEST_F(FaultLayerTest, WrongBodyReplacesThatOfARequestThatArrived) {
  faulty_.add(R"({"fault":"body","body":"{}","target":{"verb":"get"}})");
  const HttpServerResponse response = faulty_.get(kPod);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{}\n");
  EXPECT_EQ(response.stream, nullptr);
  EXPECT_THAT(faulty_.server.request_facts, ElementsAre("GET /api/v1/namespaces/a/pods/p"));
}

TEST_F(FaultLayerTest, SlowAndCutBodyTricklesAndBreaksOff) {
  faulty_.add(R"({"fault":"slow","bytesPerSecond":30})");
  faulty_.add(R"({"fault":"cut","afterBytes":5})");
  const HttpServerResponse response = faulty_.get(kPod);
  ASSERT_NE(response.stream, nullptr);
  EXPECT_EQ(response.body, "");

  std::string body;
  EXPECT_EQ(response.stream->read(body, 100), HttpBodyStream::State::kOpen);
  EXPECT_EQ(body, R"({"k)");
  faulty_.clock.advance(std::chrono::milliseconds(100));
  EXPECT_EQ(response.stream->read(body, 100), HttpBodyStream::State::kCut);
  EXPECT_EQ(body, R"({"kin)");
}

struct StatusCase {
  int code;
  const char* reason;
  const char* message;
};

constexpr StatusCase kStatuses[] = {
    {401, "Unauthorized", "Unauthorized"},
    {403, "Forbidden", R"(pods "p" is forbidden: an injected fault)"},
    {404, "NotFound", R"(pods "p" not found)"},
    {409, "Conflict",
     R"(Operation cannot be fulfilled on pods "p": the object has been modified; )"
     "please apply your changes to the latest version and try again"},
    {410, "Expired", "The resourceVersion for the provided list is too old."},
    {429, "TooManyRequests",
     "The server has received too many requests and has request_facts us to try again later"},
    {500, "InternalError", "Internal error occurred: an injected fault"},
    {503, "ServiceUnavailable", "The server is currently unable to handle the request"},
    {504, "Timeout", "The request did not finish within the allotted time"},
    {418, "", "an injected fault"},
};

TEST_F(FaultLayerTest, StatusIsWhatARealServerSays) {
  for (const StatusCase& each : kStatuses) {
    faulty_.layer.clear();
    faulty_.add(R"({"fault":"status","code":)" + std::to_string(each.code) + "}");
    const HttpServerResponse response = faulty_.get(kPod);
    EXPECT_EQ(response.status, each.code);
    const Json body = json_literal(response.body);
    EXPECT_EQ(body.text_at({"kind"}), "Status");
    EXPECT_EQ(body.get("code").integer(), each.code);
    EXPECT_EQ(body.text_at({"reason"}), each.reason);
    EXPECT_EQ(body.text_at({"message"}), each.message);
  }
  EXPECT_THAT(faulty_.server.request_facts, IsEmpty());
}

std::string retry_after(const HttpServerResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "Retry-After") return value;
  }
  return "";
}

TEST_F(FaultLayerTest, RetryAfterIsAsWrittenAndNeverMissingWith429) {
  faulty_.add(R"({"fault":"status","code":429,"count":1})");
  EXPECT_EQ(retry_after(faulty_.get(kPod)), "1");
  faulty_.add(R"({"fault":"status","code":503,"retryAfterSeconds":7,"count":1})");
  EXPECT_EQ(retry_after(faulty_.get(kPod)), "7");
  faulty_.add(R"({"fault":"status","code":503,"count":1})");
  EXPECT_EQ(retry_after(faulty_.get(kPod)), "");
}

TEST_F(FaultLayerTest, MessageIsTheRulesOwn) {
  faulty_.add(R"({"fault":"status","code":500,"message":"etcdserver: leader changed"})");
  EXPECT_EQ(json_literal(faulty_.get(kPod).body).text_at({"message"}),
            "etcdserver: leader changed");
}

TEST_F(FaultLayerTest, StaleReadAsksForTheRevisionOfTheRule) {
  faulty_.add(R"({"fault":"stale"})");
  ASSERT_TRUE(faulty_.store.create({"", "pods"}, {"a", "p", Json::object(), {}, {}}));
  faulty_.server.body = R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{}}]})";
  const HttpServerResponse response = faulty_.get(kPod);
  EXPECT_THAT(faulty_.server.request_facts,
              ElementsAre("GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp&"
                          "resourceVersionMatch=Exact&resourceVersion=1"));
  EXPECT_EQ(response.body, R"({"kind":"Pod","apiVersion":"v1","metadata":{}})");
}

TEST_F(FaultLayerTest, StaleReadGoesBackByRevisions) {
  for (const char* name : {"p", "q", "r"}) {
    ASSERT_TRUE(faulty_.store.create({"", "pods"}, {"a", name, Json::object(), {}, {}}));
  }
  faulty_.add(R"({"fault":"stale","revisionsBack":2})");
  EXPECT_EQ(faulty_.get("/api/v1/pods").status, 200);
  EXPECT_THAT(faulty_.server.request_facts,
              ElementsAre("GET /api/v1/pods?resourceVersionMatch=Exact&resourceVersion=2"));
}

TEST_F(FaultLayerTest, HistoryThatIsGoneIsReadFresh) {
  faulty_.add(R"({"fault":"stale"})");
  faulty_.server.status = 410;
  EXPECT_EQ(faulty_.get("/api/v1/pods").status, 410);
  EXPECT_EQ(faulty_.server.request_facts.back(), "GET /api/v1/pods");
}

TEST_F(FaultLayerTest, RequestOfAnyShapePassesThrough) {
  faulty_.add(R"({"fault":"reset","target":{"resource":"*"}})");
  for (const char* target : {"", "/", "*", "/%zz", "/api/v1/%", "/version?%", "/sandbox/faultsy"}) {
    EXPECT_FALSE(faulty_.get(target).aborted) << target;
  }
  EXPECT_EQ(faulty_.server.request_facts.size(), 7u);
}

TEST_F(FaultLayerTest, RuleCanConcernOneUser) {
  const HeaderUsers authenticator;
  FaultLayer layer({faulty_.server, faulty_.store, faulty_.clock, &authenticator}, 1);
  layer.add(*parse_fault_script(json_literal(R"({"fault":"reset","target":{"user":"me"}})")));
  HttpServerRequest mine = request("GET", kPod);
  mine.headers = {{"Test-User", "me"}};
  EXPECT_TRUE(layer.handle(mine).aborted);
  EXPECT_FALSE(layer.handle(request("GET", kPod)).aborted);
}

}  // namespace
}  // namespace davit::sandbox
