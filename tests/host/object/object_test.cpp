#include "host/object/object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/object/parse.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;

ObjectRef parse(ObjectSpace& space, std::string_view json) { return *parse_object(space, json); }

TEST(ObjectRefTest, CopiesShareAndEmptyOnesDoNothing) {
  ObjectSpace space;
  ObjectRef first = parse(space, R"({"a":1})");
  ObjectRef second = first;
  ObjectRef third;
  third = second;
  third = *&third;

  EXPECT_EQ(first, third);
  first = ObjectRef();
  second = std::move(third);
  EXPECT_EQ(second.root()["a"].integer(), 1) << "the last share keeps the object";
  EXPECT_FALSE(first);
  EXPECT_FALSE(first.root());
  EXPECT_EQ(first.bytes(), 0U);
  EXPECT_FALSE(ObjectRef::from(Value().raw));
}

TEST(ObjectRefTest, ShareFromAValueOutlivesTheOriginal) {
  ObjectSpace space;
  ObjectRef original = parse(space, R"({"a":{"b":"text"}})");
  const Value inner = original.root()["a"];

  const ObjectRef share = ObjectRef::from(inner.raw);
  original = ObjectRef();

  EXPECT_EQ(inner["b"].string(), "text");
  EXPECT_EQ(share.root()["a"]["b"].string(), "text");
}

TEST(ValueTest, EveryReadAcceptsAbsentValues) {
  const Value absent;

  EXPECT_FALSE(absent);
  EXPECT_EQ(absent.kind(), Kind::kAbsent);
  EXPECT_FALSE(absent["a"]["b"]);
  EXPECT_FALSE(absent.member(1));
  EXPECT_FALSE(absent.at(0));
  EXPECT_EQ(absent.count(), 0U);
  EXPECT_EQ(absent.string(), "");
  EXPECT_EQ(absent.number(), "");
  EXPECT_FALSE(absent.integer());
  EXPECT_FALSE(absent.boolean());
  EXPECT_EQ(absent.json(), "");
  EXPECT_EQ(absent.hash(), 0U);
  EXPECT_EQ(absent, Value());
}

TEST(ValueTest, LoopsVisitAllEntriesInOrder) {
  ObjectSpace space;
  std::string list = "[";
  std::string map = "{";
  for (int i = 0; i < 40; ++i) {
    list += std::to_string(i) + ",";
    map += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  }
  list.back() = ']';
  map.back() = '}';
  const ObjectRef object = parse(space, "{\"list\":" + list + ",\"map\":" + map + "}");

  int next = 0;
  object.root()["list"].each([&](Value value) { EXPECT_EQ(value.integer(), next++); });
  EXPECT_EQ(next, 40);
  next = 0;
  object.root()["map"].each_member([&](std::string_view key, Value value) {
    EXPECT_EQ(key, "k" + std::to_string(next));
    EXPECT_EQ(value.integer(), next++);
  });
  EXPECT_EQ(next, 40);
  EXPECT_EQ(object.root()["list"].count(), 40U);
  EXPECT_EQ(object.root()["map"].count(), 40U);
}

TEST(ValueTest, RepeatedStringsAreHeldOnce) {
  ObjectSpace space;
  const std::string text(500, 'r');
  const ObjectRef once = parse(space, "{\"a\":\"" + text + "\"}");
  const ObjectRef often = parse(space, "{\"a\":\"" + text + "\",\"b\":\"" + text + "\",\"c\":[\"" +
                                           text + "\",\"" + text + "\"]}");

  EXPECT_LT(often.bytes(), once.bytes() + 30);
  EXPECT_EQ(often.root()["c"].at(1).string(), text);
  EXPECT_EQ(often.root()["a"].string().data(), often.root()["b"].string().data());
}

}  // namespace
}  // namespace davit::host
