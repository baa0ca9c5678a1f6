#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ControllerInitTest = ControllerHostTest;

TEST_F(ControllerInitTest, InitFuncSeesItsNameTheAbiAndTheTables) {
  const auto result = init([&](const davit_context& context, davit_controller& out) {
    EXPECT_EQ(context.size, sizeof(davit_context));
    EXPECT_EQ(context.abi_major, DAVIT_ABI_MAJOR);
    EXPECT_EQ(context.abi_minor, DAVIT_ABI_MINOR);
    EXPECT_EQ(current_call, current_call);
    EXPECT_EQ(view(context.controller), "sample-controller");
    EXPECT_EQ(context.capability(current_call, str("davit.queue/1")), tables_.queue);
    EXPECT_EQ(context.capability(current_call, str("davit.queue/2")), nullptr);
    EXPECT_EQ(context.capability(nullptr, davit_str{nullptr, 5}), nullptr);
    EXPECT_EQ(out.size, sizeof(davit_controller));
    return DAVIT_STARTED;
  });
  EXPECT_EQ(result.outcome, Outcome::kStarted);
}

TEST_F(ControllerInitTest, ControllerWithoutTheConfigurationOfItsNoteIsNotCalled) {
  ControllerHostOptions made = options();
  made.declared.watches[0].label_selector_from = {"labels", false};
  make(made);

  const auto result = init([](const davit_context&, davit_controller&) {
    ADD_FAILURE() << "its InitFunc ran";
    return DAVIT_STARTED;
  });

  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.reason,
            "config.labels is missing: the plugin's note takes labelSelector of the watch of pods "
            "from it");
}

TEST_F(ControllerInitTest, InformerHasTheSelectorThatTheConfigurationGives) {
  ControllerHostOptions made = options();
  made.declared.watches[0].label_selector_from = {"labels", false};
  made.config = R"({"labels":"app=web"})";
  make(made);
  davit_informer_options pods{};
  pods.size = sizeof(pods);
  pods.version = str("v1");
  pods.resource = str("pods");
  const auto result = init([&](const davit_context&, davit_controller&) {
    davit_handle handle = 0;
    pods.label_selector = str("app=shop");
    EXPECT_EQ(tables_.informer->open(current_call, &pods, &handle), DAVIT_UNDECLARED);
    pods.label_selector = str("app=web");
    EXPECT_EQ(tables_.informer->open(current_call, &pods, &handle), DAVIT_OK);
    return DAVIT_STARTED;
  });
  EXPECT_EQ(result.outcome, Outcome::kStarted) << result.reason;
}

TEST_F(ControllerInitTest, WatchOfSomeNamespacesIsNotOneOfAll) {
  ControllerHostOptions made = options();
  made.declared.watches[0].namespaces = {"a"};
  make(made);
  davit_informer_options pods{};
  pods.size = sizeof(pods);
  pods.version = str("v1");
  pods.resource = str("pods");
  const auto result = init([&](const davit_context&, davit_controller&) {
    davit_handle handle = 0;
    EXPECT_EQ(tables_.informer->open(current_call, &pods, &handle), DAVIT_UNDECLARED);
    return DAVIT_FAILED;
  });
  EXPECT_THAT(result.reason, HasSubstr("but only of namespace a"));
}

struct AnswerCase {
  const char* name;
  std::int32_t answer;
  const char* error_text;
  InitOutcome outcome;
  const char* reason;
};

constexpr AnswerCase kAnswerCases[] = {
    {"Started", DAVIT_STARTED, "", InitOutcome::kStarted, ""},
    {"StartedForgetsText", DAVIT_STARTED, "harmless", InitOutcome::kStarted, ""},
    {"Skipped", DAVIT_SKIPPED, "", InitOutcome::kSkipped, ""},
    {"SkippedWithReason", DAVIT_SKIPPED, "no leases", InitOutcome::kSkipped, "no leases"},
    {"Failed", DAVIT_FAILED, "", InitOutcome::kFailed, "it gave no reason"},
    {"FailedWithReason", DAVIT_FAILED, "broken", InitOutcome::kFailed, "broken"},
    {"Nonsense", 77, "", InitOutcome::kFailed,
     "it returned 77, which is not STARTED, SKIPPED or FAILED"},
    {"NonsenseWithReason", -1, "broken", InitOutcome::kFailed, "broken"},
};

