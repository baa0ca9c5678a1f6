#include "host/object/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "host/object/metadata.hpp"
#include "tests/host/object/golden.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class ParseTest : public testing::Test {
 protected:
  ObjectRef parse(std::string_view json) {
    Result<ObjectRef> object = parser_.parse(json);
    EXPECT_TRUE(object) << object.error().message() << " in " << json.substr(0, 100);
    return object ? *object : ObjectRef();
  }
  std::string error(std::string_view json, const ParseOptions& options = {}) {
    const Result<ObjectRef> object = parser_.parse(json, options);
    EXPECT_FALSE(object) << json.substr(0, 100);
    EXPECT_EQ(object.error().code(), Code::kInvalid);
    return object.error().message();
  }

  ObjectSpace space_;
  Parser parser_{space_};
};

TEST_F(ParseTest, TextIsCompactAndInDocumentOrder) {
  const std::string_view texts[] = {
      "{}",
      R"({"b":1,"a":[true,false,null,"x",[],{}]})",
      R"({"":{"":""}})",
      R"({"n":[0,-0,-1,1.0,1e5,-2.5E-3,18446744073709551615,123456789012345678901234567890]})",
      R"({"s":"\"\\\b\f\n\r\t\u0001/ü€😀"})",
  };
  for (const std::string_view text : texts) EXPECT_EQ(parse(text).root().json(), text);
}

TEST_F(ParseTest, AnyJsonValueCanBeTheRootOfAValue) {
  for (const std::string_view text :
       {R"([1,{"a":"b"},[]])", R"("text")", "-2.5", "true", "false", "null", "[]", R"({"a":1})"}) {
    const Result<ObjectRef> value = parser_.parse_value(text);
    ASSERT_TRUE(value) << text << ": " << value.error().message();
    EXPECT_EQ(value->root().json(), text);
    EXPECT_EQ(parser_.parse(text).has_value(), text.starts_with('{')) << text;
  }
  EXPECT_EQ(parser_.parse_value(R"( {"metadata":{"managedFields":[]}})")->root().json(),
            R"({"metadata":{}})")
      << "as that of an object";
  for (const std::string_view text : {"", " ", "[1", "1 2", "nul", "{}{}"}) {
    EXPECT_FALSE(parser_.parse_value(text)) << text;
  }
}

TEST_F(ParseTest, WhiteSpaceAndEscapesAreNormalised) {
  EXPECT_EQ(parse(" {\t\"a\" :\r\n [ 1 , \"\\u00fc\\/\\ud83d\\ude00\" ] } \n").root().json(),
            R"({"a":[1,"ü/😀"]})");
}

TEST_F(ParseTest, RecordedObjectsSurviveButForManagedFields) {
  for (const std::string name : {"pod.json", "replicaset.json", "deployment.json"}) {
    const std::string text = golden(name);
    ASSERT_THAT(text, HasSubstr("managedFields"));

    const ObjectRef object = parse(text);

    EXPECT_FALSE(object.root()["metadata"]["managedFields"]) << name;
    EXPECT_TRUE(object.root()["spec"]["template"]["spec"]["containers"] ||
                object.root()["spec"]["containers"]);
    const std::string compact = object.root().json();
    const ObjectRef again = parse(compact);
    EXPECT_EQ(again.root(), object.root()) << name;
    EXPECT_EQ(again.root().json(), compact);
    EXPECT_EQ(again.bytes(), object.bytes());
    EXPECT_LT(object.bytes(), compact.size()) << "the snapshot is smaller than its text";
  }
}

TEST_F(ParseTest, ManagedFieldsAreDroppedOnlyInTheObjectsOwnMetadata) {
  EXPECT_EQ(parse(R"({"managedFields":1,"metadata":{"managedFields":[{"a":"}"}],"name":"x",)"
                  R"("sub":{"managedFields":2}},"spec":{"metadata":{"managedFields":3}}})")
                .root()
                .json(),
            R"({"managedFields":1,"metadata":{"name":"x","sub":{"managedFields":2}},)"
            R"("spec":{"metadata":{"managedFields":3}}})");
}

