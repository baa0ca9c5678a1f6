#include "host/object/protobuf_list_splitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/host/object/protobuf_text.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Items = std::vector<std::string>;

struct ProtobufSplit {
  Status status;
  Items items;
  ProtobufListSplitter splitter;
};

ProtobufSplit split_list(std::string_view body, std::size_t chunk, LargeItems large = {}) {
  ProtobufSplit out{.status = {}, .items = {}, .splitter = ProtobufListSplitter(std::move(large))};
  const ItemSink sink = [&](std::string_view item) {
    out.items.emplace_back(item);
    return Status();
  };
  for (std::size_t at = 0; at < body.size() && out.status.ok(); at += chunk) {
    out.status = out.splitter.feed(body.substr(at, chunk), sink);
  }
  if (out.status.ok()) out.status = out.splitter.finish();
  return out;
}

std::string list_of_three() {
  return protobuf(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9",)"
                  R"("continue":"tok","remainingItemCount":4},"items":[)"
                  R"({"metadata":{"name":"a","namespace":"n"},"data":{"k":"0123456789"}},)"
                  R"({"metadata":{"name":"b"}},{"metadata":{"name":"c"}}]})");
}

TEST(ProtobufListSplitterTest, EveryCutGivesTheSame) {
  const std::string body = list_of_three();
  const ProtobufSplit whole = split_list(body, body.size());
  ASSERT_TRUE(whole.status.ok()) << whole.status.message();
  ASSERT_EQ(whole.items.size(), 3U);
  EXPECT_EQ(split_list(body, 1).items, whole.items);
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    Items items;
    const ItemSink sink = [&](std::string_view item) {
      items.emplace_back(item);
      return Status();
    };
    ProtobufListSplitter splitter;
    ASSERT_TRUE(splitter.feed(std::string_view(body).substr(0, cut), sink).ok()) << cut;
    ProtobufListSplitter early = splitter;
    // The envelope ends with two empty fields.
    if (cut < body.size() - 4) {
      EXPECT_FALSE(early.finish().ok()) << cut;
    }
    ASSERT_TRUE(splitter.feed(std::string_view(body).substr(cut), sink).ok()) << cut;
    ASSERT_TRUE(splitter.finish().ok()) << cut;
    EXPECT_EQ(items, whole.items) << cut;
    EXPECT_EQ(splitter.resource_version(), "9");
    EXPECT_EQ(splitter.continue_token(), "tok");
    EXPECT_EQ(splitter.remaining_items(), 4);
    EXPECT_EQ(splitter.kind(), "ConfigMapList");
    EXPECT_EQ(splitter.api_version(), "v1");
    EXPECT_EQ(splitter.item_count(), 3U);
  }
}

TEST(ProtobufListSplitterTest, KindIsKnownWhenTheFirstItemComes) {
  ProtobufListSplitter splitter;
  std::string kind;
  const std::string body = list_of_three();
  EXPECT_TRUE(splitter
                  .feed(body,
                        [&](std::string_view) {
                          kind = splitter.kind();
                          return Status();
                        })
                  .ok());
  EXPECT_EQ(kind, "ConfigMapList");
}

TEST(ProtobufListSplitterTest, EmptyListAndEmptyItemsAreTaken) {
  const ProtobufSplit none = split_list(
      protobuf(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"}})"), 3);
  EXPECT_TRUE(none.status.ok()) << none.status.message();
  EXPECT_THAT(none.items, IsEmpty());
  EXPECT_EQ(none.splitter.resource_version(), "1");
  const std::string two("k8s\0\x0a\x0b\x12\x09PodXxList\x12\x04\x12\0\x12\0", 23);
  EXPECT_THAT(split_list(two, 1).items, ElementsAre("", ""));
  const std::string nothing("k8s\0\x0a\x0b\x12\x09PodXxList\x12\0", 19);
  EXPECT_TRUE(split_list(nothing, 1).status.ok());
}

