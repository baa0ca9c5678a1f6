#include "host/object/watch_splitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "host/object/api_status.hpp"
#include "tests/host/object/golden.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Events = std::vector<std::pair<WatchType, std::string>>;

struct Watched {
  Status status;
  Events events;
};

Watched watch(std::string_view stream, std::size_t size) {
  Watched result;
  WatchSplitter splitter;
  const WatchSink sink = [&](WatchType type, std::string_view object) {
    result.events.emplace_back(type, object);
    return Status();
  };
  for (std::size_t at = 0; at < stream.size() && result.status.ok(); at += size) {
    result.status = splitter.feed(stream.substr(at, size), sink);
  }
  if (result.status.ok()) result.status = splitter.finish();
  return result;
}
Watched watch(std::string_view stream) { return watch(stream, stream.size() + 1); }

TEST(WatchSplitterTest, RecordedStreamGivesItsEvents) {
  const Watched got = watch(golden("pod_watch.jsonl"));

  ASSERT_TRUE(got.status.ok()) << got.status.message();
  ASSERT_THAT(got.events,
              ElementsAre(Pair(WatchType::kAdded, HasSubstr("\"kind\":\"Pod\"")),
                          Pair(WatchType::kModified, HasSubstr("\"containerStatuses\"")),
                          Pair(WatchType::kDeleted, HasSubstr("m4n8t")),
                          Pair(WatchType::kBookmark, HasSubstr("\"resourceVersion\":\"212\"")),
                          Pair(WatchType::kError, HasSubstr("Expired"))));
  const Status error = api_status(got.events[4].second);
  EXPECT_EQ(error.code(), Code::kExpired);
  EXPECT_EQ(error.detail()->http_status, 410);
}

TEST(WatchSplitterTest, RecordedStreamIsTheSameInChunksOfAnySize) {
  const std::string stream = golden("pod_watch.jsonl");
  const Watched whole = watch(stream);
  for (const std::size_t size : {1, 2, 3, 7, 63, 64, 65, 1000, 4096, 16384}) {
    const Watched got = watch(stream, size);
    ASSERT_TRUE(got.status.ok()) << got.status.message();
    EXPECT_EQ(got.events, whole.events) << size;
  }
}

TEST(WatchSplitterTest, EveryCutGivesTheSame) {
  const std::string_view stream =
      "{\"type\":\"ADDED\",\"object\":{\"type\":\"DELETED\",\"object\":{\"a\":\"}\\\"{\"}}}\n"
      "  {\"object\" : {} , \"x\":[1], \"type\" : "
      "\"BOOKMARK\"}{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n\n";
  const Watched whole = watch(stream);
  ASSERT_TRUE(whole.status.ok()) << whole.status.message();
  ASSERT_THAT(
      whole.events,
      ElementsAre(Pair(WatchType::kAdded, R"({"type":"DELETED","object":{"a":"}\"{"}})"),
                  Pair(WatchType::kBookmark, "{}"), Pair(WatchType::kError, R"({"code":410})")));
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Events events;
    const WatchSink sink = [&](WatchType type, std::string_view object) {
      events.emplace_back(type, object);
      return Status();
    };
    WatchSplitter splitter;
    ASSERT_TRUE(splitter.feed(stream.substr(0, cut), sink).ok()) << cut;
    ASSERT_TRUE(splitter.feed(stream.substr(cut), sink).ok()) << cut;
    ASSERT_TRUE(splitter.finish().ok()) << cut;
    EXPECT_EQ(events, whole.events) << cut;
  }
}

TEST(WatchSplitterTest, EventIsDeliveredAsSoonAsItIsComplete) {
  WatchSplitter splitter;
  int events = 0;
  const WatchSink sink = [&](WatchType, std::string_view) {
    ++events;
    return Status();
  };

  ASSERT_TRUE(splitter.feed(R"({"type":"ADDED","object":{}})", sink).ok());

  EXPECT_EQ(events, 1) << "without waiting for a line end";
}

TEST(WatchSplitterTest, StreamThatEndsWithinAnEventIsUnavailable) {
  const Watched got = watch(R"({"type":"ADDED","object":{}} {"type":)");
  EXPECT_EQ(got.events.size(), 1U);
  EXPECT_EQ(got.status.code(), Code::kUnavailable);
  EXPECT_TRUE(watch("").status.ok());
  EXPECT_TRUE(watch(" \n").status.ok());
}

