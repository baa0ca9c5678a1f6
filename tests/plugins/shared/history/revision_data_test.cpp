#include "plugins/shared/history/revision_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

namespace davit::history {
namespace {

// The templates V1 and V2 of docs/spec/statefulset.md, 8.5, in an order of members that is not the
// bytes' own.
constexpr const char* kTemplate1 = R"({"spec":{"terminationGracePeriodSeconds":30,
    "containers":[{"name":"nginx","image":"nginx:1.14.2","imagePullPolicy":"IfNotPresent",
        "ports":[{"protocol":"TCP","containerPort":80}],"resources":{},
        "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],
    "dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler",
    "securityContext":{}},"metadata":{"creationTimestamp":null,"labels":{"app":"nginx"}}})";
constexpr std::string_view kData1 =
    R"({"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"nginx"}},"spec":{)"
    R"("containers":[{"image":"nginx:1.14.2","imagePullPolicy":"IfNotPresent","name":"nginx",)"
    R"("ports":[{"containerPort":80,"protocol":"TCP"}],"resources":{},)"
    R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],)"
    R"("dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler",)"
    R"("securityContext":{},"terminationGracePeriodSeconds":30}}}})";

class RevisionDataTest : public ::testing::Test {
 protected:
  std::string data(std::string_view pod_template, Numbers numbers = Numbers::kFloat64) {
    return revision_data(cluster_.value(pod_template), numbers);
  }
  std::string encoded(std::string_view json, Numbers numbers = Numbers::kFloat64) {
    return canonical_json(cluster_.value(json), numbers);
  }
  ControllerRevision revision(const std::string& data) {
    return ControllerRevision(cluster_.value(R"({"data":)" + data + "}"));
  }

  davit::testing::Cluster cluster_;
};

TEST_F(RevisionDataTest, BytesHashAndNameAreUpstreams) {
  const std::string data1 = data(kTemplate1);
  ASSERT_EQ(data1, kData1);
  EXPECT_EQ(data1.size(), 466U);
  EXPECT_EQ(revision_hash(data1, 0), "6fc8c9d6d6");
  EXPECT_EQ(revision_hash(data1, 1), "6fc8c9d6d7");
  EXPECT_EQ(revision_name("web", revision_hash(data1, 0)), "web-6fc8c9d6d6");

  davit::testing::Json second = davit::testing::Json::must(kTemplate1);
  second["spec"]["containers"].items().front()["command"] =
      davit::testing::Json::must(R"(["sh","-c","a<b && c>d"])");
  const std::string data2 = data(second.dump());
  EXPECT_EQ(data2.size(), 521U);
  EXPECT_THAT(data2, ::testing::HasSubstr(
                         R"("command":["sh","-c","a\u003cb \u0026\u0026 c\u003ed"],"image")"));
  EXPECT_EQ(revision_hash(data2, 0), "7cb68667bd");
}

TEST_F(RevisionDataTest, HashIsFnv1) {
  EXPECT_EQ(revision_hash("", std::nullopt), "65bb57b6b5");  // 2166136261
  EXPECT_EQ(revision_hash("a", std::nullopt), "d8bfb88b");   // 84696446
  EXPECT_NE(revision_hash("a", 0), revision_hash("a", std::nullopt));
}

TEST_F(RevisionDataTest, NullMembersAreLeftOutOfNewDataOnly) {
  EXPECT_EQ(data(R"({"metadata":{"creationTimestamp":null},"spec":{"a":[null,{"b":null}]}})"),
            R"({"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"a":[null,{}]}}}})");
  EXPECT_EQ(encoded(R"({"b":null,"a":1})"), R"({"a":1,"b":null})");
}

TEST_F(RevisionDataTest, EmptyValuesAndUnknownMembersStay) {
  EXPECT_EQ(encoded(R"({"x":{},"new":[ ],"e":"","f":false})"),
            R"({"e":"","f":false,"new":[],"x":{}})");
}

