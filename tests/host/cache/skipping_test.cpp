// Objects that cannot be read, and caches that continue without them.
#include <gmock/gmock.h>

#include "host/cache/cache_report.hpp"
#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string list_of(std::string_view version, const std::vector<std::string>& items) {
  std::string json = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                     std::string(version) + R"("},"items":[)";
  for (const std::string& item : items) json += (json.back() == '[' ? "" : ",") + item;
  return json + "]}";
}

std::string event_of(std::string_view type, const std::string& object) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + object + "}\n";
}

/// A pod whose spec has an unreadable member.
std::string bad_pod(const PodSpec& pod, std::string_view value = "\"\xff\"") {
  std::string json = json_of(pod);
  json.insert(json.rfind("}}"), R"(,"bad":)" + std::string(value));
  return json;
}

std::string deep() { return std::string(200, '[') + std::string(200, ']'); }

class SkippingTest : public CacheTest {
 protected:
  void make() {
    ReflectorOptions options;
    options.streaming_list = false;
    make_with(options);
  }
  void make_with(const ReflectorOptions& options) {
    informer_ = std::make_unique<Informer>(
        InformerSpec{{"", "v1", "pods"}, {}, {}, {}},
        InformerSeams{api_, space_, clock_, *random_, metrics_,
                      [this](const ResourceId&, const SkippedObject& object) {
                        const ObjectIdentity& id = object.identity;
                        told_.push_back(id.kind + " " + id.ns + "/" + id.name + "@" +
                                        id.resource_version + " " +
                                        std::string(label_of(object.reason)));
                      }},
        Logger(log_), options);
    ASSERT_TRUE(informer_->prepare().ok());
    informer_->add_listener(listener_);
  }
  void play(std::string body) {
    reply({.body = std::move(body)});
    step();
  }
  [[nodiscard]] Strings skipped() const {
    Strings names;
    for (const SkippedObject& each : informer_->store().skipped()) {
      names.push_back(each.identity.name + (each.is_kept ? " kept" : " missing"));
    }
    return names;
  }

  Strings told_;
  RecordingListener listener_;
};

TEST_F(SkippingTest, ListContinuesWithoutEachObjectThatCannotBeRead) {
  const std::pair<std::string, std::string> cases[] = {
      {bad_pod({.name = "x", .version = "3"}), "Pod default/x@3 invalid_utf8"},
      {bad_pod({.name = "x", .version = "3"}, deep()), "Pod default/x@3 too_deep"},
      {bad_pod({.name = "x", .version = "3"}, "1e999"), "Pod default/x@3 malformed"},
      {bad_pod({.name = "x", .version = "3"}, "nope"), "Pod default/x@3 malformed"},
      {bad_pod({.name = "x", .version = "3"}, R"("\ud800")"), "Pod default/x@3 malformed"},
      {R"({"metadata":{"name":"x","labels":7}})", "Pod /x@ wrong_type"},
  };
  for (const auto& [item, wanted] : cases) {
    told_.clear();
    listener_.heard.clear();
    make();
    play(list_of("7", {json_of({.name = "a", .version = "3"}), item,
                       json_of({.name = "b", .version = "4"})}));
    EXPECT_TRUE(informer_->has_synced()) << item.substr(0, 80);
    EXPECT_EQ(informer_->store().size(), 2U);
    EXPECT_THAT(told_, ElementsAre(wanted));
    EXPECT_EQ(informer_->store().skipped_count(), 1U);

    play(event_of("MODIFIED", json_of({.name = "a", .version = "8"})));
    EXPECT_EQ(version_of("a"), "8");
    informer_.reset();
  }
  EXPECT_EQ(log_.count("W : Skipped an object that cannot be read"), std::size(cases));
}