TEST(ProtobufListSplitterTest, CutBodyIsUnavailable) {
  const std::string body = list_of_three();
  const std::size_t list_begins = body.find("ConfigMapList") + 13;
  for (std::size_t size = list_begins; size < body.size() - 4; ++size) {
    const Code code = split_list(body.substr(0, size), 7).status.code();
    // At the beginning of the list there is not even a list.
    EXPECT_EQ(code, size == list_begins ? Code::kInvalid : Code::kUnavailable) << size;
  }
}

TEST(ProtobufListSplitterTest, StatusBodyIsAnErrorWithItsDetail) {
  const std::string body =
      protobuf(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
               R"("message":"too old","reason":"Expired","code":410})");
  const ProtobufSplit gone = split_list(body, 5);
  EXPECT_EQ(gone.status.code(), Code::kExpired);
  EXPECT_EQ(gone.status.message(), "too old");
  ASSERT_NE(gone.status.detail(), nullptr);
  EXPECT_EQ(gone.status.detail()->http_status, 410);
}

TEST(ProtobufListSplitterTest, ItemAboveTheLimitIsPassedOverAndNamedWhereverTheBodyIsCut) {
  const std::string body = list_of_three();
  for (std::size_t chunk = 1; chunk <= body.size(); ++chunk) {
    Items skipped;
    const ProtobufSplit got =
        split_list(body, chunk, {.bytes_max = 20, .skip = [&](const ObjectIdentity& item) {
                                   skipped.push_back(item.ns + "/" + item.name);
                                   return Status();
                                 }});
    ASSERT_TRUE(got.status.ok()) << got.status.message();
    EXPECT_THAT(skipped, ElementsAre("n/a")) << chunk;
    EXPECT_EQ(got.items.size(), 2U);
    EXPECT_EQ(got.splitter.resource_version(), "9");
  }
  EXPECT_THAT(split_list(body, 9, {.bytes_max = 20, .skip = {}}).status.message(),
              HasSubstr("has an item of more than 64 MiB"));
}

TEST(ProtobufListSplitterTest, WhatIsNoListIsRefused) {
  struct Row {
    std::string body;
    std::string why;
  };
  const std::string type("k8s\0\x0a\x09\x12\x07PodList", 15);
  for (const Row& row : std::vector<Row>{
           {"{\"items\":[]}", "does not begin with"},
           {protobuf(R"({"kind":"Pod","apiVersion":"v1"})"), "is not a list"},
           {std::string("k8s\0\x12\x02\x12\0", 8), "is not a list"},
           {type + std::string("\x12\x02\x12\x01x", 5), "longer than the list"},
           {type + std::string("\x12\x01\x12\0", 4), "ends within a field"},
           {type + std::string("\x12\x02\x12\0\x12\0", 6), "holds two lists"},
           {type + std::string("\x12\x04\x13\0", 4), "malformed field"},
           {type + std::string("\x12\x04\x02\0", 4), "malformed field"},
           {type + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "malformed field"},
           {type + std::string(30, '\xff'), "too long"},
           {type + std::string("\x12\x04\x0a\x02\x12\x05", 6), "malformed metadata"},
           {type, "has no items"}}) {
    for (const std::size_t chunk : {std::size_t{1}, row.body.size()}) {
      const Status status = split_list(row.body, chunk).status;
      EXPECT_EQ(status.code(), Code::kInvalid) << row.why;
      EXPECT_THAT(status.message(), HasSubstr(row.why));
    }
  }
}

TEST(ProtobufListSplitterTest, ErrorOfTheSinkEndsTheSplittingForGood) {
  ProtobufListSplitter splitter;
  const std::string body = list_of_three();
  const ItemSink sink = [](std::string_view) { return Status(Code::kCancelled, "enough"); };
  EXPECT_EQ(splitter.feed(body, sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.feed("x", sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.finish().code(), Code::kCancelled);
}

}  // namespace
}  // namespace davit::host