TEST_F(RevisionDataTest, StringsAreEscapedAsGoDoes) {
  EXPECT_EQ(encoded(R"("\"\\/\b\f\n\r\t\u0001\u001f\u007f")"),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(
      encoded(R"("<>&\u2028\u2029\u2027\u202a\u00e9\ud83d\ude00")"),
      "\"\\u003c\\u003e\\u0026\\u2028\\u2029\xe2\x80\xa7\xe2\x80\xaa\xc3\xa9\xf0\x9f\x98\x80\"");
  EXPECT_EQ(encoded(R"({"<b>":1,"<a>":2})"), R"({"\u003ca\u003e":2,"\u003cb\u003e":1})");
}

struct NumberCase {
  const char* text;
  const char* float64;
};
void PrintTo(const NumberCase& c, std::ostream* out) { *out << c.text; }

class RevisionNumbersTest : public RevisionDataTest,
                            public ::testing::WithParamInterface<NumberCase> {};

TEST_P(RevisionNumbersTest, TakeTheWayOfTheKindOfOwner) {
  EXPECT_EQ(encoded(GetParam().text), GetParam().float64);
  EXPECT_EQ(encoded(GetParam().text, Numbers::kExact), GetParam().text);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec8_3, RevisionNumbersTest, ::testing::Values(
    NumberCase{"0", "0"},
    NumberCase{"-7", "-7"},
    NumberCase{"30", "30"},
    NumberCase{"120", "120"},
    NumberCase{"9007199254740992", "9007199254740992"},        // 2^53
    NumberCase{"9007199254740993", "9007199254740992"},
    NumberCase{"9223372036854775807", "9223372036854776000"},
    NumberCase{"-1234567890123456789", "-1234567890123456800"},
    NumberCase{"1000000000000000000000", "1e+21"},
    NumberCase{"1.50", "1.5"},
    NumberCase{"0.00025", "0.00025"},
    NumberCase{"0.00000025", "2.5e-7"}));
// clang-format on

TEST_F(RevisionDataTest, StoredDataIsEqualInAnyOrderAndSpelling) {
  const std::string wanted = data(R"({"spec":{"command":"a<b","grace":30}})");
  EXPECT_TRUE(has_data(revision(wanted), wanted, Numbers::kFloat64));
  EXPECT_TRUE(has_data(revision(R"({ "spec": {"template":
      {"spec":{"grace":30,"command":"a<b"},"$patch":"replace"}} })"),
                       wanted, Numbers::kFloat64));
}

TEST_F(RevisionDataTest, StoredDataDiffersByNullsOrderOfListsAndSpellingOfQuantities) {
  const std::string wanted = data(R"({"metadata":{},"spec":{"a":["1","2"],"cpu":"1"}})");
  const auto stored = [&](const std::string& text) {
    return has_data(revision(R"({"spec":{"template":{"$patch":"replace",)" + text + "}}}"), wanted,
                    Numbers::kFloat64);
  };
  EXPECT_TRUE(stored(R"("metadata":{},"spec":{"a":["1","2"],"cpu":"1"})"));
  EXPECT_FALSE(stored(R"("metadata":{"creationTimestamp":null},"spec":{"a":["1","2"],"cpu":"1"})"));
  EXPECT_FALSE(stored(R"("metadata":{},"spec":{"a":["2","1"],"cpu":"1"})"));
  EXPECT_FALSE(stored(R"("metadata":{},"spec":{"a":["1","2"],"cpu":"1000m"})"));
  EXPECT_FALSE(stored(R"("spec":{"a":["1","2"],"cpu":"1"})"));
}

TEST_F(RevisionDataTest, NamesKeep223BytesOfTheOwners) {
  EXPECT_EQ(revision_name(std::string(223, 'x'), "h"), std::string(223, 'x') + "-h");
  EXPECT_EQ(revision_name(std::string(230, 'x'), "h"), std::string(223, 'x') + "-h");
}

}  // namespace
}  // namespace davit::history