TEST_F(ParseTest, MetadataIsReadFromAnywhere) {
  const std::string_view parts = R"("name":"n","namespace":"ns","uid":"u","resourceVersion":"12",)"
                                 R"("ownerReferences":[{"uid":"a","controller":false},)"
                                 R"({"uid":"b","controller":true},{"uid":"c","controller":true}])";
  // Behind a long field the places are too far away to be cached.
  for (const std::string& before : {std::string(), std::string(100'000, 'x')}) {
    const ObjectRef object =
        parse("{\"before\":\"" + before + "\",\"metadata\":{" + std::string(parts) + "}}");
    EXPECT_EQ(metadata(*object).name, "n");
    EXPECT_EQ(metadata(*object).ns, "ns");
    EXPECT_EQ(metadata(*object).uid, "u");
    EXPECT_EQ(metadata(*object).resource_version, "12");
    EXPECT_EQ(controller_uid(*object), "b");
  }
}

TEST_F(ParseTest, MissingMetadataIsEmpty) {
  for (const std::string_view text :
       {"{}", R"({"metadata":7})", R"({"metadata":{"name":null,"uid":5,"ownerReferences":{}}})",
        R"({"metadata":{"ownerReferences":[1,{"uid":"x"},{"controller":true}]}})"}) {
    const ObjectRef object = parse(text);
    EXPECT_EQ(metadata(*object).name, "");
    EXPECT_EQ(metadata(*object).uid, "");
    EXPECT_EQ(controller_uid(*object), "");
  }
}

TEST_F(ParseTest, LastOfDuplicateKeysWins) {
  const ObjectRef object = parse(R"({"a":"first","b":{"a":1},"a":{"x":"first"},"a":[3]})");

  EXPECT_EQ(object.root()["a"].json(), "[3]");
  EXPECT_EQ(object.root().count(), 2U);
  EXPECT_EQ(object.root().json(), R"({"b":{"a":1},"a":[3]})");
  EXPECT_EQ(object.root(), parse(R"({"a":[3],"b":{"a":1}})").root());
}

TEST_F(ParseTest, LastOfDuplicateKeysWinsInLargeObjects) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i)
    text += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + ",";
  text.back() = '}';

  const ObjectRef object = parse(text);

  EXPECT_EQ(object.root().count(), 50U);
  EXPECT_EQ(object.root()["k0"].integer(), 50);
  EXPECT_EQ(object.root()["k49"].integer(), 99);
}

TEST_F(ParseTest, LargeObjectsUseWideSizes) {
  std::string text = R"({"big":")" + std::string(70'000, 'b') + R"(","list":[)";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + ",";
  text.back() = ']';
  text += R"(,"again":"far-away-text","once":"far-away-text"})";

  const ObjectRef object = parse(text);

  EXPECT_EQ(object.root()["big"].string().size(), 70'000U);
  EXPECT_EQ(object.root()["list"].count(), 20'000U);
  EXPECT_EQ(object.root()["list"].at(19'999).integer(), 19'999);
  EXPECT_EQ(object.root()["once"].string(), "far-away-text");
  EXPECT_EQ(object.root().json(), text);
}

TEST_F(ParseTest, StringsOfEverySizeKeepTheirText) {
  for (const std::size_t size : {0, 1, 3, 4, 5, 27, 28, 29, 30, 255, 256, 65'535, 65'536}) {
    const std::string text(size, 's');
    const ObjectRef object = parse("{\"a\":\"" + text + "\",\"b\":\"" + text + "\"}");
    EXPECT_EQ(object.root()["a"].string(), text);
    EXPECT_EQ(object.root()["b"].string(), text);
  }
}

TEST_F(ParseTest, MalformedTextIsRefusedWithItsOffset) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "offset 0"},
      {"[]", "is not an object"},
      {"null", "is not an object"},
      {"\"x\"", "is not an object"},
      {"{", "offset 1"},
      {"{}x", "offset 2"},
      {"{} {}", "offset 3"},
      {R"({"a":1,})", "offset 7"},
      {R"({"a" 1})", "offset 5"},
      {R"({"a":[1 2]})", "offset 8"},
      {R"({"a":tru})", "malformed"},
      {R"({"a":01})", "offset 6"},
      {R"({"a":+1})", "malformed"},
      {R"({"a":.5})", "malformed"},
      {R"({"a":1.})", "malformed"},
      {R"({"a":NaN})", "malformed"},
      {R"({"a":1e400})", "too big"},
      {R"({'a':1})", "offset 1"},
      {R"({"a":"\x"})", "offset 6"},
      {R"({"a":"\ud800"})", "surrogate"},
      {"{\"a\":\"\n\"}", "malformed"},
      {R"({"a":1 /* no */})", "malformed"},
      {R"({"a":[}]})", "malformed"},
  };
  for (const auto& [text, part] : cases) EXPECT_THAT(error(text), HasSubstr(part)) << text;
}

