/// Host functions where memory or threads have run out: they respond, and nothing is lost.
#include "tests/support/scarcity.hpp"

#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

constexpr char kNoObjects[] =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";

class ScarcityTest : public ControllerHostTest {
 protected:
  /// Calls `function` with less and less scarce memory, until it needs none that it does not get.
  /// Checks that it responds `failed` or DAVIT_OK each time.
  void starve(Phase phase, davit_code failed, const std::function<davit_code()>& function) {
    constexpr std::size_t kMost = 2000;  // Allocations of one call.
    bool felt = true;
    for (std::size_t after = 0; felt && after < kMost; ++after) {
      inside(phase, [&] {
        davit_code code = DAVIT_OK;
        {
          const test::NoMemory scarce(after);
          code = function();
          felt = scarce.was_felt();
        }
        EXPECT_TRUE(code == DAVIT_OK || (felt && code == failed)) << code << " after " << after;
      });
    }
    EXPECT_FALSE(felt) << "never enough memory";
  }
};

TEST_F(ScarcityTest, KeyAddedWithoutAThreadIsSyncedOnceThereIsOne) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  commit();
  run();
  ASSERT_TRUE(host_->runner().wait_caches(Time::max()));
  {
    const test::NoThreads scarce;
    EXPECT_EQ(add(queue, "default/a"), DAVIT_OK);
    EXPECT_EQ(add(queue, "default/b"), DAVIT_OK);
    EXPECT_GE(scarce.wanted(), 2U) << "a worker without a thread is not a free one";
  }
  host_->runner().report();
  EXPECT_THAT(synced_.await(2), ::testing::UnorderedElementsAre("default/a", "default/b"));
}

TEST_F(ScarcityTest, ControllerWithoutAThreadForItsHandlersGetsOneLater) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  commit();
  {
    const test::NoThreads scarce;
    run();
    EXPECT_EQ(scarce.wanted(), 1U);
  }
  EXPECT_EQ(add(queue, "default/a"), DAVIT_OK);
  EXPECT_EQ(host_->runner().waiting(), 1U);

  host_->runner().report();

  EXPECT_THAT(synced_.await(1), ::testing::ElementsAre("default/a"));
}

TEST_F(ScarcityTest, InformerWithoutAThreadReportsIt) {
  start_with([&] { open_informer("", "pods"); });
  ASSERT_TRUE(host_->commit().ok());
  const test::NoThreads scarce;

  const Status started = informers_.start();

  EXPECT_EQ(started.code(), Code::kUnavailable);
  EXPECT_EQ(started.message(), "cannot start a thread to watch pods");
}

TEST_F(ScarcityTest, KeyIsAddedOrRefusedWithoutMemoryAndNeverStuck) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  commit();
  constexpr std::size_t kKeys = 200;  // Enough for every container behind the queue to grow.
  for (std::size_t i = 0; i < kKeys; ++i) {
    const std::string number = std::to_string(i);
    const std::string key = "default/a-name-that-is-too-long-for-the-string-itself-" + number;
    starve(Phase::kHandler, DAVIT_INTERNAL,
           [&] { return tables_.queue->add(current_call, queue, str(key)); });
    const std::string later = "default/another-name-that-is-too-long-for-the-string-" + number;
    starve(Phase::kHandler, DAVIT_INTERNAL,
           [&] { return tables_.queue->add_after(current_call, queue, str(later), 1000); });
  }
  run();
  EXPECT_EQ(synced_.await(kKeys).size(), kKeys);
}

TEST_F(ScarcityTest, WriteWithoutMemoryIsUnknown) {
  start_with([] {});
  commit();
  transport_.set_script(fitting_response);
  const davit_request create = pod_request(DAVIT_CREATE);
  davit_response response{};
  response.size = sizeof(response);
  starve(Phase::kSync, DAVIT_UNAVAILABLE, [&] {
    const davit_code code = tables_.client->call(current_call, &create, &response);
    EXPECT_EQ(response.code, code);
    return code;
  });
}

TEST_F(ScarcityTest, OtherFunctionsReturnWithoutMemory) {
  davit_handle pods = 0;
  davit_handle replica_sets = 0;
  const auto opened = init([&](const davit_context& context, davit_controller&) {
    pods = open_informer("", "pods");
    replica_sets = open_informer("apps", "replicasets");
    context.error_text(current_call, str("something"));
    return DAVIT_STARTED;
  });
  ASSERT_EQ(opened.outcome, Outcome::kStarted) << opened.reason;
  commit({kNoObjects, kNoObjects});
  const std::string json = R"({"a long name of a member":["a long text in an array",1,true]})";
  davit_value value{};
  starve(Phase::kSync, DAVIT_INTERNAL, [&] {
    const davit_code code = tables_.object->parse(current_call, str(json), &value);
    if (code != DAVIT_OK) return code;
    std::uint64_t hash = 0;
    return tables_.object->hash(value, &hash);
  });
  davit_list list{};
  starve(Phase::kSync, DAVIT_INTERNAL, [&] {
    return tables_.informer->select(current_call, pods, str("namespace"), str("default"), &list);
  });
  starve(Phase::kSync, DAVIT_INTERNAL, [&] {
    tables_.log->write(current_call, DAVIT_LOG_INFO, str("A message that is long enough"), nullptr,
                       0);
    context_->error_text(current_call, str("a text that does not fit into the string itself"));
    davit_handle timer = 0;
    davit_timer_options options{};
    options.size = sizeof(options);
    options.period_ms = 1000;
    options.fire = [](void*, const davit_call*, davit_sync_result*) {
      return davit_code{DAVIT_OK};
    };
    return tables_.timer->start(current_call, &options, &timer);
  });
  davit_reference about{};
  about.size = sizeof(about);
  about.name = str("a-pod-with-a-name-that-is-long-enough");
  starve(Phase::kSync, DAVIT_INTERNAL, [&] {
    return tables_.event->record(current_call, &about, str("Normal"), str("Reason"),
                                 str("A message that is long enough"));
  });
}

}  // namespace
}  // namespace davit::host
