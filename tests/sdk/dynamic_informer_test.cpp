/// Informers that a controller opens and closes at run time, on the in-memory cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace davit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string widget(const std::string& ns, const std::string& name, const std::string& owner = "a") {
  return R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":")" + ns +
         R"(","name":")" + name + R"("},"spec":{"owner":")" + owner +
         R"(","tags":["red","round"]}})";
}

DynamicInformerOptions widgets() {
  return {.group = "example.com", .version = "v1", .resource = "widgets"};
}

/// Runs what the test asks for inside a sync, and notes what its informers deliver.
class Opener final : public Controller {
 public:
  using Work = std::function<void(Opener&)>;

  Opener(Context& context, std::shared_ptr<Work> work, std::vector<std::string>& seen)
      : context_(context),
        seen_(seen),
        queue_(context.open_queue({.name = "opener"}, [this, work](const Key&) -> Result<Again> {
          (*work)(*this);
          return Again::when_changed();
        })) {
    queue_.add(Key{"", "work"});
    context.start_timer({.period = std::chrono::seconds(1)}, [this] {
      queue_.add(Key{"", "work"});
    });
  }

  /// Opens it if this has not done so before.
  DynamicInformer& open(const std::string& name, DynamicInformerOptions options) {
    if (const auto found = informers_.find(name); found != informers_.end()) return found->second;
    options.wake = {queue_, {"", "work"}};
    Result<DynamicInformer> opened = context_.open_dynamic_informer(
        options, {.added = [this, name](const ObjectView& added) { note("+", name, added); },
                  .updated = [this, name](const ObjectView&,
                                          const ObjectView& now) { note("~", name, now); },
                  .deleted = [this, name](const ObjectView& gone) { note("-", name, gone); }});
    EXPECT_TRUE(opened) << opened.error().message();
    return informers_.emplace(name, *opened).first->second;
  }
  void close(const std::string& name) {
    informers_.at(name).close();
    informers_.erase(name);
  }
  Context& context() { return context_; }

 private:
  void note(std::string_view sign, const std::string& informer, const ObjectView& object) {
    seen_.push_back(std::string(sign) + informer + " " + object.key().text());
  }

  Context& context_;
  std::vector<std::string>& seen_;
  Queue queue_;
  std::map<std::string, DynamicInformer> informers_;
};

std::vector<std::string> keys(const List<ObjectView>& objects) {
  std::vector<std::string> out;
  for (const ObjectView& each : objects) out.push_back(each.key().text());
  return out;
}

class DynamicInformerTest : public ::testing::Test {
 protected:
  InitResult make(Context& context) {
    return std::unique_ptr<Controller>(std::make_unique<Opener>(context, work_, seen_));
  }
  void start(testing::Cluster& cluster) {
    const Status started =
        cluster.start("opener", [this](Context& context) { return make(context); });
    ASSERT_TRUE(started.ok()) << started.message();
    cluster.run_until_idle();
  }
  void start() { start(cluster_); }
  /// Does this in the next sync, and in all after it.
  void each_sync(Opener::Work work) { *work_ = std::move(work); }
  void in_sync(testing::Cluster& cluster, Opener::Work work) {
    bool is_done = false;
    each_sync([&](Opener& opener) {
      if (!is_done) work(opener);
      is_done = true;
    });
    cluster.advance(std::chrono::seconds(1));
    EXPECT_TRUE(is_done);
    each_sync([](Opener&) {});
  }
  void in_sync(Opener::Work work) { in_sync(cluster_, std::move(work)); }

  std::shared_ptr<Opener::Work> work_ = std::make_shared<Opener::Work>([](Opener&) {});
  std::vector<std::string> seen_;
  testing::Cluster cluster_;
};

TEST_F(DynamicInformerTest, AnInformerOpenedInASyncDeliversWhatThereIsAndWhatComes) {
  cluster_.add(widget("default", "a"));
  start();

  in_sync([](Opener& opener) { opener.open("w", widgets()); });
  EXPECT_THAT(seen_, ElementsAre("+w default/a"));
  cluster_.add(widget("other", "b"));
  cluster_.run_until_idle();

  EXPECT_THAT(seen_, ElementsAre("+w default/a", "+w other/b"));
  in_sync([](Opener& opener) {
    const DynamicInformer& informer = opener.open("w", widgets());
    EXPECT_TRUE(informer.synced().ok());
    EXPECT_THAT(keys(informer.list()), UnorderedElementsAre("default/a", "other/b"));
    EXPECT_THAT(keys(informer.in_namespace("other")), ElementsAre("other/b"));
    EXPECT_EQ(informer.get("other", "b")->value()["spec"]["owner"].string(), "a");
    EXPECT_FALSE(informer.get("other", "c"));
  });
}