TEST_F(ControllerInitTest, EachResponseIsUnderstood) {
  for (const AnswerCase& each : kAnswerCases) {
    SCOPED_TRACE(each.name);
    make();
    const auto result = init([&](const davit_context& context, davit_controller&) {
      if (*each.error_text != '\0') {
        context.error_text(current_call, str("overwritten"));
        context.error_text(current_call, str(each.error_text));
      }
      return each.answer;
    });
    EXPECT_EQ(result.outcome, each.outcome);
    EXPECT_EQ(result.reason, each.reason);
  }
}

TEST_F(ControllerInitTest, ExceptionsAreFailures) {
  auto result = init([](const davit_context&, davit_controller&) -> std::int32_t {
    throw std::runtime_error("no memory");
  });
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.reason, "the plugin threw an exception: no memory");

  make();
  result = init([](const davit_context&, davit_controller&) -> std::int32_t { throw 7; });
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.reason, "the plugin threw an exception that is not a std::exception");
}

TEST_F(ControllerInitTest, MissingInitFuncIsAFailure) {
  make();
  EXPECT_EQ(host_->init(nullptr).outcome, Outcome::kFailed);
}

TEST_F(ControllerInitTest, NothingIsLeftBehindUnlessItStarts) {
  static int destroyed = 0;
  destroyed = 0;
  for (const std::int32_t answer : {std::int32_t{DAVIT_SKIPPED}, std::int32_t{DAVIT_FAILED}}) {
    make();
    (void)init([&](const davit_context&, davit_controller& out) {
      open_informer("", "pods");
      open_queue();
      out.destroy = [](void*, const davit_call*) { ++destroyed; };
      out.capability = [](void*, const davit_call*, davit_str) -> const void* { throw 1; };
      return answer;
    });
    EXPECT_THAT(informers_.informers(), IsEmpty());
    EXPECT_TRUE(host_->health().ok());
    EXPECT_FALSE(host_->plugin().has_debug_page());
    host_.reset();
    EXPECT_EQ(destroyed, 0) << "the plugin cleans up itself what it did not hand over";
  }
}

TEST_F(ControllerInitTest, RefusedWatchNamesTheEntryThatTheNoteLacks) {
  davit_informer_options options{};
  options.size = sizeof(options);
  options.version = str("v1");
  options.resource = str("pods");
  options.field_selector = str("metadata.name=web");
  const auto result = init([&](const davit_context& context, davit_controller&) {
    davit_handle handle = 0;
    EXPECT_EQ(tables_.informer->open(current_call, &options, &handle), DAVIT_UNDECLARED);
    context.error_text(current_call, str("cannot open the informer"));
    return DAVIT_FAILED;
  });
  EXPECT_EQ(result.reason,
            "cannot open the informer: the note declares no watch of pods with this group, version "
            R"(and selectors: "watches" of sample-controller needs an entry )"
            R"({"group":"","version":"v1","resource":"pods","fieldSelector":"metadata.name=web"}; )"
            R"(it has one with version "v1", fieldSelector "" and labelSelector "")");
}

TEST_F(ControllerInitTest, RefusedWatchOfEverythingIsNotAdvisedToTakeEverything) {
  ControllerHostOptions made = options();
  made.declared.watches = {{"", "v1", "secrets", {}, "", "metadata.name=tls"},
                           {"", "v1", "secrets", {}, "", "", {"shop"}}};
  make(std::move(made));
  davit_informer_options options{};
  options.size = sizeof(options);
  options.version = str("v1");
  options.resource = str("secrets");
  const auto result = init([&](const davit_context&, davit_controller&) {
    davit_handle handle = 0;
    EXPECT_EQ(tables_.informer->open(current_call, &options, &handle), DAVIT_UNDECLARED);
    return DAVIT_FAILED;
  });
  EXPECT_THAT(result.reason, Not(HasSubstr("needs an entry")));
  EXPECT_THAT(
      result.reason,
      HasSubstr(R"("watches" of sample-controller have one with version "v1", fieldSelector )"
                R"("metadata.name=tls" and labelSelector "": open the informer with these )"
                R"(selectors; and one with version "v1", fieldSelector "" and labelSelector "", )"
                R"(but only of namespace shop: open a dynamic informer of a namespace for it)"));
}