TEST_F(SkippingTest, WatchContinuesBehindEachEventThatCannotBeRead) {
  make();
  play(list_of("7", {}));
  play(event_of("ADDED", bad_pod({.name = "x", .version = "8"})) +
       event_of("MODIFIED", bad_pod({.name = "x", .version = "9"}, deep())) +
       event_of("ADDED", json_of({.name = "a", .version = "10"})) +
       event_of("ADDED", bad_pod({.name = "y", .version = "11"})));
  EXPECT_EQ(version_of("a"), "10");
  EXPECT_EQ(informer_->store().version(), 11U) << "writes are awaited by this version";
  EXPECT_EQ(listener_.last_version, 11U);
  EXPECT_THAT(told_, ElementsAre("Pod default/x@8 invalid_utf8", "Pod default/x@9 too_deep",
                                 "Pod default/y@11 invalid_utf8"));
  step();
  EXPECT_THAT(api_.asked.back(), StartsWith("watch resourceVersion=11&"));
}

TEST_F(SkippingTest, StreamingListContinuesWithoutThem) {
  make_with({});
  play(event_of("ADDED", bad_pod({.name = "x", .version = "3"})) +
       event_of("ADDED", json_of({.name = "a", .version = "4"})) +
       event_of("ADDED", json_of({.name = "b", .version = "4"})) +
       event_of("MODIFIED", bad_pod({.name = "b", .version = "5"})) +
       event_of("ADDED", bad_pod({.name = "c", .version = "5"})) +
       event_of("DELETED", bad_pod({.name = "c", .version = "6"})) +
       event_of("ADDED", bad_pod({.name = "d", .version = "5"})) +
       event_of("MODIFIED", json_of({.name = "d", .version = "6"})) + initial_end_json("7"));
  EXPECT_EQ(version_of("a"), "4");
  EXPECT_EQ(version_of("b"), "4");
  EXPECT_EQ(version_of("d"), "6");
  EXPECT_THAT(skipped(), ElementsAre("b kept", "x missing"));
}

TEST_F(SkippingTest, OlderStateStaysUntilTheObjectCanBeReadAgainOrIsGone) {
  make();
  play(list_of("7",
               {json_of({.name = "a", .version = "3"}), json_of({.name = "b", .version = "4"})}));
  listener_.heard.clear();
  play(event_of("MODIFIED", bad_pod({.name = "a", .version = "8"})) +
       event_of("MODIFIED", bad_pod({.name = "b", .version = "9"})));
  EXPECT_EQ(version_of("a"), "3");
  EXPECT_THAT(listener_.heard, IsEmpty()) << "no deletion that did not happen";
  EXPECT_THAT(skipped(), ElementsAre("a kept", "b kept"));

  play(event_of("MODIFIED", json_of({.name = "a", .version = "10"})) +
       event_of("DELETED", bad_pod({.name = "b", .version = "11"})));
  EXPECT_THAT(listener_.heard, ElementsAre("UPDATED a@3->10", "DELETED b@4 tombstone"));
  EXPECT_THAT(skipped(), IsEmpty());
  EXPECT_EQ(informer_->store().size(), 1U);
}

TEST_F(SkippingTest, RelistKeepsTheOlderStateAndReportsEachVersionOnce) {
  make();
  play(list_of("7", {json_of({.name = "a", .version = "3"})}));
  play(event_of("MODIFIED", bad_pod({.name = "a", .version = "8"})) + error_json(410, "Expired"));
  wait();
  listener_.heard.clear();
  told_.clear();
  play(list_of("9", {bad_pod({.name = "a", .version = "8"})}));
  EXPECT_EQ(version_of("a"), "3");
  EXPECT_THAT(told_, IsEmpty());
  play(error_json(410, "Expired"));
  wait();
  play(list_of("12", {bad_pod({.name = "a", .version = "11"})}));
  EXPECT_THAT(told_, ElementsAre("Pod default/a@11 invalid_utf8"));
  play(error_json(410, "Expired"));
  wait();
  play(list_of("14", {}));
  EXPECT_THAT(listener_.heard, ElementsAre("DELETED a@3 tombstone"));
  EXPECT_THAT(skipped(), IsEmpty());
}

