#include "host/cache/follow_threads.hpp"

#include <future>
#include <thread>

#include "host/cache/informer_refill.hpp"
#include "tests/host/cache/follow_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kThread = "davit-watches";

TEST_F(FollowTest, OneThreadFollowsManyResources) {
  constexpr std::size_t kMany = 50;
  serve();
  for (std::size_t i = 0; i < kMany; ++i) follow();
  for (Followed& each : followed_) each.listener.await_initial();
  transport_.await_requests(2 * kMany);
  EXPECT_EQ(threads_named(kThread), 1u);

  for (std::size_t i = 0; i < kMany; ++i) {
    const std::string ns = "ns" + std::to_string(i);
    transport_.send(watches_of(ns).back(), config_map_event("a", "6"));
  }
  for (Followed& each : followed_) {
    each.listener.await_changes(1);
    EXPECT_EQ(each.informer->store().size(), 1u);
  }
}

TEST_F(FollowTest, ResourcesThatAreAlwaysBusyHaveTheirOwnThread) {
  transport_.set_script([](const HttpRequest&) { return test::open_response(200); });
  Informer pods({{"", "v1", "pods"}, {}, {}, {}},
                InformerSeams{.api = api_,
                              .space = space_,
                              .clock = clock_,
                              .random = *random_,
                              .metrics = metrics_,
                              .threads = &threads_},
                Logger(log_), options_);
  ASSERT_TRUE(pods.start().ok());
  transport_.await_requests(1);
  EXPECT_EQ(threads_named("davit-pods"), 1u);
  EXPECT_EQ(threads_named(kThread), 0u);
}

TEST_F(FollowTest, AListThatStallsInTheMiddleDelaysNoOtherResource) {
  transport_.respond(test::open_response(200, kEmptyList.substr(0, 40)));
  serve();
  follow();
  transport_.await_requests(1);

  follow().listener.await_initial();
  EXPECT_FALSE(followed_[0].informer->has_synced());

  transport_.send(0, kEmptyList.substr(40));
  transport_.finish(0);
  followed_[0].listener.await_initial();
}

TEST_F(FollowTest, ADeafWatchIsRenewedWhenItsLimitIsOverAndTheOthersAreKept) {
  serve();
  follow();
  follow();
  for (Followed& each : followed_) each.listener.await_initial();
  transport_.await_requests(4);

  // Its timeout and slack are over, and nothing has come: the connection is dead.
  clock_.advance(minutes(30));
  static_cast<void>(followed_[0].informer->tick(clock_.now()));
  transport_.await_requests(5);

  ASSERT_EQ(watches_of("ns0").size(), 2u);
  transport_.send(watches_of("ns0").back(), config_map_event("a", "6"));
  followed_[0].listener.await_changes(1);
  EXPECT_EQ(watches_of("ns1").size(), 1u);
  transport_.send(watches_of("ns1").back(), config_map_event("a", "6"));
  followed_[1].listener.await_changes(1);
}

TEST_F(FollowTest, ACutWatchContinuesWhereItWas) {
  serve();
  follow().listener.await_initial();
  transport_.await_requests(2);
  const std::size_t first = watches_of("ns0").back();
  transport_.send(first, config_map_event("a", "6"));
  followed_[0].listener.await_changes(1);

  transport_.finish(first, {Break::kReset, "cut"});
  transport_.await_requests(3);
  EXPECT_NE(transport_.requests()[2].target.find("resourceVersion=6"), std::string::npos)
      << transport_.requests()[2].target;
}

TEST_F(FollowTest, AServerThatRespondsToOthersIsTriedBeforeTheBackOffIsOver) {
  options_.backoff_base = seconds(1);
  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kRefused); });
  follow();
  transport_.await_requests(1);
  clock_.await_waiters(1);
  clock_.advance(minutes(5));  // The next back-offs are long.
  for (std::size_t tries = 2; tries < 8; ++tries) {
    transport_.await_requests(tries);
    clock_.await_waiters(1);
    clock_.advance(minutes(1));
  }
  transport_.await_requests(8);
  clock_.await_waiters(1);
  serve();
  clock_.advance(seconds(2));  // Less than any back-off now, more than the early retry's gap.
  contact_.responded();
  followed_[0].listener.await_initial();
}

