// Watches through the whole server.
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using namespace std::chrono_literals;

const std::string kWatchedMaps = "/api/v1/namespaces/default/configmaps";

std::string labelled(const std::string& name, const std::string& value) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"s":")" + value + "\"}}}";
}

TEST(WatchTest, ChangesFollowTheAskedVersion) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("old", "1")).code, 201);
  const std::string from = sandbox.get(kWatchedMaps).revision();
  const Reply watch = sandbox.get(kWatchedMaps + "?watch=1&resourceVersion=" + from);

  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("w", "1")).code, 201);
  ASSERT_EQ(sandbox.patch(kWatchedMaps + "/w", "merge", R"({"data":{"a":"b"}})").code, 200);
  ASSERT_EQ(sandbox.remove(kWatchedMaps + "/w").code, 200);

  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED w, MODIFIED w, DELETED w");
}

TEST(WatchTest, ASelectorShowsTheSelectedSet) {
  Sandbox sandbox;
  const std::string from = sandbox.get(kWatchedMaps).revision();
  const Reply watch =
      sandbox.get(kWatchedMaps + "?watch=1&labelSelector=s%3D1&resourceVersion=" + from);

  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("w", "2")).code, 201);
  ASSERT_EQ(sandbox.patch(kWatchedMaps + "/w", "merge", labelled("w", "1")).code, 200);
  ASSERT_EQ(sandbox.patch(kWatchedMaps + "/w", "merge", labelled("w", "2")).code, 200);
  ASSERT_EQ(sandbox.remove(kWatchedMaps + "/w").code, 200);

  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED w, DELETED w");
}

TEST(WatchTest, AStreamingListEndsItsStateWithABookmark) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("a", "1")).code, 201);

  const Reply watch = sandbox.get(
      kWatchedMaps +
      "?watch=1&labelSelector=s&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
      "&allowWatchBookmarks=true");

  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED a, BOOKMARK");
}

TEST(WatchTest, SendInitialEventsNeedsAMatch) {
  Sandbox sandbox;
  const Reply response = sandbox.get(kWatchedMaps + "?watch=1&sendInitialEvents=true");
  EXPECT_EQ(response.code, 422);
  EXPECT_NE(response.message().find(
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
            std::string::npos);
}

TEST(WatchTest, AForgottenVersionIsAnErrorEventAndTheEnd) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("a", "1")).code, 201);
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("b", "1")).code, 201);
  sandbox.store.compact();

  const Reply watch = sandbox.get(kWatchedMaps + "?watch=1&resourceVersion=2");

  EXPECT_EQ(watch.code, 200);
  EXPECT_EQ(Sandbox::events(*watch.stream), "ERROR 410");
  std::string rest;
  EXPECT_EQ(watch.stream->read(rest, 1), HttpBodyStream::State::kEnded);
}

TEST(WatchTest, TheTimeoutEndsTheStream) {
  Sandbox sandbox;
  const Reply watch = sandbox.get(kWatchedMaps + "?watch=1&labelSelector=none&timeoutSeconds=1");
  std::string text;
  ASSERT_EQ(watch.stream->read(text, 1000), HttpBodyStream::State::kOpen);
  EXPECT_EQ(watch.stream->next_read(), sandbox.clock.now() + 1s);

  sandbox.clock.advance(1s);

  EXPECT_EQ(watch.stream->read(text, 1000), HttpBodyStream::State::kEnded);
  EXPECT_EQ(text, "");
}

TEST(WatchTest, BookmarksReportProgressElsewhere) {
  Sandbox sandbox;
  const std::string from = sandbox.get(kWatchedMaps).revision();
  const Reply watch =
      sandbox.get(kWatchedMaps + "?watch=1&allowWatchBookmarks=1&resourceVersion=" + from);
  ASSERT_EQ(sandbox.post("/api/v1/namespaces/default/secrets", labelled("s", "1")).code, 201);
  EXPECT_EQ(Sandbox::events(*watch.stream), "");

  sandbox.clock.advance(61s);

  EXPECT_EQ(Sandbox::events(*watch.stream), "BOOKMARK");
  EXPECT_EQ(Sandbox::events(*watch.stream), "") << "once a minute";
}

TEST(WatchTest, ASlowReaderGetsWholeEvents) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("a", "1")).code, 201);
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("b", "1")).code, 201);
  const Reply watch = sandbox.get(kWatchedMaps + "?watch=1&labelSelector=s");

  std::string first;
  std::string second;
  ASSERT_EQ(watch.stream->read(first, 1), HttpBodyStream::State::kOpen);
  ASSERT_EQ(watch.stream->read(second, 1), HttpBodyStream::State::kOpen);

  EXPECT_EQ(json_literal(first).text_at({"object", "metadata", "name"}), "a");
  EXPECT_EQ(json_literal(second).text_at({"object", "metadata", "name"}), "b");
}

TEST(WatchTest, TheOldPrefixWatchesOneObject) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("a", "1")).code, 201);
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("b", "1")).code, 201);
  const Reply watch = sandbox.get("/api/v1/watch/namespaces/default/configmaps/a");
  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED a");
}

TEST(WatchTest, MetadataWatchesCarryNothingElse) {
  Sandbox sandbox;
  const Reply watch =
      sandbox.send("GET", kWatchedMaps + "?watch=1&labelSelector=s", "",
                   {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("a", "1")).code, 201);
  std::string text;
  ASSERT_EQ(watch.stream->read(text, 1000), HttpBodyStream::State::kOpen);
  const Json event = json_literal(text.substr(0, text.find('\n')));
  EXPECT_EQ(event.text_at({"object", "kind"}), "PartialObjectMetadata");
  EXPECT_EQ(event.get("object").size(), 3u) << "kind, apiVersion, metadata";
}

TEST(WatchTest, BothGroupsOfEventsSeeEachOthers) {
  Sandbox sandbox;
  const Reply watch = sandbox.get("/apis/events.k8s.io/v1/namespaces/default/events?watch=1");
  ASSERT_EQ(sandbox
                .post("/api/v1/namespaces/default/events",
                      R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"},)"
                      R"("message":"m"})")
                .code,
            201);
  std::string text;
  ASSERT_EQ(watch.stream->read(text, 1000), HttpBodyStream::State::kOpen);
  EXPECT_EQ(json_literal(text.substr(0, text.find('\n'))).text_at({"object", "note"}), "m");
}

TEST(WatchTest, AReaderIsCalledWhenThereIsSomething) {
  Sandbox sandbox;
  const Reply watch = sandbox.get(kWatchedMaps + "?watch=1");
  int calls = 0;
  watch.stream->on_ready([&] { ++calls; });

  ASSERT_EQ(sandbox.post(kWatchedMaps, labelled("a", "1")).code, 201);

  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace davit::sandbox
