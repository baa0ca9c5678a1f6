#include "host/object/list_splitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/object/parse.hpp"
#include "tests/host/object/golden.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Strings = std::vector<std::string>;

struct Split {
  Status status;
  std::vector<std::string> items;
  ListSplitter splitter;
};

/// Feeds `body` in chunks of `size` bytes.
Split split(std::string_view body, std::size_t size) {
  Split result;
  const ItemSink sink = [&](std::string_view item) {
    result.items.emplace_back(item);
    return Status();
  };
  for (std::size_t at = 0; at < body.size() && result.status.ok(); at += size) {
    result.status = result.splitter.feed(body.substr(at, size), sink);
  }
  if (result.status.ok()) result.status = result.splitter.finish();
  return result;
}
Split split(std::string_view body) { return split(body, body.size() + 1); }

TEST(ListSplitterTest, RecordedListGivesItsItemsAndMetadata) {
  const std::string body = golden("pod_list_first_page.json");

  const Split got = split(body);

  ASSERT_TRUE(got.status.ok()) << got.status.message();
  ASSERT_EQ(got.items.size(), 1U);
  ObjectSpace space;
  EXPECT_TRUE(parse_object(space, got.items[0]));
  EXPECT_EQ(got.splitter.kind(), "PodList");
  EXPECT_EQ(got.splitter.api_version(), "v1");
  EXPECT_THAT(got.splitter.resource_version(), testing::MatchesRegex("[0-9]+"));
  EXPECT_EQ(got.splitter.continue_token().substr(0, 4), "eyJ2");
  EXPECT_EQ(got.splitter.remaining_items(), 2);
  EXPECT_EQ(got.splitter.item_count(), 1U);
}

TEST(ListSplitterTest, EmptyListsHaveNoItems) {
  for (const std::string& body :
       {golden("empty_list.json"),
        std::string(R"({"kind":"XList","apiVersion":"v1","metadata":{},"items":null})")}) {
    const Split got = split(body);
    EXPECT_TRUE(got.status.ok()) << got.status.message();
    EXPECT_THAT(got.items, IsEmpty());
    EXPECT_EQ(got.splitter.remaining_items(), std::nullopt);
  }
}

TEST(ListSplitterTest, EveryCutGivesTheSame) {
  const std::string_view body =
      " {\"items\": [ {\"items\":[{\"a\":\"]}\\\"\"}]} ,{}\n, "
      "{\"metadata\":{\"items\":[1]},\"kind\":\"x\"} ] ,"
      "\"extra\":[{\"items\":[{}]},\"items\"], "
      "\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\","
      "\"continue\":\"tok\",\"remainingItemCount\":4},\"apiVersion\":\"v1\" , "
      "\"n\":-1.5e3,\"b\":true}\n";
  const Split whole = split(body);
  ASSERT_TRUE(whole.status.ok()) << whole.status.message();
  ASSERT_THAT(whole.items, ElementsAre(R"({"items":[{"a":"]}\""}]})", "{}",
                                       R"({"metadata":{"items":[1]},"kind":"x"})"));

  const ItemSink ignore = [](std::string_view) { return Status(); };
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    std::vector<std::string> items;
    const ItemSink sink = [&](std::string_view item) {
      items.emplace_back(item);
      return Status();
    };
    ListSplitter splitter;
    ASSERT_TRUE(splitter.feed(body.substr(0, cut), sink).ok()) << cut;
    ListSplitter early = splitter;
    if (cut < body.size() - 1) {
      EXPECT_EQ(early.finish().code(), Code::kUnavailable) << cut;
    }
    ASSERT_TRUE(splitter.feed(body.substr(cut), sink).ok()) << cut;
    ASSERT_TRUE(splitter.finish().ok()) << cut;
    EXPECT_EQ(items, whole.items) << cut;
    EXPECT_EQ(splitter.resource_version(), "9");
    EXPECT_EQ(splitter.continue_token(), "tok");
    EXPECT_EQ(splitter.remaining_items(), 4);
    EXPECT_EQ(splitter.kind(), "PodList");
  }
  EXPECT_EQ(split(body, 1).items, whole.items);
}

TEST(ListSplitterTest, RecordedListIsTheSameInChunksOfAnySize) {
  const std::string body = golden("pod_list.json");
  const Split whole = split(body);
  ASSERT_TRUE(whole.status.ok());
  ASSERT_EQ(whole.items.size(), 3U);
  for (const std::size_t size : {1, 2, 3, 7, 63, 64, 65, 1000, 4096, 16384}) {
    const Split got = split(body, size);
    ASSERT_TRUE(got.status.ok()) << got.status.message();
    EXPECT_EQ(got.items, whole.items) << size;
    EXPECT_EQ(got.splitter.resource_version(), whole.splitter.resource_version());
  }
}

TEST(ListSplitterTest, StatusBodyIsAnErrorWithItsDetail) {
  const Split missing = split(golden("status_not_found.json"), 5);
  EXPECT_EQ(missing.status.code(), Code::kNotFound);
  EXPECT_EQ(missing.status.message(), "pods \"nobody\" not found");
  ASSERT_NE(missing.status.detail(), nullptr);
  EXPECT_EQ(missing.status.detail()->http_status, 404);
  EXPECT_EQ(missing.status.detail()->reason, "NotFound");

  const Split gone = split(golden("status_gone.json"));
  EXPECT_EQ(gone.status.code(), Code::kExpired);
  EXPECT_EQ(gone.status.detail()->http_status, 410);
}

TEST(ListSplitterTest, TableIsRefused) {
  const Split got = split(golden("table.json"), 100);
  EXPECT_EQ(got.status.code(), Code::kUnsupported);
  EXPECT_THAT(got.status.message(), HasSubstr("Table"));
}