TEST_F(FollowTest, AStoppedInformerLeavesNoRequest) {
  serve();
  follow().listener.await_initial();
  follow().listener.await_initial();
  transport_.await_requests(4);
  followed_[0].informer->stop();
  EXPECT_EQ(transport_.open_calls(), watches_of("ns1"));
  followed_[1].informer->stop();
  EXPECT_TRUE(transport_.open_calls().empty());
}

TEST_F(FollowTest, ARequestedRelistEndsTheWatchOfThatResourceOnly) {
  serve();
  follow().listener.await_initial();
  follow().listener.await_initial();
  transport_.await_requests(4);
  followed_[1].informer->request_relist(RelistReason::kVerification);
  transport_.await_requests(6);  // A list and a watch.
  EXPECT_EQ(watches_of("ns0").size(), 1u);
  EXPECT_EQ(watches_of("ns1").size(), 2u);
}

struct NoObserver final : RefillObserver {
  void refill_moved() override {}
};

TEST_F(FollowTest, ARefillTakesOverOnTheSameThread) {
  serve();
  Followed& one = follow();
  one.listener.await_initial();
  transport_.await_requests(2);
  NoObserver observer;
  Result<std::unique_ptr<Informer::Refill>> refill =
      one.informer->refill(CacheNeed{one.informer->spec()}, observer);
  ASSERT_TRUE(refill) << refill.error().message();
  transport_.await_requests(4);
  (*refill)->allow();
  transport_.send(watches_of("ns0").back(), config_map_event("a", "6"));
  one.listener.await_changes(1);
  EXPECT_EQ((*refill)->state(), Informer::Refill::State::kServing);
  refill->reset();
  EXPECT_EQ(transport_.open_calls(), std::vector{watches_of("ns0").back()});
}

/// Credentials that a program fetches: nothing can be sent until the test lets it end.
class SlowCredentials final : public Transport {
 public:
  explicit SlowCredentials(Transport& inner) : inner_(inner) {}

  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (!is_ready()) static_cast<void>(prepare());
    return inner_.start(std::move(request), reader);
  }
  [[nodiscard]] bool is_ready() override {
    MutexLock lock(mutex_);
    return is_ready_;
  }
  [[nodiscard]] Status prepare() override {
    MutexLock lock(mutex_);
    ++runs_;
    fetcher_ = this_thread_name();
    changed_.notify_all();
    while (!outcome_) changed_.wait(mutex_);
    is_ready_ = outcome_->ok();
    return *std::exchange(outcome_, std::nullopt);
  }
  [[nodiscard]] std::string_view server() const override { return inner_.server(); }

  void expire() {
    MutexLock lock(mutex_);
    is_ready_ = false;
  }
  void await_runs(int count) {
    MutexLock lock(mutex_);
    while (runs_ < count) changed_.wait(mutex_);
  }
  void end_run(Status outcome) {
    MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    changed_.notify_all();
  }
  [[nodiscard]] int runs() {
    MutexLock lock(mutex_);
    return runs_;
  }
  /// The name of the last thread that has fetched.
  [[nodiscard]] std::string fetcher() {
    MutexLock lock(mutex_);
    return fetcher_;
  }

 private:
  Transport& inner_;
  Mutex mutex_;
  CondVar changed_;
  bool is_ready_ GUARDED_BY(mutex_) = true;
  int runs_ GUARDED_BY(mutex_) = 0;
  std::string fetcher_ GUARDED_BY(mutex_);
  std::optional<Status> outcome_ GUARDED_BY(mutex_);
};

