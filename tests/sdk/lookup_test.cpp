/// Mistakes of a plugin's author: absence taken for an error, and ignored errors and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace davit {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// The parts of a controller that a test supplies; those that are not set do nothing.
struct Parts {
  std::function<void(Context&, const Informer<Pod>&)> init;
  std::function<void(const Informer<Pod>&)> handle;
  std::function<Result<Again>(const Informer<Pod>&, const Key&)> sync;
  std::function<void()> timer;
  std::function<Status()> health;
};

class PartsController : public Controller {
 public:
  PartsController(Context& context, Parts& parts)
      : parts_(parts),
        queue_(context.open_queue({.name = "parts", .retries_max = 1},
                                  [this](const Key& key) -> Result<Again> {
                                    if (!parts_.sync) return Again::when_changed();
                                    return parts_.sync(pods_, key);
                                  })),
        pods_(context.open_informer<Pod>({.added = [this](const Pod& pod) {
          if (parts_.handle) parts_.handle(pods_);
          queue_.add(pod);
        }})) {
    if (parts_.timer) context.start_timer({.first = 1s}, parts_.timer);
    if (parts_.init) parts_.init(context, pods_);
  }
  [[nodiscard]] Status health() const override {
    return parts_.health ? parts_.health() : Status();
  }

 private:
  Parts& parts_;
  Queue queue_;
  Informer<Pod> pods_;
};

class LookupTest : public ::testing::Test {
 protected:
  Status start() {
    return cluster_.start("parts", [this](Context& context) -> InitResult {
      return std::unique_ptr<Controller>(std::make_unique<PartsController>(context, parts_));
    });
  }
  /// Syncs the pod "web" once.
  const testing::SyncRecord& sync(
      std::function<Result<Again>(const Informer<Pod>&, const Key&)> body) {
    parts_.sync = std::move(body);
    EXPECT_TRUE(start().ok());
    cluster_.add(testing::PodBuilder("web"));
    cluster_.run_until_idle();
    return cluster_.syncs().front();
  }

  Parts parts_;
  testing::Cluster cluster_;
};

TEST_F(LookupTest, AnObjectIsFoundOrAbsentAndNeitherIsAnError) {
  const testing::SyncRecord& record =
      sync([](const Informer<Pod>& pods, const Key& key) -> Result<Again> {
        const Lookup<Pod> found = pods.get(key);
        EXPECT_TRUE(found);
        EXPECT_EQ(found->name(), "web");
        const Lookup<Pod> absent = pods.get("default", "none");
        EXPECT_FALSE(absent);
        EXPECT_TRUE(absent.error().ok());
        return Again::when_changed();
      });
  EXPECT_TRUE(record.ok()) << record.error;
}

TEST_F(LookupTest, AReadThatTheHostRefusesDoesNotReadAsAbsence) {
  const testing::SyncRecord& record =
      sync([](const Informer<Pod>& pods, const Key& key) -> Result<Again> {
        const Informer<Pod> unknown(*Retained(pods.get(key)->value()).get().api(), 4711);
        EXPECT_EQ(unknown.get(key).error().code(), Code::kStale);
        EXPECT_EQ(unknown.list().error().code(), Code::kStale);
        if (!unknown.get(key)) return Again::when_changed();
        return Again::after(1h);
      });
  EXPECT_EQ(record.code, Code::kInternal);
  EXPECT_THAT(record.error, HasSubstr("the host refused to read an object of a cache"));
}

TEST_F(LookupTest, ReadsWhileTheControllerIsMadeAreErrorsBecauseTheCacheIsEmpty) {
  Code code = Code::kOk;
  parts_.init = [&](Context&, const Informer<Pod>& pods) {
    code = pods.get("default", "web").error().code();
    EXPECT_EQ(pods.list().error().code(), Code::kMisuse);
  };
  EXPECT_TRUE(start().ok());
  EXPECT_EQ(code, Code::kMisuse);
}

TEST_F(LookupTest, AnUnknownIndexIsAnErrorAndNoEmptyList) {
  const testing::SyncRecord& record =
      sync([](const Informer<Pod>& pods, const Key&) -> Result<Again> {
        const List<Pod> list = pods.by_index("colour", "red");
        EXPECT_EQ(list.error().code(), Code::kMisuse);
        for (const Pod& pod : list) static_cast<void>(pod);
        return Again::when_changed();
      });
  EXPECT_EQ(record.code, Code::kInternal);
  EXPECT_EQ(record.error, "used a value that is not there: the informer has no index colour");
}

TEST_F(LookupTest, TheUseOfAResultWithoutAValueFailsTheSyncAndItIsTriedAgain) {
  EXPECT_EQ(sync([](const Informer<Pod>&, const Key&) -> Result<Again> {
              const Result<int> none = Status(Code::kConflict, "somebody was faster");
              return Again::after(std::chrono::seconds(*none));
            }).error,
            "used a value that is not there: somebody was faster");
  cluster_.advance(1s);
  EXPECT_EQ(cluster_.syncs().size(), 2u);
}

