#include "host/object/protobuf_watch_splitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "host/object/api_status.hpp"
#include "tests/host/object/protobuf_text.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Frames = std::vector<std::pair<WatchType, std::string>>;

std::string frame(std::string_view type, std::string_view json) {
  return encode_protobuf_event(type, parse_json(json).value_or(Json())).value_or("");
}

constexpr std::string_view kSecret =
    R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","namespace":"n"},)"
    R"("type":"0123456789"})";

std::string stream_of_three() {
  return frame("ADDED", kSecret) +
         frame("BOOKMARK", R"({"kind":"Secret","apiVersion":"v1","metadata":{}})") +
         frame("ERROR", R"({"kind":"Status","apiVersion":"v1","message":"old","reason":"Expired",)"
                        R"("code":410})");
}

/// Feeds `stream` in chunks; ends with the status of finish().
Status split_frames(std::string_view stream, std::size_t chunk, Frames& frames,
                    LargeEvents large = {}) {
  ProtobufWatchSplitter splitter(std::move(large));
  const WatchSink sink = [&](WatchType type, std::string_view object) {
    frames.emplace_back(type, object);
    return Status();
  };
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    if (Status fed = splitter.feed(stream.substr(at, chunk), sink); !fed.ok()) return fed;
  }
  return splitter.finish();
}

TEST(ProtobufWatchSplitterTest, EveryChunkSizeGivesTheSameEvents) {
  const std::string stream = stream_of_three();
  Frames whole;
  ASSERT_TRUE(split_frames(stream, stream.size(), whole).ok());
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_EQ(whole[0], std::make_pair(WatchType::kAdded, protobuf(kSecret)));
  EXPECT_EQ(whole[1].first, WatchType::kBookmark);
  EXPECT_EQ(whole[2].first, WatchType::kError);
  EXPECT_EQ(api_status(whole[2].second).code(), Code::kExpired);
  EXPECT_EQ(api_status(whole[2].second).message(), "old");
  for (std::size_t chunk = 1; chunk < stream.size(); ++chunk) {
    Frames frames;
    ASSERT_TRUE(split_frames(stream, chunk, frames).ok()) << chunk;
    EXPECT_EQ(frames, whole) << chunk;
  }
}

TEST(ProtobufWatchSplitterTest, EndWithinAFrameIsUnavailable) {
  const std::string stream = frame("ADDED", kSecret);
  for (std::size_t size = 0; size <= stream.size(); ++size) {
    Frames frames;
    const Code code = split_frames(stream.substr(0, size), 64, frames).code();
    const bool is_between = size == 0 || size == stream.size();
    EXPECT_EQ(code, is_between ? Code::kOk : Code::kUnavailable) << size;
  }
}

TEST(ProtobufWatchSplitterTest, LargeFrameIsPassedOverAndNamedWhereverTheStreamIsCut) {
  const std::string small = frame("DELETED", R"({"kind":"Secret","apiVersion":"v1"})");
  const std::string stream = small + frame("MODIFIED", kSecret) + small;
  for (std::size_t chunk = 1; chunk < stream.size(); ++chunk) {
    Frames frames;
    std::vector<std::string> skipped;
    const Status end = split_frames(
        stream, chunk, frames,
        {.bytes_max = small.size() - 4, .skip = [&](WatchType type, const ObjectIdentity& object) {
           EXPECT_EQ(type, WatchType::kModified);
           skipped.push_back(object.kind + " " + object.ns + "/" + object.name);
           return Status();
         }});
    ASSERT_TRUE(end.ok()) << end.message();
    EXPECT_EQ(frames.size(), 2U) << chunk;
    EXPECT_THAT(skipped, ElementsAre("Secret n/a")) << chunk;
  }
  Frames frames;
  EXPECT_THAT(split_frames(stream, 9, frames, {.bytes_max = small.size(), .skip = {}}).message(),
              HasSubstr("more than 64 MiB"));
}

TEST(ProtobufWatchSplitterTest, WhatIsNoEventIsRefusedWithItsOffset) {
  struct Row {
    std::string stream;
    std::string why;
  };
  for (const Row& row :
       std::vector<Row>{{std::string(4, '\0'), "empty frame (offset 3)"},
                        {"{\"type\":\"ADDED\"}", "more than 128 MiB"},
                        {std::string("\0\0\0\x02\x0a\x05", 6), "malformed event"},
                        {std::string("\0\0\0\x06\x0a\x04GONE", 10), "unknown type GONE"},
                        {std::string("\0\0\0\x07\x0a\x05"
                                     "ADDED",
                                     11),
                         "without an object"},
                        {std::string("\0\0\0\x0b\x0a\x05"
                                     "ADDED\x12\x02\x0a\x03",
                                     15),
                         "malformed event"}}) {
    for (const std::size_t chunk : {std::size_t{1}, row.stream.size()}) {
      Frames frames;
      const Status status = split_frames(row.stream, chunk, frames);
      EXPECT_EQ(status.code(), Code::kInvalid) << row.why;
      EXPECT_THAT(status.message(), HasSubstr(row.why));
      EXPECT_TRUE(frames.empty());
    }
  }
}

TEST(ProtobufWatchSplitterTest, ErrorOfTheSinkEndsTheSplittingForGood) {
  ProtobufWatchSplitter splitter;
  const WatchSink sink = [](WatchType, std::string_view) {
    return Status(Code::kCancelled, "enough");
  };
  EXPECT_EQ(splitter.feed(stream_of_three(), sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.feed("x", sink).code(), Code::kCancelled);
  EXPECT_EQ(splitter.finish().code(), Code::kCancelled);
}

}  // namespace
}  // namespace davit::host
