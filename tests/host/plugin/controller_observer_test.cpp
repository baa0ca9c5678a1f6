/// ControllerObserver: the actions of a controller, and of one that may do everything.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecordingObserver final : public ControllerObserver {
 public:
  void synced(std::string_view controller, std::string_view key,
              const SyncOutcome& outcome) override {
    lines.push(std::string(controller) + " synced " + std::string(key) +
               (outcome.code == DAVIT_OK ? "" : ": " + std::to_string(outcome.code)));
  }
  void logged(std::int32_t level, std::string_view message,
              std::span<const LogPair> fields) override {
    lines.push("logged " + std::to_string(level) + ' ' + std::string(message) + ' ' +
               std::to_string(fields.size()));
  }
  void recorded(const Reference& regarding, std::string_view type, std::string_view reason,
                std::string_view message) override {
    lines.push("recorded " + regarding.name + ' ' + std::string(type) + ' ' + std::string(reason) +
               ' ' + std::string(message));
  }
  void measured(std::string_view metric, double value,
                std::span<const std::string_view> labels) override {
    lines.push("measured " + std::string(metric) + ' ' + std::to_string(static_cast<int>(value)) +
               ' ' + std::to_string(labels.size()));
  }
  void refused(std::string_view controller, std::string_view why) override {
    lines.push(std::string(controller) + " refused: " + std::string(why));
  }

  test::Collector<std::string> lines;
};

class ControllerObserverTest : public ControllerHostTest {
 protected:
  ControllerObserverTest() { observer_ = &seen_; }

  davit_code create_secret() {
    davit_request request = pod_request(DAVIT_CREATE);
    request.resource = str("secrets");
    request.body = str("{}");
    davit_response response{};
    response.size = sizeof(response);
    return inside(Phase::kSync,
                  [&] { return tables_.client->call(current_call, &request, &response); });
  }

  RecordingObserver seen_;
};

TEST_F(ControllerObserverTest, HearsOfEachSyncAndOfItsFailure) {
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue([](davit_str key, davit_sync_result&) {
      return view(key) == "default/bad" ? davit_code{DAVIT_INVALID} : davit_code{DAVIT_OK};
    });
  });
  commit();
  run();

  add(queue, "default/good");
  EXPECT_THAT(seen_.lines.await(1), ElementsAre("sample-controller synced default/good"));
  add(queue, "default/bad");
  EXPECT_THAT(seen_.lines.await(2).back(), HasSubstr("sample-controller synced default/bad: 4"));
}

TEST_F(ControllerObserverTest, HearsOfLogLinesEventsAndMetrics) {
  make();
  const davit_str label = str("kind");
  inside(Phase::kInit, [&] {
    davit_metric_options options{};
    options.size = sizeof(options);
    options.type = DAVIT_METRIC_COUNTER;
    options.name = str("sample_things_total");
    options.labels = &label;
    options.label_count = 1;
    davit_handle metric = 0;
    ASSERT_EQ(tables_.metric->open(current_call, &options, &metric), DAVIT_OK);
    EXPECT_EQ(tables_.metric->record(current_call, metric, 2, &label, 1), DAVIT_OK);
  });
  inside(Phase::kSync, [&] {
    const davit_log_field field{str("pod"), str("web")};
    tables_.log->write(current_call, DAVIT_LOG_WARNING, str("Odd"), &field, 1);
    davit_reference about{};
    about.size = sizeof(about);
    about.name = str("web");
    EXPECT_EQ(
        tables_.event->record(current_call, &about, str("Normal"), str("Done"), str("all of it")),
        DAVIT_OK);
  });

  EXPECT_THAT(seen_.lines.entries(),
              ElementsAre("measured sample_things_total 2 1", "logged -1 Odd 1",
                          "recorded web Normal Done all of it"));
}

TEST_F(ControllerObserverTest, HearsOfARequestThatTheNoteDoesNotDeclare) {
  make();
  EXPECT_EQ(create_secret(), DAVIT_UNDECLARED);
  EXPECT_THAT(seen_.lines.entries(),
              ElementsAre(AllOf(HasSubstr("sample-controller refused: "), HasSubstr("secrets"))));
}

TEST_F(ControllerObserverTest, AControllerWithoutLimitsMaySendWhatItsNoteDoesNotDeclare) {
  ControllerHostOptions unlimited = options();
  unlimited.declared.is_unlimited = true;
  make(std::move(unlimited));
  transport_.set_script(fitting_response);

  EXPECT_EQ(create_secret(), DAVIT_OK);
  EXPECT_TRUE(seen_.lines.entries().empty());
}

}  // namespace
}  // namespace davit::host