TEST_F(DynamicInformerTest, AClosedInformerDeliversNothingAndReadsNothing) {
  cluster_.add(widget("default", "a"));
  start();
  in_sync([](Opener& opener) { opener.open("w", widgets()); });
  seen_.clear();

  in_sync([](Opener& opener) {
    const DynamicInformer informer = opener.open("w", widgets());
    opener.close("w");
    EXPECT_EQ(informer.synced().code(), Code::kStale);
    EXPECT_EQ(informer.get("default", "a").error().code(), Code::kStale);
    EXPECT_EQ(informer.list().error().code(), Code::kStale);
  });
  cluster_.add(widget("default", "b"));
  cluster_.run_until_idle();

  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(DynamicInformerTest, AnInformerThatAHandlerClosesDeliversNothingMore) {
  cluster_.add(widget("default", "a"));
  cluster_.add(widget("default", "b"));
  start();
  int calls = 0;

  in_sync([&](Opener& opener) {
    auto informer = std::make_shared<std::optional<DynamicInformer>>();
    Handlers<ObjectView> handlers;
    handlers.added = [&calls, informer](const ObjectView&) {
      ++calls;
      (*informer)->close();
    };
    *informer = *opener.context().open_dynamic_informer(widgets(), handlers);
  });

  EXPECT_EQ(calls, 1);
}

TEST_F(DynamicInformerTest, AMissingResourceDelaysNothingAndIsFollowedOnceItIsServed) {
  std::vector<Code> states;
  start();
  each_sync([&](Opener& opener) {
    const Code state = opener.open("w", widgets()).synced().code();
    if (states.empty() || states.back() != state) states.push_back(state);
  });
  cluster_.advance(std::chrono::seconds(1));
  EXPECT_EQ(states.back(), Code::kNotFound);

  cluster_.add(widget("default", "a"));
  cluster_.advance(std::chrono::minutes(1));

  EXPECT_EQ(states.back(), Code::kOk);
  EXPECT_THAT(seen_, ElementsAre("+w default/a"));
}

TEST_F(DynamicInformerTest, AResourceThatVanishesWhileWatchedIsReportedAndReturns) {
  cluster_.add(widget("default", "a"));
  std::vector<Code> states;
  start();
  each_sync([&](Opener& opener) {
    const Code state = opener.open("w", widgets()).synced().code();
    if (states.empty() || states.back() != state) states.push_back(state);
  });
  cluster_.advance(std::chrono::seconds(2));
  ASSERT_EQ(states.back(), Code::kOk);
  states.clear();
  seen_.clear();

  const std::string definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";
  const testing::RawReply deleted =
      cluster_.exchange({"DELETE", definition + "widgets.example.com"});
  ASSERT_EQ(deleted.http_status, 200) << deleted.body;
  cluster_.advance(std::chrono::minutes(1));
  EXPECT_THAT(states, ElementsAre(Code::kNotFound));

  cluster_.add(widget("default", "b"));
  cluster_.advance(std::chrono::minutes(1));
  EXPECT_THAT(states, ElementsAre(Code::kNotFound, Code::kOk));
  EXPECT_THAT(seen_, Contains("+w default/b"));
}

TEST_F(DynamicInformerTest, OneWakeUpReportsThatAnInformerIsSynced) {
  start();
  std::size_t synced = 0;
  each_sync([&](Opener& opener) {
    DynamicInformerOptions pods{.group = "", .version = "v1", .resource = "pods"};
    if (opener.open("p", pods).synced().ok()) ++synced;
  });
  cluster_.skip(std::chrono::seconds(1));

  cluster_.run_until_idle();

  EXPECT_GE(synced, 1U) << "no time has passed: only the wake-up can have caused this sync";
}

TEST_F(DynamicInformerTest, SelectorsAndNamespacesLimitWhatIsFollowed) {
  cluster_.add(testing::PodBuilder("a").label("app", "web"));
  cluster_.add(testing::PodBuilder("b"));
  cluster_.add(testing::PodBuilder("c").ns("other").label("app", "web"));
  start();

  in_sync([](Opener& opener) {
    DynamicInformerOptions pods{.group = "", .version = "v1", .resource = "pods"};
    pods.ns = "other";
    opener.open("ns", pods);
    pods.ns = {};
    pods.label_selector = "app=web";
    opener.open("label", pods);
    pods.label_selector = {};
    pods.field_selector = "metadata.name=b";
    opener.open("field", pods);
  });

  EXPECT_THAT(seen_, UnorderedElementsAre("+ns other/c", "+label default/a", "+label other/c",
                                          "+field default/b"));
}

TEST_F(DynamicInformerTest, MetadataAloneIsFetchedAndReadWhereThatIsAskedFor) {
  cluster_.add(testing::PodBuilder("a").label("app", "web"));
  start();
  in_sync([](Opener& opener) {
    DynamicInformerOptions pods{.group = "", .version = "v1", .resource = "pods"};
    pods.form = ObjectForm::kMetadata;
    opener.open("p", pods);
  });

  in_sync([](Opener& opener) {
    const auto pod = opener.open("p", {}).get("default", "a");
    ASSERT_TRUE(pod);
    EXPECT_EQ(pod->value()["metadata"]["labels"]["app"].string(), "web");
    EXPECT_TRUE(pod->value()["spec"].is_absent());
  });
  cluster_.add(testing::PodBuilder("b"));
  cluster_.run_until_idle();

  EXPECT_THAT(seen_, ElementsAre("+p default/a", "+p default/b"));
}

TEST_F(DynamicInformerTest, CompositeIndexesSelectByAllOfTheirPaths) {
  cluster_.add(widget("default", "a", "x"));
  cluster_.add(widget("default", "b", "y"));
  cluster_.add(widget("other", "c", "x"));
  start();
  in_sync([](Opener& opener) {
    DynamicInformerOptions options = widgets();
    options.indexes = {{"owner", {"metadata.namespace", "spec.owner"}},
                       {"tag", {"spec.owner", "spec.tags[]"}}};
    opener.open("w", options);
  });

  in_sync([](Opener& opener) {
    const DynamicInformer& informer = opener.open("w", {});
    EXPECT_THAT(keys(informer.select("owner", {"default", "x"})), ElementsAre("default/a"));
    EXPECT_THAT(keys(informer.select("owner", {"x", "default"})), IsEmpty());
    EXPECT_THAT(keys(informer.select("tag", {"x", "round"})),
                UnorderedElementsAre("default/a", "other/c"));
    EXPECT_EQ(informer.select("owner", {"x"}).error().code(), Code::kInvalid);
    EXPECT_EQ(informer.select("colour", {"x"}).error().code(), Code::kMisuse);
  });
}

TEST_F(DynamicInformerTest, AnotherBuildThatOpensTheSameCausesNoList) {
  cluster_.add(widget("default", "a"));
  start();
  each_sync([](Opener& opener) { opener.open("w", widgets()); });
  cluster_.advance(std::chrono::seconds(1));
  const auto lists = [&] { return cluster_.lists("widgets.example.com"); };
  ASSERT_EQ(lists(), 1);
  seen_.clear();

  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(cluster_.swap("opener", [this](Context& context) { return make(context); }).ok());
    cluster_.advance(std::chrono::seconds(1));
  }

  EXPECT_EQ(lists(), 1);
  EXPECT_EQ(seen_.size(), 100U) << "each build's handlers got the content";
}

