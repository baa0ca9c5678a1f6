#include "host/trace/otlp_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/json.hpp"
#include "tests/host/trace/trace_fixture.hpp"

namespace davit::host {
namespace {

const SpanContext kContext{"0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331",
                           SpanContext::Sampled::kYes};

TEST(OtlpJsonTest, BodyIsWhatTheProtocolWants) {
  Span root = span_of(kContext, "sample-controller sync");
  root.attributes = {{"davit.key", "default/web"}, {"davit.attempt", std::int64_t{2}}};
  Span request = span_of(kContext, "patch pods");
  request.parent_id = "1111111111111111";
  request.kind = Span::Kind::kClient;
  request.outcome = Span::Outcome::kError;
  request.error = "pods \"web\" not found";
  EXPECT_THAT(otlp_json({{"service.name", "davit"}}, std::vector{root}),
              testing::StartsWith(R"({"resourceSpans":[{"resource":{"attributes":[{"key":)"
                                  R"("service.name","value":{"stringValue":"davit"}}]},)"));
  const Result<Json> body = parse_json(otlp_json({}, std::vector{root, request}));
  ASSERT_TRUE(body);
  const Json& scope =
      body->find("resourceSpans")->items().front().find("scopeSpans")->items().front();
  EXPECT_EQ(scope.text_at({"scope", "name"}), "davit");
  EXPECT_EQ(to_text(scope.find("spans")->items()[0]),
            R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",)"
            R"("name":"sample-controller sync","kind":1,"startTimeUnixNano":"1767225600000000000",)"
            R"("endTimeUnixNano":"1767225601000000000","attributes":[)"
            R"({"key":"davit.key","value":{"stringValue":"default/web"}},)"
            R"({"key":"davit.attempt","value":{"intValue":"2"}}]})");
  EXPECT_EQ(to_text(scope.find("spans")->items()[1]),
            R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",)"
            R"("parentSpanId":"1111111111111111","name":"patch pods","kind":3,)"
            R"("startTimeUnixNano":"1767225600000000000","endTimeUnixNano":"1767225601000000000",)"
            R"("attributes":[],"status":{"message":"pods \"web\" not found","code":2}})");
}

TEST(OtlpJsonTest, LongAndMalformedTextsStayShortAndValid) {
  Span span = span_of(kContext);
  span.outcome = Span::Outcome::kError;
  span.error = std::string(1023, 'x') + "\xC3\xA4" + std::string(100'000, 'y');
  span.attributes = {{"davit.key", std::string("a\xFF") + "b"}};
  const std::string text = otlp_json({}, std::vector{span});
  EXPECT_LT(text.size(), 2000U);
  const Result<Json> body = parse_json(text);
  ASSERT_TRUE(body) << text;
  EXPECT_NE(text.find(std::string(1023, 'x') + "\""), std::string::npos) << "no half a character";
  EXPECT_NE(text.find("a\xEF\xBF\xBD"
                      "b"),
            std::string::npos);
}

struct ResponseCase {
  const char* body;
  std::size_t rejected;
  const char* message;
};
constexpr ResponseCase kResponses[] = {
    {"{}", 0, ""},
    {"", 0, ""},
    {"<html>", 0, ""},
    {"[1]", 0, ""},
    {R"({"partialSuccess":{}})", 0, ""},
    {R"({"partialSuccess":7})", 0, ""},
    {R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})", 3, "too old"},
    {R"({"partialSuccess":{"rejectedSpans":3}})", 3, ""},
    {R"({"partialSuccess":{"rejectedSpans":"99999999999"}})", 10, ""},
    {R"({"partialSuccess":{"rejectedSpans":"-1"}})", 0, ""},
    {R"({"partialSuccess":{"rejectedSpans":"3x","errorMessage":5}})", 0, "5"},
};

TEST(OtlpJsonTest, ResponseIsBelievedWhereItMakesSense) {
  for (const ResponseCase& each : kResponses) {
    const PartialSuccess read = partial_success(each.body, 10);
    EXPECT_EQ(read.rejected, each.rejected) << each.body;
    EXPECT_EQ(read.message, each.message) << each.body;
  }
}

}  // namespace
}  // namespace davit::host
