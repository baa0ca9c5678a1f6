#include "host/api/response_status.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

ApiRequest request(Verb verb) {
  ApiRequest out;
  out.verb = verb;
  out.path = {"apps", "v1", "replicasets", "", "ns", verb == Verb::kCreate ? "" : "web"};
  return out;
}

Status decode(Verb verb, int http_status, std::string_view body,
              std::string_view content_type = "application/json") {
  return decode_response(request(verb), {http_status, content_type, std::nullopt}, body);
}

struct CodeCase {
  int http_status;
  Verb verb;
  Code code;
  const char* reason;
};
// clang-format off
constexpr CodeCase kCodes[] = {
    {400, Verb::kGet,    Code::kInvalid,       "BadRequest"},
    {401, Verb::kGet,    Code::kForbidden,     "Unauthorized"},
    {403, Verb::kGet,    Code::kForbidden,     "Forbidden"},
    {404, Verb::kGet,    Code::kNotFound,      "NotFound"},
    {405, Verb::kGet,    Code::kUnsupported,   "MethodNotAllowed"},
    {406, Verb::kGet,    Code::kUnsupported,   "NotAcceptable"},
    {409, Verb::kCreate, Code::kAlreadyExists, "AlreadyExists"},
    {409, Verb::kUpdate, Code::kConflict,      "Conflict"},
    {410, Verb::kGet,    Code::kExpired,       "Unknown"},
    {413, Verb::kCreate, Code::kInvalid,       "Unknown"},
    {415, Verb::kPatch,  Code::kInvalid,       "UnsupportedMediaType"},
    {422, Verb::kCreate, Code::kInvalid,       "Invalid"},
    {429, Verb::kGet,    Code::kThrottled,     "TooManyRequests"},
    {500, Verb::kGet,    Code::kUnavailable,   "InternalError"},
    {503, Verb::kGet,    Code::kUnavailable,   "ServiceUnavailable"},
    {504, Verb::kGet,    Code::kUnavailable,   "Timeout"},
    {302, Verb::kGet,    Code::kInternal,      "Unknown"},
};
// clang-format on

TEST(ResponseStatusTest, HttpStatusAloneGivesReasonAndCodeRT013) {
  for (const CodeCase& each : kCodes) {
    const Status status = decode(each.verb, each.http_status, "");
    EXPECT_EQ(status.code(), each.code) << each.http_status;
    ASSERT_NE(status.detail(), nullptr) << each.http_status;
    EXPECT_EQ(status.detail()->reason, each.reason) << each.http_status;
    EXPECT_EQ(status.detail()->http_status, each.http_status);
    EXPECT_TRUE(status.has_cause("UnexpectedServerResponse"));
  }
}

TEST(ResponseStatusTest, PlainTextNotFoundIsNotFoundRT011) {
  const Status status = decode(Verb::kGet, 404, "no such thing", "text/plain");
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.detail()->http_status, 404);
  EXPECT_TRUE(status.has_cause("UnexpectedServerResponse"));
  EXPECT_NE(status.message().find("(get replicasets.apps web)"), std::string::npos);
}

TEST(ResponseStatusTest, FailureInsideTwoHundredIsAnErrorRT012) {
  const Status status = decode(
      Verb::kUpdate, 200,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":409,"reason":"Conflict"})");
  EXPECT_EQ(status.code(), Code::kConflict);
  EXPECT_EQ(status.detail()->http_status, 409);
}

TEST(ResponseStatusTest, SuccessStatusAndObjectsAreSuccess) {
  EXPECT_TRUE(
      decode(Verb::kDelete, 200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})").ok());
  EXPECT_TRUE(decode(Verb::kGet, 200, R"({"kind":"Pod","status":{"phase":"Status"}})").ok());
}

TEST(ResponseStatusTest, DetailsAreKept) {
  const Status status = decode(
      Verb::kCreate, 403,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,)"
      R"("message":"ns is being terminated","details":{"retryAfterSeconds":3,)"
      R"("causes":[{"reason":"NamespaceTerminating","message":"m"}]}})");
  EXPECT_EQ(status.message(), "ns is being terminated");
  EXPECT_TRUE(status.has_cause("NamespaceTerminating"));
  EXPECT_EQ(status.detail()->retry_after_ms, 3000u);
}

TEST(ResponseStatusTest, TooLargeResourceVersionOfOldServersBecomesTheCause) {
  const Status status = decode(
      Verb::kList, 504,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Timeout","code":504,)"
      R"("message":"Timeout: Too large resource version: 9, current: 5"})");
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_TRUE(status.has_cause("ResourceVersionTooLarge"));
}

TEST(ResponseStatusTest, ForbiddenKeepsTheServersText) {
  const Status status = decode(Verb::kGet, 403, "not for you\n", "text/plain; charset=utf-8");
  EXPECT_EQ(status.message(), "not for you (get replicasets.apps web)");
}

TEST(ResponseStatusTest, HostileStatusBodiesAreNotAStatus) {
  const std::string deep(100000, '[');
  EXPECT_EQ(decode(Verb::kGet, 500, R"({"kind":"Status","a":)" + deep).code(), Code::kUnavailable);
  EXPECT_EQ(decode(Verb::kGet, 500, R"("Status")").code(), Code::kUnavailable);
  EXPECT_EQ(decode(Verb::kGet, 409,
                   R"({"kind":"Status","apiVersion":"v1","code":"x","details":[],"reason":7})")
                .code(),
            Code::kConflict);
}

TEST(ResponseStatusTest, RetryAfterIsAWholeNumberOfSecondsOnlyRT005) {
  EXPECT_EQ(parse_retry_after("7"), 7u);
  EXPECT_EQ(parse_retry_after("0"), 0u);
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2026 07:28:00 GMT"), std::nullopt);
  EXPECT_EQ(parse_retry_after("-1"), std::nullopt);
  EXPECT_EQ(parse_retry_after("1.5"), std::nullopt);
  EXPECT_EQ(parse_retry_after(""), std::nullopt);
}

}  // namespace
}  // namespace davit::host
