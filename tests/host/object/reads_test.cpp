#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "host/object/abi.hpp"
#include "host/object/parse.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kJson = R"({"null":null,"yes":true,"no":false,"zero":0,"minus":-5,
  "min":-9223372036854775808,"max":9223372036854775807,"over":9223372036854775808,
  "unsigned":18446744073709551615,"huge":99999999999999999999,"fraction":1.5,"whole":1.0,
  "power":1e3,"text":"hello","empty":"","list":[1,"two",null],"none":[],"object":{"a":{"b":"c"}},
  "nothing":{}})";

class ReadsTest : public testing::Test {
 protected:
  ReadsTest() {
    fill_object_table(t_);
    object_ = *parse_object(space_, kJson);
  }
  davit_value at(std::string_view key) { return object_.root()[key].raw; }

  ObjectSpace space_;
  ObjectRef object_;
  davit_object_v1 t_{};
};

TEST_F(ReadsTest, TableIsFilledButForWhatNeedsAHost) {
  davit_object_v1 table{};
  fill_object_table(table);

  EXPECT_EQ(table.size, 0U);
  EXPECT_EQ(table.name, nullptr);
  EXPECT_EQ(table.parse, nullptr);
  EXPECT_EQ(table.retain, nullptr);
  EXPECT_EQ(table.retained, nullptr);
  EXPECT_EQ(table.release, nullptr);
  EXPECT_NE(table.kind, nullptr);
  EXPECT_NE(table.json, nullptr);
}

TEST_F(ReadsTest, KindShowsWhatAValueIs) {
  const std::pair<std::string_view, int> kinds[] = {
      {"null", DAVIT_KIND_NULL},   {"yes", DAVIT_KIND_BOOLEAN},   {"no", DAVIT_KIND_BOOLEAN},
      {"zero", DAVIT_KIND_NUMBER}, {"power", DAVIT_KIND_NUMBER},  {"text", DAVIT_KIND_STRING},
      {"list", DAVIT_KIND_ARRAY},  {"object", DAVIT_KIND_OBJECT}, {"missing", DAVIT_KIND_ABSENT}};
  for (const auto& [key, kind] : kinds) EXPECT_EQ(t_.kind(at(key)), kind) << key;
}

TEST_F(ReadsTest, IntegersAreThoseThatFitInt64) {
  struct Case {
    std::string_view key;
    davit_code code;
    std::int64_t value;
  };
  const Case cases[] = {
      {"zero", DAVIT_OK, 0},           {"minus", DAVIT_OK, -5},
      {"min", DAVIT_OK, INT64_MIN},    {"max", DAVIT_OK, INT64_MAX},
      {"over", DAVIT_WRONG_TYPE, 0},   {"unsigned", DAVIT_WRONG_TYPE, 0},
      {"huge", DAVIT_WRONG_TYPE, 0},   {"fraction", DAVIT_WRONG_TYPE, 0},
      {"whole", DAVIT_WRONG_TYPE, 0},  {"power", DAVIT_WRONG_TYPE, 0},
      {"text", DAVIT_WRONG_TYPE, 0},   {"null", DAVIT_WRONG_TYPE, 0},
      {"missing", DAVIT_NOT_FOUND, 0},
  };
  for (const Case& each : cases) {
    std::int64_t value = 99;
    EXPECT_EQ(t_.integer(at(each.key), &value), each.code) << each.key;
    EXPECT_EQ(value, each.value) << each.key;
  }
}

TEST_F(ReadsTest, NumbersGiveTheirTextUnchanged) {
  for (const std::string_view key : {"min", "unsigned", "huge", "fraction", "whole", "power"}) {
    davit_str text{};
    ASSERT_EQ(t_.number(at(key), &text), DAVIT_OK);
    const std::string_view number(text.data, text.size);
    EXPECT_NE(kJson.find("\"" + std::string(key) + "\":" + std::string(number)), kJson.npos) << key;
  }
  davit_str text{"x", 1};
  EXPECT_EQ(t_.number(at("text"), &text), DAVIT_WRONG_TYPE);
  EXPECT_EQ(t_.number(at("missing"), &text), DAVIT_NOT_FOUND);
  EXPECT_EQ(text.size, 0U);
}

TEST_F(ReadsTest, StringsAndBooleansReadOnlyTheirKind) {
  davit_str text{};
  EXPECT_EQ(t_.string(at("text"), &text), DAVIT_OK);
  EXPECT_EQ(std::string_view(text.data, text.size), "hello");
  EXPECT_EQ(t_.string(at("empty"), &text), DAVIT_OK);
  EXPECT_EQ(text.size, 0U);
  EXPECT_EQ(t_.string(at("zero"), &text), DAVIT_WRONG_TYPE);
  EXPECT_EQ(t_.string(at("missing"), &text), DAVIT_NOT_FOUND);

  std::int32_t truth = 9;
  EXPECT_EQ(t_.boolean(at("yes"), &truth), DAVIT_OK);
  EXPECT_EQ(truth, 1);
  EXPECT_EQ(t_.boolean(at("no"), &truth), DAVIT_OK);
  EXPECT_EQ(truth, 0);
  EXPECT_EQ(t_.boolean(at("text"), &truth), DAVIT_WRONG_TYPE);
  EXPECT_EQ(t_.boolean(at("missing"), &truth), DAVIT_NOT_FOUND);
}

