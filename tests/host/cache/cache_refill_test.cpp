#include "host/cache/cache_refill.hpp"

#include <gmock/gmock.h>

#include <future>

#include "host/cache/informer_factory.hpp"
#include "tests/host/cache/pod_server.hpp"
#include "tests/support/collector.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using End = CacheRefill::End;

/// Passes what it receives to the test.
class Neighbour final : public Listener {
 public:
  void on_initial(std::vector<ObjectRef> content) override {
    for (const ObjectRef& each : content) {
      on_change({.type = ChangeType::kAdded, .initial = true, .old = {}, .current = each});
    }
  }
  void on_change(const Change& change) override { heard.push(RecordingListener::describe(change)); }
  void on_progress(std::uint64_t version) override { versions.push(version); }

  test::Collector<std::string> heard;
  test::Collector<std::uint64_t> versions;
};

/// An informer of pods that keeps their labels, with a listener, and more that is needed of it.
class CacheRefillTest : public ::testing::Test {
 protected:
  CacheRefillTest() {
    informer_ = *factory_.informer(need({"metadata.labels"}));
    informer_->add_listener(neighbour_);
    EXPECT_TRUE(factory_.start().ok());
    pods_.await_requests(2);
  }
  ~CacheRefillTest() override {
    factory_.stop();
    informer_->remove_listener(neighbour_);
  }

  static CacheNeed need(std::vector<std::string> projection, const char* resource = "pods") {
    return CacheNeed{{{"", "v1", resource}, "", "", std::move(projection)}};
  }
  std::future<End> begin(const std::vector<CacheNeed>& needs) {
    EXPECT_TRUE(refill_.begin(needs).ok());
    return std::async(std::launch::async, [this, until = clock_.now() + seconds(30)] {
      return refill_.wait(until, stop_.get_token());
    });
  }
  [[nodiscard]] std::string node_of(std::string_view pod) const {
    return std::string(informer_->store().get("default", pod).root()["spec"]["nodeName"].string());
  }
  void change(const char* type, const PodSpec& pod) { pods_.send(event_json(type, pod)); }

  test::FakeClock clock_;
  test::RecordingLogSink log_{5};
  ObjectSpace space_;
  std::unique_ptr<Random> random_ = make_seeded_random(7);
  CacheMetrics metrics_;
  PodServer pods_;
  InformerFactory factory_{{pods_, space_, clock_, *random_, metrics_},
                           Logger(log_),
                           ReflectorOptions{.streaming_list = false}};
  Neighbour neighbour_;
  Informer* informer_ = nullptr;
  std::stop_source stop_;
  CacheRefill refill_{factory_, clock_};
};

TEST_F(CacheRefillTest, NewFieldsAreThereAtOnceWithoutANotification) {
  ASSERT_EQ(node_of("a"), "");
  ASSERT_FALSE(factory_.serves(need({"spec.nodeName"})));

  ASSERT_EQ(begin({need({"spec.nodeName"})}).get(), End::kServing);

  EXPECT_EQ(node_of("a"), "n1");
  EXPECT_TRUE(factory_.serves(need({"spec.nodeName", "metadata.labels"})));
  EXPECT_THAT(factory_.informers(), ElementsAre(informer_)) << "one cache for all";
  pods_.await_requests(4);  // The list serves before the watch after it has begun.
  EXPECT_EQ(pods_.requests(), 4) << "one list and one watch more";
  EXPECT_THAT(refill_.resources(), ElementsAre("pods"));
  pods_.await_open(1);  // The watch before has ended.
  change("ADDED", {.name = "b", .version = "8", .node = "n2"});
  EXPECT_THAT(neighbour_.heard.await(2), ElementsAre("ADDED a@5 initial", "ADDED b@8"));
  EXPECT_EQ(node_of("b"), "n2");
}

TEST_F(CacheRefillTest, ChangesDuringARefillAreDeliveredOnceAndAtOnce) {
  pods_.hold(PodServer::Hold::kLists);
  std::future<End> end = begin({need({"spec"})});
  pods_.await_requests(3);
  change("ADDED", {.name = "b", .version = "8", .node = "n2"});
  change("MODIFIED", {.name = "a", .version = "9", .node = "n3"});
  change("ADDED", {.name = "c", .version = "10"});
  change("DELETED", {.name = "c", .version = "11"});
  EXPECT_THAT(
      neighbour_.heard.await(5),
      ElementsAre("ADDED a@5 initial", "ADDED b@8", "UPDATED a@5->9", "ADDED c@10", "DELETED c@11"))
      << "what serves continues";
  EXPECT_EQ(node_of("b"), "") << "and keeps what it kept";

  pods_.hold(PodServer::Hold::kNothing);
  ASSERT_EQ(end.get(), End::kServing);

  EXPECT_EQ(node_of("a") + node_of("b"), "n3n2");
  EXPECT_EQ(informer_->store().size(), 2U);
  EXPECT_EQ(informer_->store().version(), 11U);
  EXPECT_THAT(neighbour_.heard.entries(), ::testing::SizeIs(5));
}

TEST_F(CacheRefillTest, ReadersNeverGoBackInTime) {
  change("MODIFIED", {.name = "a", .version = "9", .node = "n2"});
  (void)neighbour_.heard.await(2);
  pods_.hold(PodServer::Hold::kWatches);  // The list is of version 7.
  std::future<End> end = begin({need({"spec"})});
  pods_.await_requests(4);
  EXPECT_EQ(informer_->store().version(), 9U);
  EXPECT_EQ(node_of("a"), "") << "not before it has seen version 9, too";

  pods_.hold(PodServer::Hold::kNothing);

  ASSERT_EQ(end.get(), End::kServing);
  EXPECT_EQ(node_of("a"), "n2");
  EXPECT_EQ(informer_->store().version(), 9U);
  for (std::uint64_t before = 0; const std::uint64_t version : neighbour_.versions.entries()) {
    EXPECT_GE(version, before);
    before = version;
  }
}