class SlowCredentialsTest : public FollowTest {
 protected:
  Followed& follow_slowly() {
    Followed& made = followed_.emplace_back();
    const std::string ns = "ns" + std::to_string(followed_.size() - 1);
    made.informer =
        std::make_unique<Informer>(InformerSpec{{"", "v1", "configmaps"}, {}, {}, {}, ns},
                                   InformerSeams{.api = slow_api_,
                                                 .space = space_,
                                                 .clock = clock_,
                                                 .random = *random_,
                                                 .metrics = metrics_,
                                                 .threads = &slow_threads_},
                                   Logger(log_), options_);
    made.informer->add_listener(made.listener);
    EXPECT_TRUE(made.informer->start().ok());
    return made;
  }
  /// The last informer is destroyed before the threads.
  void TearDown() override { followed_.clear(); }

  SlowCredentials credentials_{transport_};
  RestClient slow_client_{credentials_, clock_, rest_metrics_, Logger(log_), {.rate = {-1, 0}}};
  RestListWatch slow_api_{slow_client_};
  FollowThreads slow_threads_{slow_api_, clock_, 1};
};

TEST_F(SlowCredentialsTest, EventsArriveWhileCredentialsForAnotherResourceAreFetched) {
  serve();
  follow_slowly().listener.await_initial();
  transport_.await_requests(2);
  credentials_.expire();
  follow_slowly();
  credentials_.await_runs(1);

  transport_.send(watches_of("ns0").back(), config_map_event("a", "6"));
  followed_[0].listener.await_changes(1);
  EXPECT_EQ(transport_.requests().size(), 2u) << "nothing is sent without credentials";

  credentials_.end_run({});
  followed_[1].listener.await_initial();
}

TEST_F(SlowCredentialsTest, CredentialsThatExpireBeforeARetryAreFetchedOnAnotherThread) {
  transport_.respond({.status = 429, .body = "", .headers = {{"retry-after", "1"}}});
  serve();
  follow_slowly();
  transport_.await_requests(1);
  clock_.await_waiters(1);  // For the retry.
  credentials_.expire();
  clock_.advance(seconds(1));
  credentials_.await_runs(1);
  credentials_.end_run({});
  EXPECT_NE(credentials_.fetcher(), kThread) << "it reads other watches, too";
  followed_[0].listener.await_initial();
}

TEST_F(SlowCredentialsTest, AResourceWhoseCredentialsFailReportsWhatTheRequestWouldHave) {
  options_.backoff_base = minutes(1);
  credentials_.expire();
  follow_slowly();
  credentials_.await_runs(1);
  credentials_.end_run({Code::kForbidden, "getting credentials: no luck"});
  followed_[0].listener.await_availability();
  const Status status = followed_[0].informer->availability();
  EXPECT_EQ(status.code(), Code::kForbidden);
  EXPECT_NE(status.message().find("configmaps"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("no luck"), std::string::npos) << status.message();
}

TEST_F(SlowCredentialsTest, OneRunOfTheProgramServesAllThatWaitForItAndSoDoesItsFailure) {
  constexpr int kMany = 20;
  options_.backoff_base = minutes(1);
  serve();
  follow_slowly().listener.await_initial();  // The thread runs.
  transport_.await_requests(2);
  credentials_.expire();
  follow_slowly();
  credentials_.await_runs(1);
  // These arrive during the run, and share the next one.
  for (int i = 0; i < kMany; ++i) follow_slowly();
  // A stop is handled before the turns of the others, the second one after them.
  for (int i = 0; i < 2; ++i) {
    follow_slowly().informer->stop();
    followed_.pop_back();
  }

  const Status failed(Code::kForbidden, "getting credentials: no luck");
  credentials_.end_run(failed);
  credentials_.await_runs(2);
  credentials_.end_run(failed);
  for (std::size_t i = 1; i < followed_.size(); ++i) followed_[i].listener.await_availability();
  EXPECT_EQ(credentials_.runs(), 2);
  EXPECT_EQ(transport_.requests().size(), 2u);
}

TEST_F(SlowCredentialsTest, AnInformerCanBeStoppedWhileItsCredentialsAreFetched) {
  serve();
  credentials_.expire();
  follow_slowly();
  credentials_.await_runs(1);
  followed_[0].informer->stop();
  credentials_.end_run({});
  EXPECT_TRUE(transport_.requests().empty());
}

}  // namespace
}  // namespace davit::host