TEST_F(LookupTest, AnAbsentObjectAnElementBeyondTheEndAndAnOkStatusAreNoValues) {
  EXPECT_THAT(sync([](const Informer<Pod>& pods, const Key&) -> Result<Again> {
                return Again::after(std::chrono::seconds(pods.get("", "none")->name().size()));
              }).error,
              HasSubstr("the object is absent"));
  parts_.sync = [](const Informer<Pod>& pods, const Key&) -> Result<Again> {
    return Again::after(std::chrono::seconds(pods.list()[7].name().size()));
  };
  cluster_.advance(1s);
  EXPECT_THAT(cluster_.syncs().back().error, HasSubstr("beyond the end of a list"));
  parts_.sync = [](const Informer<Pod>&, const Key&) -> Result<Again> { return Status(); };
  cluster_.add(testing::PodBuilder("other"));
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.syncs().back().error, HasSubstr("a Result was made of an ok Status"));
}

TEST_F(LookupTest, AMistakeInAHandlerIsLoggedWithTheObjectAndTheNextChangesArrive) {
  parts_.handle = [](const Informer<Pod>& pods) {
    static_cast<void>(pods.get("default", "none")->name());
  };
  ASSERT_TRUE(start().ok());
  cluster_.add(testing::PodBuilder("web"));
  cluster_.run_until_idle();

  ASSERT_EQ(cluster_.log().size(), 1u);
  EXPECT_EQ(cluster_.log()[0].message, "controller code failed");
  EXPECT_THAT(cluster_.log()[0].fields,
              ElementsAre(Pair("where", "pods"),
                          Pair("error", "used a value that is not there: the object is absent"),
                          Pair("namespace", "default"), Pair("name", "web")));
  parts_.handle = nullptr;
  cluster_.add(testing::PodBuilder("other"));
  EXPECT_EQ(cluster_.run_until_idle(), 1u);
}

TEST_F(LookupTest, AMistakeInATimerInitOrProbeEndsNothing) {
  const Result<int> none = Status(Code::kNotFound, "nothing here");
  int fired = 0;
  parts_.timer = [&] {
    ++fired;
    static_cast<void>(*none);
  };
  parts_.health = [&]() -> Status { return Status(Code::kOk, std::to_string(*none)); };
  ASSERT_TRUE(start().ok());
  cluster_.advance(1s);
  cluster_.advance(1min);
  EXPECT_GT(fired, 1) << "fires again with back-off";

  const davit_controller raw = cluster_.raw_controller("parts");
  const auto* health = static_cast<const davit_health_v1*>(
      raw.capability(raw.self, nullptr, to_c("davit.health/1")));
  std::string text;
  const davit_sink sink = append_to(text);
  EXPECT_EQ(health->check(raw.self, nullptr, &sink), DAVIT_INTERNAL);

  parts_.init = [&](Context&, const Informer<Pod>&) { static_cast<void>(*none); };
  testing::Cluster second;
  EXPECT_THAT(second
                  .start("parts",
                         [this](Context& context) -> InitResult {
                           return std::unique_ptr<Controller>(
                               std::make_unique<PartsController>(context, parts_));
                         })
                  .message(),
              HasSubstr("nothing here"));
}

TEST(ProbeTest, AnExceptionInAProbeIsLoggedAndAnErrorIsItsResult) {
  static int lines = 0;
  davit_log_v1 log{};
  log.write = [](const davit_call*, std::int32_t level, davit_str, const davit_log_field* fields,
                 std::size_t) {
    EXPECT_EQ(level, DAVIT_LOG_ERROR);
    EXPECT_EQ(from_c(fields[1].value), "used a value that is not there: none");
    ++lines;
  };
  Api api;
  api.log = &log;
  api.error_text = [](const davit_call*, davit_str) {};
  davit_call call{};
  call.kind = DAVIT_CALL_PROBE;

  EXPECT_EQ(detail::guarded(api, &call, [] { return Status(Code::kInternal, "ill"); }),
            DAVIT_INTERNAL);
  EXPECT_EQ(lines, 0);
  EXPECT_EQ(detail::guarded(api, &call,
                            []() -> Status {
                              const Result<int> none = Status(Code::kNotFound, "none");
                              return {Code::kOk, std::to_string(*none)};
                            }),
            DAVIT_INTERNAL);
  EXPECT_EQ(lines, 1);
}

TEST_F(LookupTest, AKeyThatAQueueRefusesFailsTheSyncThatAddedIt) {
  const testing::SyncRecord& record =
      sync([](const Informer<Pod>& pods, const Key& key) -> Result<Again> {
        Queue(*pods.get(key)->value().api(), 4711).add(key);
        return Again::when_changed();
      });
  EXPECT_EQ(record.code, Code::kStale);
  EXPECT_EQ(record.error, "the host refused to add a key to a queue");
}

TEST_F(LookupTest, AKeyThatAQueueRefusesInAHandlerIsLogged) {
  parts_.handle = [](const Informer<Pod>& pods) {
    Queue(*pods.list()[0].value().api(), 4711).add_after(Key{"", "a"}, 1s);
  };
  ASSERT_TRUE(start().ok());
  cluster_.add(testing::PodBuilder("web"));
  cluster_.run_until_idle();
  ASSERT_EQ(cluster_.log().size(), 1u);
  EXPECT_EQ(cluster_.log()[0].fields[1].second,
            "the host refused to add a key to a queue after a delay");
}

TEST_F(LookupTest, AKeyAddedOutsideACallIsReportedOnStderr) {
  davit_queue_v1 table{};
  table.add = [](const davit_call*, davit_handle, davit_str) -> davit_code { return DAVIT_MISUSE; };
  Api api;
  api.queue = &table;
  ::testing::internal::CaptureStderr();
  Queue(api, 1).add(Key{"", "a"});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "davit: refused to add a key to a queue outside a call of the host: use a Waker\n");
}

}  // namespace
}  // namespace davit