TEST_F(ReadsTest, MemberDistinguishesMissingFromWrong) {
  const davit_name a = space_.intern("a");
  davit_value out = object_.root().raw;

  EXPECT_EQ(t_.member(at("object"), a, &out), DAVIT_OK);
  EXPECT_EQ(t_.kind(out), DAVIT_KIND_OBJECT);
  EXPECT_EQ(t_.member(at("nothing"), a, &out), DAVIT_NOT_FOUND);
  EXPECT_EQ(out.object, nullptr);
  EXPECT_EQ(t_.member(at("list"), a, &out), DAVIT_WRONG_TYPE);
  EXPECT_EQ(t_.member(at("missing"), a, &out), DAVIT_NOT_FOUND);
  EXPECT_EQ(t_.member(at("object"), 0, &out), DAVIT_MISUSE);
  EXPECT_EQ(t_.lookup(at("object"), {"a", 1}, &out), DAVIT_OK);
  EXPECT_EQ(t_.lookup(at("object"), {"z", 1}, &out), DAVIT_NOT_FOUND);
  EXPECT_EQ(t_.lookup(at("text"), {"a", 1}, &out), DAVIT_WRONG_TYPE);
}

TEST_F(ReadsTest, PathFollowsNamesAsMemberDoes) {
  const davit_name names[] = {space_.intern("object"), space_.intern("a"), space_.intern("b")};
  davit_value out{};
  davit_str text{};

  EXPECT_EQ(t_.path(object_.root().raw, names, 3, &out), DAVIT_OK);
  EXPECT_EQ(t_.string(out, &text), DAVIT_OK);
  EXPECT_EQ(std::string_view(text.data, text.size), "c");
  EXPECT_EQ(t_.path(object_.root().raw, names, 0, &out), DAVIT_OK);
  EXPECT_EQ(t_.kind(out), DAVIT_KIND_OBJECT);
  const davit_name through_text[] = {space_.intern("text"), names[1]};
  EXPECT_EQ(t_.path(object_.root().raw, through_text, 2, &out), DAVIT_WRONG_TYPE);
  EXPECT_EQ(out.object, nullptr);
  const davit_name missing[] = {space_.intern("missing"), names[1]};
  EXPECT_EQ(t_.path(object_.root().raw, missing, 2, &out), DAVIT_NOT_FOUND);
  EXPECT_EQ(t_.path(davit_value{}, names, 1, &out), DAVIT_NOT_FOUND);
}

TEST_F(ReadsTest, CountIsOfEntriesOnly) {
  EXPECT_EQ(t_.count(at("list")), 3U);
  EXPECT_EQ(t_.count(at("none")), 0U);
  EXPECT_EQ(t_.count(at("object")), 1U);
  EXPECT_EQ(t_.count(object_.root().raw), 19U);
  EXPECT_EQ(t_.count(at("text")), 0U);
  EXPECT_EQ(t_.count(at("missing")), 0U);
}

TEST_F(ReadsTest, EntriesAreReadInBatches) {
  davit_value elements[8];
  EXPECT_EQ(t_.elements(at("list"), 0, elements, 8), 3U);
  EXPECT_EQ(t_.elements(at("list"), 1, elements, 1), 1U);
  EXPECT_EQ(t_.kind(elements[0]), DAVIT_KIND_STRING);
  EXPECT_EQ(t_.elements(at("list"), 3, elements, 8), 0U);
  EXPECT_EQ(t_.elements(at("object"), 0, elements, 8), 0U);
  EXPECT_EQ(t_.elements(at("missing"), 0, elements, 8), 0U);

  davit_member members[32];
  std::size_t written = 99;
  EXPECT_EQ(t_.members(object_.root().raw, 17, members, 32, &written), DAVIT_OK);
  EXPECT_EQ(written, 2U);
  EXPECT_EQ(std::string_view(members[1].key.data, members[1].key.size), "nothing");
  EXPECT_EQ(t_.members(object_.root().raw, 19, members, 32, &written), DAVIT_OK);
  EXPECT_EQ(written, 0U);
  EXPECT_EQ(t_.members(at("list"), 0, members, 32, &written), DAVIT_WRONG_TYPE);
  EXPECT_EQ(t_.members(at("missing"), 0, members, 32, &written), DAVIT_NOT_FOUND);
}

TEST_F(ReadsTest, EqualTakesAbsentValuesAndHashAndJsonDoNot) {
  std::int32_t same = 9;
  EXPECT_EQ(t_.equal(at("missing"), at("missing"), &same), DAVIT_OK);
  EXPECT_EQ(same, 1);
  EXPECT_EQ(t_.equal(at("missing"), at("null"), &same), DAVIT_OK);
  EXPECT_EQ(same, 0) << "an explicit null is a value";
  std::uint64_t hash = 9;
  EXPECT_EQ(t_.hash(at("missing"), &hash), DAVIT_NOT_FOUND);
  davit_sink sink{};
  EXPECT_EQ(t_.json(at("missing"), &sink), DAVIT_MISUSE) << "nowhere to write to";
  EXPECT_EQ(t_.json(at("missing"), nullptr), DAVIT_MISUSE);
  sink.write = [](void*, davit_str) { return davit_code{DAVIT_OK}; };
  EXPECT_EQ(t_.json(at("missing"), &sink), DAVIT_NOT_FOUND);
}

}  // namespace
}  // namespace davit::host