TEST_F(ControllerInitTest, InformersAppearWithTheCommit) {
  start_with([&] {
    open_informer("", "pods");
    open_informer("apps", "replicasets");
    open_informer("apps", "replicasets");
  });
  EXPECT_THAT(informers_.informers(), IsEmpty());

  ASSERT_TRUE(host_->commit().ok());

  ASSERT_EQ(informers_.informers().size(), 2u) << "one informer serves both";
  EXPECT_EQ(informers_.informers()[0]->spec().projection, declared().watches[0].projection);
  EXPECT_EQ(informers_.informers()[1]->spec().projection, std::nullopt);
}

TEST_F(ControllerInitTest, ControllerWithoutAnySideIsComplete) {
  start_with([] {});
  commit();
  run();
  EXPECT_TRUE(host_->health().ok());
  EXPECT_FALSE(host_->plugin().has_debug_page());
  EXPECT_EQ(host_->plugin().debug_page("", "").error().code(), Code::kNotFound);
}

TEST_F(ControllerInitTest, DestroyIsCalledOnceWithItsSelfAndMayUseTheHost) {
  struct Self {
    const Tables* tables;
    davit_handle queue;
    davit_handle timer;
    int destroyed;
  } self{&tables_, 0, 0, 0};
  (void)init([&](const davit_context&, davit_controller& out) {
    self.queue = open_queue();
    davit_timer_options timer{};
    timer.size = sizeof(timer);
    timer.first_ms = 1000;
    timer.fire = [](void*, const davit_call*, davit_sync_result*) { return davit_code{DAVIT_OK}; };
    EXPECT_EQ(tables_.timer->start(current_call, &timer, &self.timer), DAVIT_OK);
    out.self = &self;
    out.destroy = [](void* raw, const davit_call* call) {
      auto& me = *static_cast<Self*>(raw);
      ++me.destroyed;
      const Tables& tables = *me.tables;
      EXPECT_EQ(tables.queue->add(call, me.queue, str("late")), DAVIT_OK) << "and dropped";
      EXPECT_EQ(tables.queue->failures(call, me.queue, str("late")), 0u);
      EXPECT_EQ(tables.timer->stop(call, me.timer), DAVIT_OK);
      tables.log->write(call, 0, str("Bye"), nullptr, 0);
    };
    return DAVIT_STARTED;
  });
  commit();
  run();
  ASSERT_TRUE(host_->stop({Time::max(), Time::max()}));
  EXPECT_EQ(self.destroyed, 0);

  host_.reset();

  EXPECT_EQ(self.destroyed, 1);
  EXPECT_THAT(log_.lines(), Contains("I0 sample-controller: Bye"));
}

TEST_F(ControllerInitTest, ThrowingDestroyIsLogged) {
  (void)init([](const davit_context&, davit_controller& out) {
    out.destroy = [](void*, const davit_call*) { throw std::runtime_error("stuck"); };
    return DAVIT_STARTED;
  });
  host_.reset();
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("The plugin failed to destroy a controller")));
}

TEST_F(ControllerInitTest, ConfigIsAValueDuringInitAndLater) {
  ControllerHostOptions with_config = options();
  with_config.config = R"({"burst":500})";
  make(std::move(with_config));
  start_with(
      [&] { EXPECT_EQ(Value(tables_.config->value(current_call))["burst"].integer(), 500); });
  inside(Phase::kSync,
         [&] { EXPECT_EQ(Value(tables_.config->value(current_call))["burst"].integer(), 500); });
}

TEST_F(ControllerInitTest, MissingConfigIsAbsentAndAMalformedOneFails) {
  start_with([&] {
    EXPECT_EQ(tables_.object->kind(tables_.config->value(current_call)), DAVIT_KIND_ABSENT);
    EXPECT_EQ(tables_.object->kind(tables_.config->value(nullptr)), DAVIT_KIND_ABSENT);
  });

  ControllerHostOptions with_config = options();
  with_config.config = "[1]";
  make(std::move(with_config));
  const auto result = init([](const davit_context&, davit_controller&) {
    ADD_FAILURE() << "must not be called";
    return DAVIT_STARTED;
  });
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.reason, HasSubstr("config: "));
}

}  // namespace
}  // namespace davit::host