TEST_F(DynamicInformerTest, AnUnusedInformerIsReleasedAfterAWhile) {
  cluster_.add(widget("default", "a"));
  start();
  in_sync([](Opener& opener) { opener.open("w", widgets()); });
  in_sync([](Opener& opener) { opener.close("w"); });

  cluster_.advance(std::chrono::minutes(2));
  in_sync([](Opener& opener) { opener.open("w", widgets()); });

  EXPECT_EQ(cluster_.lists("widgets.example.com"), 2);
}

TEST_F(DynamicInformerTest, ARuleOfTheNoteMustAllowListAndWatch) {
  testing::Cluster cluster({.note = R"({"name":"opener","version":"1","abi":"1.0","requires":[],
      "build":"","controllers":[{"name":"opener","workers":1,"rules":[
        {"group":"example.com","resource":"widgets","verbs":["list","watch"]},
        {"group":"","resource":"pods","verbs":["list"]}],
        "watches":[{"group":"","version":"v1","resource":"nodes"}]}]})"});
  start(cluster);

  in_sync(cluster, [](Opener& opener) {
    const auto code = [&](std::string_view group, std::string_view resource) {
      return opener.context()
          .open_dynamic_informer({.group = group, .version = "v1", .resource = resource})
          .error()
          .code();
    };
    EXPECT_EQ(code("example.com", "widgets"), Code::kOk);
    EXPECT_EQ(code("", "nodes"), Code::kOk);
    EXPECT_EQ(code("", "pods"), Code::kUndeclared);
    EXPECT_EQ(code("", "secrets"), Code::kUndeclared);
  });

  EXPECT_THAT(cluster.violations(),
              Contains(HasSubstr(R"("rules" need {"group":"","resource":"secrets",)"
                                 R"("verbs":["list","watch"]})")));
}

TEST_F(DynamicInformerTest, InformersOpenedInALoopMeetALimitAndMalformedOnesAreRefused) {
  start();

  in_sync([](Opener& opener) {
    Context& context = opener.context();
    DynamicInformerOptions options{.group = "", .version = "v1", .resource = "pods/../x"};
    EXPECT_EQ(context.open_dynamic_informer(options).error().code(), Code::kInvalid);
    options.resource = "pods";
    options.indexes = {{"bad", {"a[]", "b[]"}}};
    EXPECT_EQ(context.open_dynamic_informer(options).error().code(), Code::kInvalid);
    options.indexes = {};
    constexpr int kOpenMax = 16'384;  // For built-in kinds (docs/ABI.md).
    for (int i = 0; i < kOpenMax; ++i) ASSERT_TRUE(context.open_dynamic_informer(options));
    EXPECT_EQ(context.open_dynamic_informer(options).error().code(), Code::kUnsupported);
  });
}

}  // namespace
}  // namespace davit
