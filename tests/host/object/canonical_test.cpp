#include "host/object/canonical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "host/object/parse.hpp"
#include "tests/host/object/golden.hpp"

namespace davit::host {
namespace {

ObjectRef wrap(ObjectSpace& space, const std::string& value) {
  Result<ObjectRef> object = parse_object(space, "{\"v\":" + value + "}");
  EXPECT_TRUE(object) << object.error().message();
  return *object;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

struct EqualCase {
  std::string a;
  std::string b;
  bool equal;
};

TEST(CanonicalTest, EqualityFollowsTheContract) {
  const EqualCase cases[] = {
      {"null", "null", true},
      {"null", "false", false},
      {"true", "true", true},
      {"true", "false", false},
      {"1", "1", true},
      {"1", "\"1\"", false},
      {"0", "-0", true},
      {"1", "1.0", false},
      {"1.50", "1.5", false},
      {"1e3", "1000", false},
      {"18446744073709551615", "18446744073709551615", true},
      {"18446744073709551615", "18446744073709551614", false},
      {R"("a\u00fc")", R"("aü")", true},
      {R"("a")", R"("b")", false},
      {"[]", "{}", false},
      {"[]", "[null]", false},
      {"[1,2]", "[1,2]", true},
      {"[1,2]", "[2,1]", false},
      {"[1,2]", "[1,2,3]", false},
      {R"({"a":1,"b":2})", R"({"b":2,"a":1})", true},
      {R"({"a":1,"b":2})", R"({"b":1,"a":2})", false},
      {R"({"a":1})", R"({"a":1,"b":2})", false},
      {R"({"a":1,"b":2})", R"({"a":1,"c":2})", false},
      {R"({"a":null})", "{}", false},
      {R"({"x":{"a":1,"b":[{"c":1,"d":2}]},"y":0})", R"({"y":-0,"x":{"b":[{"d":2,"c":1}],"a":1}})",
       true},
  };
  ObjectSpace space;
  ObjectSpace other_space;
  (void)other_space.intern("makes ids differ");
  for (const EqualCase& each : cases) {
    const ObjectRef a = wrap(space, each.a);
    for (ObjectSpace* in : {&space, &other_space}) {
      const ObjectRef b = wrap(*in, each.b);
      EXPECT_EQ(a.root() == b.root(), each.equal) << each.a << " and " << each.b;
      EXPECT_EQ(b.root() == a.root(), each.equal) << each.a << " and " << each.b;
      EXPECT_EQ(a.root().hash() == b.root().hash(), each.equal) << each.a << " and " << each.b;
    }
  }
}

TEST(CanonicalTest, HashIsFnvOfTheCanonicalText) {
  ObjectSpace space;
  const std::pair<std::string, std::string> cases[] = {
      {"null", "null"},
      {"-0", "0"},
      {"1.50", "1.50"},
      {R"("\u0007\b\"\\\/é")", R"("\u0007\b\"\\/é")"},
      {R"({"b":[1, {"z":true,"y":{}}],"a":"x","B":2})",
       R"({"B":2,"a":"x","b":[1,{"y":{},"z":true}]})"},
  };
  for (const auto& [text, canonical] : cases) {
    const ObjectRef object = wrap(space, text);
    EXPECT_EQ(object.root()["v"].hash(), fnv1a(canonical)) << text;
  }
}

TEST(CanonicalTest, HashesNeverChange) {
  ObjectSpace space;
  const ObjectRef object = wrap(
      space,
      R"({"replicas":3,"selector":{"matchLabels":{"app":"web"}},"weights":[0.5,1e-3],"on":true})");
  EXPECT_EQ(wrap(space, "{}").root()["v"].hash(), 0x08f44b07b5901a25U);
  EXPECT_EQ(wrap(space, "[]").root()["v"].hash(), 0x09612b07b5ecb5a5U);
  EXPECT_EQ(object.root()["v"].hash(), 0xe41432d2c513242aU);
}

/// A random value with every kind of text in it.
class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}

