#include "host/object/object_decoder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/object/metadata.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kJson =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"7"}})";

std::string in_protobuf(std::string_view json) {
  const Result<Json> object = parse_json(json);
  EXPECT_TRUE(object);
  return encode_protobuf(*object).value_or("");
}

class ObjectDecoderTest : public testing::Test {
 protected:
  std::string name_of(std::string_view bytes) {
    const Result<ObjectRef> object = decoder_.parse(bytes, {});
    return object ? std::string(metadata(**object).name) : "not read";
  }

  ObjectSpace space_;
  ObjectDecoder decoder_{space_};
};

TEST_F(ObjectDecoderTest, ReadsBothFormsInTurnsAndAfterARelease) {
  const std::string protobuf = in_protobuf(kJson);

  EXPECT_EQ(name_of(kJson), "a");
  EXPECT_EQ(name_of(protobuf), "a");
  decoder_.release();
  EXPECT_EQ(name_of(protobuf), "a");
  EXPECT_EQ(name_of(kJson), "a");
}

TEST_F(ObjectDecoderTest, ObjectsOutliveTheBuffersTheyWereReadWith) {
  const Result<ObjectRef> object = decoder_.parse(in_protobuf(kJson), {});
  ASSERT_TRUE(object);

  decoder_.release();

  EXPECT_EQ(metadata(**object).resource_version, "7");
}

TEST_F(ObjectDecoderTest, TheLastMistakeIsKnownAfterARelease) {
  EXPECT_EQ(decoder_.fault(), ParseFault::kNone);
  EXPECT_EQ(name_of("{"), "not read");

  decoder_.release();

  EXPECT_EQ(decoder_.fault(), ParseFault::kMalformed);
  EXPECT_EQ(name_of(kJson), "a");
  EXPECT_EQ(decoder_.fault(), ParseFault::kNone);
}

}  // namespace
}  // namespace davit::host