TEST(ListSplitterTest, NonListIsRefused) {
  for (const std::string_view body :
       {"[]", "null", "x", R"({"kind":"Pod"})", R"({"items":{}})", R"({"items":[{}{}]})",
        R"({"items":[{},]})", R"({"items":[,{}]})", R"({"items":[],"items":[]})",
        R"({"items":[]}})", R"({"items":[]},{})", R"({"items":"x"})", R"({"items":nope})",
        R"({"a":1,})", R"({,})", R"({"a" 1})", R"({a:1})", R"({"metadata":tru,"items":[]})",
        "{}"}) {
    const Split got = split(body);
    EXPECT_EQ(got.status.code(), Code::kInvalid) << body << ": " << got.status.message();
    EXPECT_EQ(split(body, 1).status.code(), Code::kInvalid) << body;
  }
}

TEST(ListSplitterTest, ErrorNamesTheOffset) {
  EXPECT_THAT(split(R"({"items":[{},x]})", 4).status.message(), HasSubstr("'x' (offset 13)"));
}

TEST(ListSplitterTest, CutBodyIsUnavailable) {
  const std::string body = golden("pod_list.json");
  for (std::size_t size = 0; size < body.rfind('}'); size += 101) {
    EXPECT_EQ(split(body.substr(0, size)).status.code(), Code::kUnavailable) << size;
  }
}

/// The items that a splitter with a small limit finds in `body`, fed in two pieces.
Strings split_small(std::string_view body, std::size_t cut) {
  Strings seen;
  ListSplitter splitter({.bytes_max = 40, .skip = [&](const ObjectIdentity& item) {
                           seen.push_back("skipped " + item.ns + "/" + item.name);
                           return Status();
                         }});
  const ItemSink sink = [&](std::string_view item) {
    seen.emplace_back(item);
    return Status();
  };
  for (const std::string_view piece : {body.substr(0, cut), body.substr(cut)}) {
    if (const Status fed = splitter.feed(piece, sink); !fed.ok()) return {fed.message()};
  }
  const Status end = splitter.finish();
  seen.push_back(end.ok() ? splitter.resource_version() : end.message());
  return seen;
}

TEST(ListSplitterTest, ItemAboveTheLimitIsPassedOverAndNamedWhereverTheBodyIsCut) {
  const std::string exact = R"({"a":")" + std::string(32, 'x') + R"("})";  // 40 bytes.
  const std::string body = R"({"items":[)" + exact +
                           R"(,{"a":"]}\"}","metadata":{"name":"big","namespace":"n"}},)" + exact +
                           R"(],"metadata":{"resourceVersion":"7"}})";
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    EXPECT_THAT(split_small(body, cut), ElementsAre(exact, "skipped n/big", exact, "7")) << cut;
  }
}

TEST(ListSplitterTest, ItemOf64MiBIsTakenAndALargerOnePassedOver) {
  for (const std::size_t above : {0U, 1U}) {
    std::size_t taken = 0;
    std::string skipped;
    ListSplitter splitter({.skip = [&](const ObjectIdentity& item) {
      skipped = item.name;
      return Status();
    }});
    const ItemSink sink = [&](std::string_view item) {
      taken += item.size();
      return Status();
    };
    const std::string begin = R"({"metadata":{"name":"big"},"a":")";
    const std::string piece(std::size_t{64} << 10, 'x');
    std::size_t left = kObjectBytesMax + above - begin.size() - 2;
    ASSERT_TRUE(splitter.feed(R"({"items":[)" + begin, sink).ok());
    for (; left > piece.size(); left -= piece.size()) {
      ASSERT_TRUE(splitter.feed(piece, sink).ok());
    }
    ASSERT_TRUE(splitter.feed(std::string(left, 'x') + R"("},{}]})", sink).ok());
    ASSERT_TRUE(splitter.finish().ok());

    EXPECT_EQ(taken, above == 0 ? kObjectBytesMax + 2 : 2U);
    EXPECT_EQ(skipped, above == 0 ? "" : "big");
  }
}

TEST(ListSplitterTest, ItemAboveTheLimitIsAnErrorForUsersThatPassOverNothing) {
  ListSplitter splitter({.bytes_max = 10});
  const ItemSink sink = [](std::string_view) { return Status(); };
  const Status status = splitter.feed(R"({"items":[{"a":"bcdefg"}]})", sink);
  EXPECT_EQ(status.code(), Code::kInvalid);
  EXPECT_EQ(splitter.finish().code(), Code::kInvalid) << "the error stays";
}

TEST(ListSplitterTest, ItemsOfAnyTypeReachTheSink) {
  EXPECT_THAT(split(R"({"items":[1,null,"a",[{}],{},true]})", 1).items,
              ElementsAre("1", "null", "\"a\"", "[{}]", "{}", "true"));
}

TEST(ListSplitterTest, LargeMetadataIsRefusedAndLargeUnknownFieldsAreNot) {
  const std::string large(ListSplitter::kFieldBytesMax, 'x');
  EXPECT_EQ(split(R"({"metadata":{"a":")" + large + R"("},"items":[]})").status.code(),
            Code::kInvalid);
  EXPECT_TRUE(split(R"({"other":{"a":")" + large + R"("},"items":[]})").status.ok());
}

TEST(ListSplitterTest, ErrorOfTheSinkEndsTheSplitting) {
  ListSplitter splitter;
  int calls = 0;
  const ItemSink sink = [&](std::string_view) {
    ++calls;
    return Status(Code::kCancelled, "enough");
  };

  EXPECT_EQ(splitter.feed(R"({"items":[{},{}]})", sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.feed("x", sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.finish().code(), Code::kCancelled);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace davit::host