  std::string object(int depth) {
    std::string text = "{";
    const unsigned members = pick(depth > 3 ? 2 : 9);
    for (unsigned i = 0; i < members; ++i) {
      if (i > 0) text += ",";
      text += "\"" + (pick(5) == 0 ? word() : "k") + std::to_string(i) + "\":" + value(depth + 1);
    }
    return text + "}";
  }

 private:
  std::string value(int depth) {
    switch (depth > 6 ? pick(5) : pick(8)) {
      case 0:
        return "null";
      case 1:
        return pick(2) == 0 ? "true" : "false";
      case 2:
        return std::to_string(static_cast<std::int64_t>(random_()) - (1LL << 31));
      case 3:
        return "0." + std::to_string(pick(1000)) + "e-" + std::to_string(pick(200));
      case 4:
        return "\"" + word() + "\"";
      case 5: {
        std::string text = "[";
        const unsigned size = pick(20);
        for (unsigned i = 0; i < size; ++i) text += (i > 0 ? "," : "") + value(depth + 3);
        return text + "]";
      }
      default:
        return object(depth);
    }
  }
  std::string word() {
    static constexpr const char* kPieces[] = {
        "a", "True", "metadata", "\\n", "\\u0000", "\\\"", "\\\\", "ü", "€", "😀", " ", "{[,:]}"};
    std::string text;
    const unsigned pieces = pick(pick(10) == 0 ? 100 : 6);
    for (unsigned i = 0; i < pieces; ++i) text += kPieces[pick(12)];
    return text;
  }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  std::mt19937 random_;
};

TEST(CanonicalTest, JsonOfAnyValueParsesToAnEqualValue) {
  ObjectSpace space;
  Parser parser(space);
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    const std::string text = RandomJson(seed).object(0);
    const Result<ObjectRef> first = parser.parse(text);
    ASSERT_TRUE(first) << first.error().message() << " seed " << seed;
    const std::string json = first->root().json();
    const Result<ObjectRef> second = parser.parse(json);
    ASSERT_TRUE(second) << second.error().message() << " seed " << seed;
    ASSERT_EQ(first->root(), second->root()) << "seed " << seed;
    ASSERT_EQ(first->root().hash(), second->root().hash()) << "seed " << seed;
    ASSERT_EQ(second->root().json(), json) << "seed " << seed;
  }
}

TEST(CanonicalTest, LongTextReachesTheSinkInPieces) {
  ObjectSpace space;
  const ObjectRef object = wrap(space, "[\"" + std::string(5000, 'x') + "\",1]");
  std::vector<std::size_t> pieces;
  const auto note = [](void* self, davit_str chunk) -> davit_code {
    static_cast<std::vector<std::size_t>*>(self)->push_back(chunk.size);
    return DAVIT_OK;
  };
  const davit_sink sink{sizeof(davit_sink), 0, &pieces, note};
  EXPECT_EQ(write_json({object.get(), object.get()->tape()}, sink), DAVIT_OK);

  EXPECT_EQ(pieces, (std::vector<std::size_t>{7, 5000, 5}));
}

TEST(CanonicalTest, SinkThatStopsGetsNoMoreAndItsCodeIsReturned) {
  ObjectSpace space;
  const ObjectRef object = wrap(space, "[\"" + std::string(5000, 'x') + "\",1]");
  std::size_t pieces = 0;
  const auto stop = [](void* self, davit_str) -> davit_code {
    ++*static_cast<std::size_t*>(self);
    return DAVIT_THROTTLED;
  };
  const davit_sink sink{sizeof(davit_sink), 0, &pieces, stop};
  EXPECT_EQ(write_json({object.get(), object.get()->tape()}, sink), DAVIT_THROTTLED);
  EXPECT_EQ(pieces, 1u);
}

TEST(CanonicalTest, RecordedObjectsDifferFromEachOther) {
  ObjectSpace space;
  const Result<ObjectRef> pod = parse_object(space, golden("pod.json"));
  const Result<ObjectRef> set = parse_object(space, golden("replicaset.json"));
  EXPECT_FALSE(pod->root() == set->root());
  EXPECT_EQ(pod->root()["spec"]["tolerations"],
            set->root()["spec"]["template"]["spec"]["tolerations"]);
}

}  // namespace
}  // namespace davit::host
