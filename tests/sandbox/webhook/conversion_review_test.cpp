#include "sandbox/webhook/conversion_review.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace davit::sandbox {
namespace {

const std::vector<Json>& two_objects() {
  static const std::vector<Json> objects = {
      json_literal(R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"a","uid":"1",
                       "finalizers":["x.io/y"],"labels":{"old":"l"}},"spec":{"size":1}})"),
      json_literal(
          R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"b","uid":"2"}})")};
  return objects;
}

ConversionRequest request_for(const std::vector<Json>& objects, std::string version = "v1") {
  return {std::move(version), "u", "ex.io/v2", objects};
}

HookReply reply_with(const std::string& objects, const std::string& version = "v1") {
  HookReply out;
  out.status = 200;
  out.content_type = "application/json";
  out.body = R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/)" + version +
             R"(","response":{"uid":"u","result":{"status":"Success"},"convertedObjects":)" +
             objects + "}}";
  return out;
}

TEST(ConversionReviewTest, TheRequestNamesTheVersionAndTheObjects) {
  EXPECT_EQ(
      conversion_text(request_for({json_literal(R"({"kind":"Widget"})")}, "v1beta1")),
      R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1",)"
      R"("request":{"uid":"u","desiredAPIVersion":"ex.io/v2","objects":[{"kind":"Widget"}]}})");
}

TEST(ConversionReviewTest, ObjectsKeepTheirMetadataButForLabelsAndAnnotations) {
  const Conversion converted = read_conversion(
      request_for(two_objects()),
      reply_with(R"([{"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"a","uid":"1",
                      "generation":9,"annotations":{"n":"x"}},"spec":{"width":1}},
                     {"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"b",
                      "uid":"2"}}])"));

  EXPECT_EQ(converted.error, "");
  ASSERT_EQ(converted.objects.size(), 2U);
  const Json& metadata = converted.objects[0].get("metadata");
  EXPECT_TRUE(metadata.contains("finalizers"));
  EXPECT_FALSE(metadata.contains("labels"));
  EXPECT_FALSE(metadata.contains("generation"));
  EXPECT_EQ(metadata.get("annotations").get("n").text(), "x");
}

std::string widget(const std::string& name, const std::string& uid) {
  return R"({"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":")" + name +
         R"(","uid":")" + uid + "\"}}";
}

TEST(ConversionReviewTest, AReplyMixesNoObjectsUp) {
  const Conversion swapped =
      read_conversion(request_for(two_objects()),
                      reply_with("[" + widget("b", "2") + "," + widget("a", "1") + "]"));
  const Conversion short_of_one = read_conversion(
      request_for(two_objects()),
      reply_with(
          R"([{"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"a","uid":"1"}}])"));

  EXPECT_EQ(swapped.error,
            "conversion webhook for ex.io/v1, Kind=Widget returned invalid object: must have the "
            "same name: a != b");
  EXPECT_EQ(short_of_one.error,
            "conversion webhook for ex.io/v1, Kind=Widget returned 1 objects, expected 2");
}

TEST(ConversionReviewTest, GarbageIsAnErrorAndNoObject) {
  constexpr std::size_t kDeep = 100'000;
  const std::string whole =
      reply_with(R"([{"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"a"}}])").body;
  const std::vector<std::string> bodies = {
      "",
      "garbage",
      "null",
      "[]",
      "{}",
      "7",
      std::string(kDeep, '['),
      whole.substr(0, whole.size() / 2),
      whole,  // One object, and two are wanted.
      reply_with("[null,null]").body,
      reply_with("[[],{}]").body,
      reply_with(R"([{"kind":1},{"kind":2}])").body,
      reply_with(R"({"a":1})").body,
  };
  for (const std::string& body : bodies) {
    HookReply reply = reply_with("[]");
    reply.body = body;
    const Conversion converted = read_conversion(request_for(two_objects()), reply);
    EXPECT_NE(converted.error, "") << body.substr(0, 100);
    EXPECT_TRUE(converted.objects.empty());
  }
}

TEST(ConversionReviewTest, AnnotationsHaveALimit) {
  const std::vector<Json> one = {two_objects()[1]};
  const auto reply = [](std::size_t bytes) {
    return reply_with(R"([{"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"b","uid":"2",
                           "annotations":{"a":")" +
                      std::string(bytes, 'x') + "\"}}}]");
  };
  constexpr std::size_t kLimit = 262144;

  EXPECT_EQ(read_conversion(request_for(one), reply(kLimit - 1)).error, "");
  EXPECT_EQ(read_conversion(request_for(one), reply(kLimit)).error,
            "conversion webhook for ex.io/v1, Kind=Widget returned invalid metadata: "
            "metadata.annotation: Too long: may not be more than 262144 bytes");
}

TEST(ConversionReviewTest, AReplyOfTheOlderVersionNeedsNoUid) {
  const std::vector<Json> one = {two_objects()[1]};
  HookReply reply =
      reply_with(R"([{"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"b","uid":"2"}}])",
                 "v1beta1");
  reply.body.replace(reply.body.find(R"("uid":"u")"), 9, R"("uid":"z")");

  EXPECT_EQ(read_conversion(request_for(one, "v1beta1"), reply).error, "");
}

}  // namespace
}  // namespace davit::sandbox
