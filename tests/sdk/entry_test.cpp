#include <gtest/gtest.h>

#include <chrono>
#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <stdexcept>
#include <string>

namespace davit {
namespace {

using namespace std::chrono_literals;

/// A controller whose sync the test supplies.
class Scripted : public Controller {
 public:
  explicit Scripted(Context& context)
      : queue_(context.open_queue({.name = "scripted", .retries_max = 2},
                                  [this](const Key& key) { return sync(key); })),
        pods_(context.open_informer<Pod>({.added = [this](const Pod& pod) {
          if (pod.name() == "bad-handler") {
            throw std::runtime_error("handler broke");
          }
          queue_.add(pod);
        }})) {}

  [[nodiscard]] Status health() const override { return Status(Code::kInternal, "feeling ill"); }
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override {
    if (path == "throw") throw std::runtime_error("debug broke");
    if (path != "page") return Status(Code::kNotFound, "no such page");
    return DebugPage{.body = "query " + std::string(query), .content_type = "application/json"};
  }

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const {
    if (key.name == "throws") throw std::runtime_error("sync broke");
    if (key.name == "throws-int") throw 7;
    if (key.name == "fails") return Status(Code::kConflict, "try again");
    if (key.name == "later") return Again::after(1500us);
    if (key.name == "undeclared") {
      static_cast<void>(pods_.get(key)->spec()[&Names::node_name].string());
    }
    return Again::when_changed();
  }

  Queue queue_;
  Informer<Pod> pods_;
};

constexpr const char* kEntryNote = R"({"name":"scripted","version":"1","abi":"1.0",
  "controllers":[{"name":"scripted","watches":[
  {"group":"","version":"v1","resource":"pods","projection":["metadata.labels"]}]}]})";

class EntryTest : public ::testing::Test {
 protected:
  const testing::SyncRecord& sync(std::string_view name) {
    if (cluster_.syncs().empty()) {
      EXPECT_TRUE(cluster_.start("scripted", &make<Scripted>).ok());
    }
    cluster_.add(testing::PodBuilder(name));
    cluster_.run_until_idle();
    return cluster_.syncs().back();
  }
  testing::Cluster cluster_{{.note = kEntryNote}};
};

TEST_F(EntryTest, WhatASyncThrowsBecomesAnErrorOfItsKey) {
  EXPECT_EQ(sync("throws").code, Code::kInternal);
  EXPECT_EQ(cluster_.syncs().back().error, "sync broke");
  EXPECT_EQ(sync("throws-int").error,
            "the controller threw something that is not a std::exception");
}

TEST_F(EntryTest, ErrorsArriveWithCodeAndText) {
  EXPECT_EQ(sync("fails").code, Code::kConflict);
  EXPECT_EQ(cluster_.syncs().back().error, "try again");
}

TEST_F(EntryTest, FailingKeysBackOffAndAreDroppedAfterTheLastRetry) {
  sync("fails");
  EXPECT_EQ(cluster_.next_due_in(), 5ms);

  cluster_.advance(1h);

  EXPECT_EQ(cluster_.syncs().size(), 3u);  // The first try and two more.
}

TEST_F(EntryTest, DelaysAreRoundedUpToMilliseconds) {
  EXPECT_EQ(sync("later").again_ms, 2u);
  EXPECT_EQ(Again::after(-1s).after_ms(), 1u);
  EXPECT_EQ(Again::when_changed().after_ms(), 0u);
}

TEST_F(EntryTest, ReadsOutsideTheProjectionFailTheSync) {
  EXPECT_EQ(sync("undeclared").code, Code::kUndeclared);
  EXPECT_EQ(
      cluster_.syncs().back().error,
      R"(read a field outside the projection that the plugin declares: the note of scripted lets )"
      R"(it read no "spec" of pods: add it to "projection" of that watch)");
  EXPECT_TRUE(sync("fine").ok());
}

TEST_F(EntryTest, WhatAHandlerThrowsIsLogged) {
  ASSERT_TRUE(cluster_.start("scripted", &make<Scripted>).ok());
  cluster_.add(testing::PodBuilder("bad-handler"));
  cluster_.add(testing::PodBuilder("fine"));

  EXPECT_EQ(cluster_.run_until_idle(), 1u);

  ASSERT_EQ(cluster_.log().size(), 1u);
  EXPECT_EQ(cluster_.log()[0].level, DAVIT_LOG_ERROR);
  EXPECT_EQ(cluster_.log()[0].fields[1].second, "handler broke");
}

TEST_F(EntryTest, AFactoryThatThrowsOrFailsIsAFailedInit) {
  const Status threw =
      cluster_.start("scripted", [](Context&) -> InitResult { throw std::runtime_error("no"); });
  const Status failed = cluster_.start(
      "scripted", [](Context&) -> InitResult { return Status(Code::kInternal, "cannot"); });

  EXPECT_EQ(threw.message(), "no");
  EXPECT_EQ(failed.message(), "cannot");
  EXPECT_EQ(failed.code(), Code::kInternal);
}