TEST_F(ParseTest, InvalidUtf8IsRefused) {
  for (const std::string_view bytes :
       {"\xff", "\xc3", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_THAT(error("{\"a\":\"" + std::string(bytes) + "\"}"), HasSubstr("Invalid encoding"));
    EXPECT_THAT(error("{\"" + std::string(bytes) + "\":1}"), HasSubstr("Invalid encoding"));
  }
}

TEST_F(ParseTest, NulBytesAreRefused) {
  using namespace std::string_view_literals;
  (void)error("{}\0"sv);
  (void)error("{\"a\"\0:1}"sv);
  (void)error("{\"a\":\"\0\"}"sv);
  EXPECT_EQ(parse(R"({"a":"x\u0000y"})").root()["a"].string(), "x\0y"sv);
}

TEST_F(ParseTest, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  (void)parse(nested(128));
  EXPECT_THAT(error(nested(129)), HasSubstr("nested too deeply"));
  EXPECT_THAT(error(nested(2'000'000)), HasSubstr("nested too deeply"));
  EXPECT_THAT(error(nested(4), {.depth_max = 3}), HasSubstr("nested too deeply"));
}

TEST_F(ParseTest, EveryCutOfAnObjectIsRefused) {
  const std::string text = parse(golden("pod.json")).root().json();
  const std::string full = golden("pod.json");
  const std::vector<std::string> paths = {"spec.nodeName"};
  const Mask keep = *space_.add_keep_projection(paths);
  for (std::size_t size = 0; size < text.size(); size += 7) (void)error(text.substr(0, size));
  const std::size_t end = full.rfind('}');
  for (std::size_t size = 0; size < end; size += 7) {
    (void)error(full.substr(0, size), {.keep_mask = keep});
  }
}

TEST_F(ParseTest, SkippedValuesMustBeginAndEnd) {
  const Mask keep = *space_.add_projection({});
  for (const std::string_view text :
       {R"({"x"})", R"({"x":})", R"({"x":,"kind":"a"})", R"({"x":[1})", R"({"x":"})", R"({"x":)",
        R"({"x":{}}})", R"({"x":1 2})"}) {
    (void)error(text, {.keep_mask = keep});
  }
  const Result<ObjectRef> object = parser_.parse(
      R"({"x" : [1, {"y":"]"}] , "kind":"K","z":-1.5e3,"w":"\"","v":{}})", {.keep_mask = keep});
  ASSERT_TRUE(object) << object.error().message();
  EXPECT_EQ(object->root().json(), R"({"kind":"K"})");
}

TEST_F(ParseTest, FaultSaysWhatIsWrong) {
  const auto fault = [this](std::string_view json) {
    (void)parser_.parse(json);
    return parser_.fault();
  };
  EXPECT_EQ(fault("{}"), ParseFault::kNone);
  EXPECT_EQ(fault("{\"a\":\"\xff\"}"), ParseFault::kEncoding);
  EXPECT_EQ(fault(R"({"a":)" + std::string(200, '[')), ParseFault::kTooDeep);
  EXPECT_EQ(fault("{"), ParseFault::kMalformed);
  EXPECT_EQ(fault("7"), ParseFault::kMalformed);
  EXPECT_EQ(fault(std::string_view("{}\0", 3)), ParseFault::kMalformed);
  EXPECT_EQ(fault(std::string(kObjectBytesMax + 1, ' ')), ParseFault::kTooLarge);
  EXPECT_EQ(fault("{}"), ParseFault::kNone) << "that of the last text";
}

TEST_F(ParseTest, HugeObjectLeavesNothingInTheParser) {
  const std::string huge = R"({"a":")" + std::string(std::size_t{32} << 20, 'x') + R"("})";
  (void)parse(R"({"a":"b"})");
  const auto used = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = used();
  (void)parse(huge);
  EXPECT_LT(used(), before + (std::size_t{1} << 20));
  EXPECT_EQ(parse(R"({"a":"b"})").root().json(), R"({"a":"b"})");
}

TEST_F(ParseTest, MetadataOfTheWrongTypeIsReported) {
  const auto told = [this](std::string_view json) { return check_metadata(parse(json)).message(); };
  EXPECT_EQ(told("{}"), "metadata is not an object");
  EXPECT_EQ(told(R"({"metadata":[]})"), "metadata is not an object");
  EXPECT_EQ(told(R"({"metadata":{}})"), "metadata.name is not a string or empty");
  EXPECT_EQ(told(R"({"metadata":{"name":7}})"), "metadata.name is not a string or empty");
  EXPECT_EQ(told(R"({"metadata":{"name":""}})"), "metadata.name is not a string or empty");
  for (const std::string_view member :
       {"namespace", "uid", "resourceVersion", "labels", "annotations", "ownerReferences",
        "deletionTimestamp", "finalizers"}) {
    const auto with = [member](std::string_view value) {
      return R"({"metadata":{"name":"a",")" + std::string(member) + "\":" + std::string(value) +
             "}}";
    };
    EXPECT_EQ(told(with("7")), "metadata." + std::string(member) + " has the wrong type");
    EXPECT_TRUE(check_metadata(parse(with("null"))).ok()) << member;
  }
  EXPECT_TRUE(check_metadata(parse(R"({"metadata":{"name":"a","labels":{},"other":1}})")).ok());
}

TEST_F(ParseTest, ParserWorksOnAfterAnError) {
  (void)error(R"({"a":{"b":[1,"text)");
  EXPECT_EQ(parse(R"({"a":"text"})").root().json(), R"({"a":"text"})");
}

}  // namespace
}  // namespace davit::host
