#include <gtest/gtest.h>

#include <davit/json_writer.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

using namespace std::string_view_literals;
using testing::Json;

TEST(JsonWriterTest, CommasAreWhereTheyBelong) {
  JsonWriter out;
  out.begin_object().key("a").begin_array().integer(1).integer(-2).begin_object().end_object();
  out.end_array().member("b", "x").member("c", true).key("d").null().key("e").raw("[0]");
  out.end_object();

  EXPECT_EQ(out.text(), R"({"a":[1,-2,{}],"b":"x","c":true,"d":null,"e":[0]})");
}

TEST(JsonWriterTest, StringsAreEscapedAndUtf8PassesThrough) {
  constexpr std::string_view kText = "a\"\\\n\r\t\x01\x1f\0é/漢"sv;
  JsonWriter out;
  out.string(kText);

  EXPECT_EQ(Json::must(out.text()).text(), kText);
  EXPECT_NE(out.text().find("é"), std::string::npos);
  EXPECT_NE(out.text().find(R"(\u0001\u001f\u0000)"), std::string::npos);
}

TEST(JsonWriterTest, ValuesAreSplicedWithTheirUnknownFields) {
  testing::Cluster cluster;
  const Value value = cluster.value(R"({"spec":{"unheard":[1.50,{"of":"é"}]}})");
  JsonWriter out;
  out.begin_object().member("spec", value["spec"]).member("gone", value["gone"]);
  out.key("null").value(Value()).end_object();

  EXPECT_EQ(out.text(), R"({"spec":{"unheard":[1.50,{"of":"é"}]},"null":null})");
}

TEST(TestJsonTest, MalformedTextIsRefused) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "\"\x01\"", "tru",
                           "1 2", "\"\\u12\"", "\"\\ud800\"", "nul"}) {
    EXPECT_FALSE(Json::parse(text)) << text;
  }
}

TEST(TestJsonTest, EscapesAreDecoded) {
  EXPECT_EQ(Json::must(R"("\u00e9\ud83d\ude00\/\b")").text(), "é😀/\b");
}

}  // namespace
}  // namespace davit