TEST(WatchSplitterTest, MalformedDocumentsAreReported) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"x", "unexpected 'x'"},
      {"[]", "unexpected '['"},
      {"{}", "unknown type"},
      {R"({"type":"ADDED"})", "without an object"},
      {R"({"type":"added","object":{}})", "unknown type \"added\""},
      {R"({"type":1,"object":{}})", "unknown type"},
      {R"({"type":"ADDED" "object":{}})", "malformed"},
      {R"({"type":"ADDED","object":{},})", "malformed"},
      {R"({"kind":"Status","code":500})", "unknown type"},
  };
  for (const auto& [text, part] : cases) {
    const Watched got = watch(text);
    EXPECT_EQ(got.status.code(), Code::kInvalid) << text;
    EXPECT_THAT(got.status.message(), HasSubstr(part)) << text;
    EXPECT_EQ(watch(text, 1).status.code(), Code::kInvalid) << text;
  }
}

TEST(WatchSplitterTest, EventAboveTheLimitIsPassedOverAndNamedWhereverTheStreamIsCut) {
  const std::string small = R"({"type":"ADDED","object":{}})";
  const std::string stream =
      small + R"({"object":{"a":"}}\"","metadata":{"name":"big","resourceVersion":"9"}},)" +
      R"("type":"MODIFIED"} )" + small;
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Events events;
    WatchSplitter splitter(
        {.bytes_max = small.size(), .skip = [&](WatchType type, const ObjectIdentity& object) {
           events.emplace_back(type, object.name + object.resource_version);
           return Status();
         }});
    const WatchSink sink = [&](WatchType type, std::string_view object) {
      events.emplace_back(type, object);
      return Status();
    };
    ASSERT_TRUE(splitter.feed(stream.substr(0, cut), sink).ok()) << cut;
    ASSERT_TRUE(splitter.feed(stream.substr(cut), sink).ok()) << cut;
    ASSERT_TRUE(splitter.finish().ok()) << cut;
    EXPECT_THAT(events,
                ElementsAre(Pair(WatchType::kAdded, "{}"), Pair(WatchType::kModified, "big9"),
                            Pair(WatchType::kAdded, "{}")))
        << cut;
  }
}

TEST(WatchSplitterTest, EventWithAnObjectOf64MiBIsTakenAndALargerOnePassedOver) {
  for (const std::size_t above : {0U, 2000U}) {
    std::size_t taken = 0;
    std::size_t skipped = 0;
    WatchSplitter splitter({.skip = [&](WatchType, const ObjectIdentity&) {
      ++skipped;
      return Status();
    }});
    const WatchSink sink = [&](WatchType, std::string_view object) {
      taken = object.size();
      return Status();
    };
    const std::string piece(std::size_t{64} << 10, 'x');
    ASSERT_TRUE(splitter.feed(R"({"type":"ADDED","object":{"a":")", sink).ok());
    std::size_t left = kObjectBytesMax + above - 8;
    for (; left > piece.size(); left -= piece.size()) {
      ASSERT_TRUE(splitter.feed(piece, sink).ok());
    }
    ASSERT_TRUE(splitter.feed(std::string(left, 'x') + R"("}})", sink).ok());
    EXPECT_EQ(taken, above == 0 ? kObjectBytesMax : 0U);
    EXPECT_EQ(skipped, above == 0 ? 0U : 1U);
  }
}

TEST(WatchSplitterTest, LargeEventOfUnknownTypeEndsTheStream) {
  WatchSplitter splitter(
      {.bytes_max = 10, .skip = [](WatchType, const ObjectIdentity&) { return Status(); }});
  const WatchSink sink = [](WatchType, std::string_view) { return Status(); };
  EXPECT_EQ(splitter.feed(R"({"type":"NEWS","object":{}})", sink).code(), Code::kInvalid);
  EXPECT_EQ(splitter.feed("", sink).code(), Code::kInvalid) << "the error stays";
}

TEST(WatchSplitterTest, ErrorOfTheSinkEndsTheSplitting) {
  WatchSplitter splitter;
  const WatchSink sink = [](WatchType, std::string_view) {
    return Status(Code::kCancelled, "enough");
  };

  EXPECT_EQ(splitter.feed(R"({"type":"ADDED","object":{}})", sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.finish().code(), Code::kCancelled);
}

}  // namespace
}  // namespace davit::host