TEST_F(CacheRefillTest, ABookmarkThatOnlyTheOldWatchReceivedDelaysNothing) {
  pods_.hold(PodServer::Hold::kWatches);
  pods_.send(bookmark_json("40") + "\n");
  (void)neighbour_.versions.await(2);

  ASSERT_EQ(begin({need({"spec"})}).get(), End::kServing);

  EXPECT_EQ(node_of("a"), "n1");
  EXPECT_EQ(informer_->store().version(), 40U);
}

TEST_F(CacheRefillTest, IndexesServeTheNewContentToo) {
  CacheNeed wider = need({"metadata.labels"});
  wider.indexes = {{".spec.nodeName", "spec.nodeName"}};
  EXPECT_EQ(informer_->store().select(kLabelIndex, "default/x=y")->size(), 0U);
  ASSERT_FALSE(factory_.serves(wider)) << "an index reads, too";

  ASSERT_EQ(begin({wider}).get(), End::kServing);

  EXPECT_EQ(informer_->store().select(".spec.nodeName", "n1")->size(), 1U);
  EXPECT_EQ(informer_->store().select(kNamespaceIndex, "default")->size(), 1U);
  change("MODIFIED", {.name = "a", .version = "8", .node = "n2", .labels = R"("x":"y")"});
  (void)neighbour_.heard.await(2);
  EXPECT_EQ(informer_->store().select(".spec.nodeName", "n2")->size(), 1U);
  EXPECT_EQ(informer_->store().select(kLabelIndex, "default/x=y")->size(), 1U);
}

TEST_F(CacheRefillTest, AnUnwatchedResourceGetsAnInformer) {
  ASSERT_EQ(begin({need({"spec"}, "services"), need({"metadata.labels"}, "services"),
                   need({"metadata.labels"})})
                .get(),
            End::kServing);

  EXPECT_THAT(refill_.resources(), ElementsAre("services")) << "one list for two users";
  ASSERT_EQ(factory_.informers().size(), 2U);
  EXPECT_TRUE(factory_.informers()[1]->has_synced());
  EXPECT_TRUE(factory_.serves(need({"spec"}, "services")));
  EXPECT_EQ(*factory_.informer(need({"metadata.labels"}, "services")), factory_.informers()[1]);
}

TEST_F(CacheRefillTest, ALaterRelistSharesWhatHasNotChanged) {
  ASSERT_EQ(begin({need({"spec"})}).get(), End::kServing);
  const ObjectRef kept = informer_->store().get("default", "a");

  informer_->request_relist(RelistReason::kStaleCache);
  pods_.await_requests(6);

  EXPECT_EQ(informer_->store().get("default", "a"), kept);
  EXPECT_THAT(neighbour_.heard.entries(), ElementsAre("ADDED a@5 initial"));
}

TEST_F(CacheRefillTest, WhatTheServerRefusesLeavesNothingBehind) {
  pods_.respond_to_lists(api_error(403, Code::kForbidden, "Forbidden"));

  EXPECT_EQ(begin({need({"spec"}), need({"spec"}, "services")}).get(), End::kRefused);

  EXPECT_THAT(refill_.missing(), HasSubstr("refused with 403"));
  EXPECT_THAT(factory_.informers(), ElementsAre(informer_));
  EXPECT_FALSE(factory_.serves(need({"spec"})));
  change("ADDED", {.name = "b", .version = "8", .node = "n2"});
  EXPECT_THAT(neighbour_.heard.await(2), ElementsAre("ADDED a@5 initial", "ADDED b@8"));
}

TEST_F(CacheRefillTest, WhatDoesNotComeInTimeIsTakenBack) {
  pods_.hold(PodServer::Hold::kLists);
  std::future<End> end;
  {
    CacheRefill late(factory_, clock_);
    ASSERT_TRUE(late.begin({need({"spec"}), need({"spec"}, "services")}).ok());
    const Time until = clock_.now() + seconds(30);
    end = std::async(std::launch::async, [&] { return late.wait(until, stop_.get_token()); });
    clock_.await_deadline(until);
    clock_.advance(seconds(30));
    EXPECT_EQ(end.get(), End::kTimedOut);
    EXPECT_EQ(late.missing(), "pods, services");
  }
  pods_.hold(PodServer::Hold::kNothing);
  change("ADDED", {.name = "b", .version = "8", .node = "n2"});
  EXPECT_THAT(neighbour_.heard.await(2), ElementsAre("ADDED a@5 initial", "ADDED b@8"));
  EXPECT_EQ(node_of("b"), "");
  EXPECT_THAT(factory_.informers(), ElementsAre(informer_));
  // Another try comes through.
  EXPECT_EQ(begin({need({"spec"})}).get(), End::kServing);
  EXPECT_EQ(node_of("b"), "n2");
}

TEST_F(CacheRefillTest, AllComesToServeOrNothing) {
  pods_.hold(PodServer::Hold::kNothing);
  ASSERT_TRUE(refill_.begin({need({"spec"})}).ok());
  pods_.await_requests(4);  // It could serve.
  stop_.request_stop();
  EXPECT_EQ(refill_.wait(clock_.now() + seconds(30), stop_.get_token()), End::kStopped);
  EXPECT_EQ(node_of("a"), "");
}

TEST_F(CacheRefillTest, AMalformedPathIsRefusedAtOnce) {
  EXPECT_EQ(refill_.begin({need({"spec..x"})}).code(), Code::kInvalid);
}

}  // namespace
}  // namespace davit::host