TEST_F(SkippingTest, AnotherObjectOfTheNameEndsTheOlderOne) {
  make();
  play(list_of("7", {json_of({.name = "a", .version = "3", .uid = "one"}),
                     json_of({.name = "b", .version = "3", .uid = "one"})}));
  listener_.heard.clear();
  play(event_of("ADDED", bad_pod({.name = "a", .version = "8", .uid = "two"})) +
       error_json(410, "Expired"));
  EXPECT_THAT(listener_.heard, ElementsAre("DELETED a@3 tombstone"));
  wait();
  play(list_of("9", {bad_pod({.name = "b", .version = "8", .uid = "two"})}));
  EXPECT_EQ(listener_.heard.back(), "DELETED b@3 tombstone");
  EXPECT_THAT(skipped(), ElementsAre("b missing"));
}

TEST_F(SkippingTest, MissingDependantIsKnownByItsOwner) {
  make();
  play(list_of("7", {bad_pod({.name = "a", .version = "3", .owner = "rs-1"}),
                     json_of({.name = "b", .version = "3", .owner = "rs-2"})}));
  play(event_of("MODIFIED", bad_pod({.name = "b", .version = "8", .owner = "rs-2"})));
  const Store& store = informer_->store();
  ASSERT_TRUE(store.lacking("rs-1"));
  EXPECT_EQ(store.lacking("rs-1")->identity.name, "a");
  EXPECT_FALSE(store.lacking("rs-2")) << "an older state is counted";
}

TEST_F(SkippingTest, UnreadableBookmarkEndsTheWatch) {
  make();
  play(list_of("7", {}));
  play(event_of("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"\xff\"}}"));
  EXPECT_EQ(log_.count("W : Watch ended with an error"), 1U);
}

TEST_F(SkippingTest, ObjectAbove64MiBIsNamedAndSkipped) {
  const std::string huge =
      bad_pod({.name = "huge", .version = "8"}, "\"" + std::string(kObjectBytesMax, 'x') + "\"");
  make();
  reply({.body = list_of("7", {json_of({.name = "a", .version = "3"}), huge}),
         .chunk = std::size_t{1} << 20});
  step();
  EXPECT_EQ(version_of("a"), "3");
  reply({.body = event_of("MODIFIED", huge) + event_json("ADDED", {.name = "b", .version = "9"}),
         .chunk = std::size_t{1} << 20});
  step();
  EXPECT_EQ(version_of("b"), "9");
  EXPECT_THAT(told_, ElementsAre("Pod default/huge@8 too_large")) << "the same version, once";
}

TEST_F(SkippingTest, NotesNameStaleCachesAndSkippedObjects) {
  const Time now = clock_.now();
  CacheState pods{.resource = {"", "v1", "pods"}};
  EXPECT_THAT(cache_notes({pods}, now), IsEmpty());
  EXPECT_TRUE(check_current({pods}, now).ok());

  for (int i = 0; i < 7; ++i) {
    pods.skipped.push_back(
        {.identity = {.ns = "ns", .name = "p" + std::to_string(i)}, .why = "too deep"});
  }
  EXPECT_TRUE(check_current({pods}, now).ok()) << "a skipped object fails no check";
  CacheState sets{.resource = {"apps", "v1", "replicasets"}, .selection = "a=b"};
  sets.freshness.confirmed = now - seconds(190);
  sets.freshness.failing_since = now - seconds(121);
  sets.freshness.failure = Status(Code::kUnavailable, "connection refused");
  CacheState nodes{.resource = {"", "v1", "nodes"}};
  nodes.freshness.failing_since = now - seconds(500);
  nodes.freshness.failure = Status(Code::kForbidden, "forbidden");
  const Status status = check_current({pods, sets, nodes}, now);
  EXPECT_EQ(status.message(),
            "replicasets.apps (a=b) not current for 190 s: connection refused; "
            "nodes not filled, failing for 500 s: forbidden");
  const Strings notes = cache_notes({pods, sets, nodes}, now);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_THAT(notes[0], StartsWith("pods lacks, or holds in an older state, 7 that cannot be read: "
                                   "ns/p0 (too deep); ns/p1"));
  EXPECT_THAT(notes[0], HasSubstr("; 2 more"));
}

}  // namespace
}  // namespace davit::host