TEST_F(EntryTest, SkippingIsNotAnError) {
  const Status skipped = cluster_.start("scripted", [](Context& context) -> InitResult {
    return context.skip("not on this server");
  });

  EXPECT_EQ(skipped.code(), Code::kUnsupported);
  EXPECT_EQ(skipped.message(), "not on this server");
}

TEST_F(EntryTest, ARefusedOpenStopsTheStart) {
  testing::Cluster cluster({.note = R"({"name":"scripted","version":"1","abi":"1.0",
      "controllers":[{"name":"scripted"}]})"});

  const Status status = cluster.start("scripted", &make<Scripted>);

  EXPECT_EQ(status.message(),
            R"(the host refused to open informer pods: not in the note: the note declares no )"
            R"(watch of pods with this group, version and selectors: "watches" of scripted needs )"
            R"(an entry {"group":"","version":"v1","resource":"pods"})");
  EXPECT_EQ(cluster.violations().size(), 1u);
}

TEST_F(EntryTest, AMissingCapabilityStopsTheStart) {
  davit_context context{};
  context.size = sizeof(context);
  context.capability = [](const davit_call*, davit_str) -> const void* { return nullptr; };
  Context sdk(context);

  EXPECT_EQ(sdk.status().message(), "the host lacks the capability davit.object/1");
}

TEST_F(EntryTest, HealthAndDebugAreOptionalSidesOfTheController) {
  ASSERT_TRUE(cluster_.start("scripted", &make<Scripted>).ok());
  const davit_controller raw = cluster_.raw_controller("scripted");
  const auto side = [&raw](std::string_view id) {
    return raw.capability(raw.self, nullptr, to_c(id));
  };
  std::string text;
  const davit_sink sink = append_to(text);

  const auto* health = static_cast<const davit_health_v1*>(side("davit.health/1"));
  EXPECT_EQ(health->check(raw.self, nullptr, &sink), DAVIT_INTERNAL);
  EXPECT_EQ(text, "feeling ill");

  text.clear();
  std::string type;
  const davit_page page = {sizeof(davit_page), 0, &type, &sink,
                           [](void* self, std::int32_t http_status, davit_str content_type) {
                             *static_cast<std::string*>(self) = std::to_string(http_status) + " " +
                                                                std::string(from_c(content_type));
                             return davit_code{DAVIT_OK};
                           }};
  const auto* debug = static_cast<const davit_debug_v1*>(side("davit.debug/1"));
  EXPECT_EQ(debug->serve(raw.self, nullptr, to_c("page"), to_c("a=b"), &page), DAVIT_OK);
  EXPECT_EQ(text, "query a=b");
  EXPECT_EQ(type, "200 application/json");
  EXPECT_EQ(debug->serve(raw.self, nullptr, to_c("other"), {}, &page), DAVIT_NOT_FOUND);
  EXPECT_EQ(debug->serve(raw.self, nullptr, to_c("throw"), {}, &page), DAVIT_INTERNAL);
  EXPECT_EQ(side("davit.unheard/1"), nullptr);
}

/// A controller that takes a limit while it runs, and everything else at its start.
class Limited : public Controller {
 public:
  explicit Limited(Context& context)
      : context_(context), limit_(context.config()["limit"].integer().value_or(0)) {}

  [[nodiscard]] Status configure(const Value& config) override {
    if (!config["name"].is_absent()) return Status(Code::kUnsupported, "another name is a start");
    const std::optional<std::int64_t> limit = config["limit"].integer();
    if (!limit) return Status(Code::kInvalid, "limit is no number");
    limit_ = *limit;
    return {};
  }
  [[nodiscard]] Result<DebugPage> debug(std::string_view, std::string_view) const override {
    return DebugPage{.body = std::to_string(limit_) + " of " + context_.config().json()};
  }

 private:
  const Context& context_;
  std::int64_t limit_;
};

TEST(ConfigureTest, ControllerTakesOrRefusesAConfigurationWhileItRuns) {
  testing::Cluster cluster;
  const auto make_limited = [](Context& context) { return make<Limited>(context); };
  ASSERT_TRUE(cluster.start("limited", make_limited, R"({"limit":1})").ok());

  EXPECT_TRUE(cluster.configure("limited", R"({"limit":2})").ok());
  EXPECT_EQ(cluster.debug_page("limited", "")->body, R"(2 of {"limit":2})");

  const Status refused = cluster.configure("limited", R"({"limit":"a"})");
  EXPECT_EQ(refused.code(), Code::kInvalid);
  EXPECT_EQ(refused.message(), "limit is no number");
  EXPECT_EQ(cluster.configure("limited", R"({"name":"a"})").code(), Code::kUnsupported);
  EXPECT_EQ(cluster.debug_page("limited", "")->body, R"(2 of {"limit":2})");
}

TEST(ConfigureTest, ControllerThatSaysNothingTakesItAtItsStartOnly) {
  testing::Cluster cluster;
  ASSERT_TRUE(cluster.start("scripted", &make<Scripted>).ok());
  EXPECT_EQ(cluster.configure("scripted", R"({"limit":2})").code(), Code::kUnsupported);
}

}  // namespace
}  // namespace davit
