#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <davit/testing/cluster.hpp>
#include <davit/watch.hpp>
#include <davit/writes.hpp>
#include <vector>

#include "gadget.hpp"

namespace davit {
namespace {

using test::v1::Gadget;
using test::v1::GadgetDraft;
using test::v1::GadgetStatusDraft;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Key kGadget{"default", "one"};

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};
struct ConfigMapDraft {
  using View = ConfigMap;

  draft::Metadata metadata = {};
  draft::Map<draft::Text> data = {};

  template <typename Visitor>
  void each_field(Visitor& visitor) const {
    visitor("metadata", metadata);
    visitor("data", data);
  }
};

/// Calls a function of the test in the sync of a gadget.
class Scripted final : public Controller {
 public:
  struct Seen {
    const Context& context;
    Lookup<Gadget> gadget;
    Lookup<ConfigMap> map;  ///< Has the gadget's name.
  };
  using Script = std::function<Status(const Seen&)>;

  Scripted(Context& context, const Script& script)
      : queue_(context.open_queue(
            {.name = "scripted"},
            [this, &context, &script](const Key& key) -> Result<Again> {
              const Status status = script({context, gadgets_.get(key), maps_.get(key)});
              if (!status.ok()) return status;
              return Again::when_changed();
            })),
        gadgets_(reconciles<Gadget>(context, queue_)),
        maps_(context.open_informer<ConfigMap>()) {}

 private:
  Queue queue_;
  Informer<Gadget> gadgets_;
  Informer<ConfigMap> maps_;
};

class WritesTest : public ::testing::Test {
 protected:
  WritesTest() {
    cluster_.add(
        json_of(GadgetDraft{.metadata = {.name = "one", .ns = "default"}, .spec = {.size = 1}}));
  }

  /// Runs `script` in one sync of the gadget, and again whenever it changes.
  void run(Scripted::Script script) {
    script_ = std::move(script);
    if (!started_) {
      const Status status = cluster_.start("scripted", [this](Context& context) -> InitResult {
        return std::unique_ptr<Controller>(std::make_unique<Scripted>(context, script_));
      });
      ASSERT_TRUE(status.ok()) << status.message();
      started_ = true;
    } else {
      cluster_.resync("gadgets");
    }
    cluster_.clear_records();
    cluster_.run_until_idle();
  }
  std::vector<std::string> writes() {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
    return out;
  }
  std::string errors() {
    std::string out;
    for (const testing::SyncRecord& each : cluster_.syncs()) out += each.error;
    return out;
  }

  testing::Cluster cluster_;
  Scripted::Script script_;
  bool started_ = false;
};

Status bring_map(const Scripted::Seen& seen, std::string_view text, Written& written) {
  const ConfigMapDraft wanted{.metadata = {.name = "one",
                                           .ns = "default",
                                           .labels = {{"app", "gadget"}},
                                           .owners = {controller_of(*seen.gadget)},
                                           .finalizers = {"test.davit.dev/held"}},
                              .data = {{"text", text}}};
  const Result<Written> result = create_or_patch(seen.context, seen.map, wanted);
  if (result) written = *result;
  return result.error();
}

TEST_F(WritesTest, CreateOrPatchCreatesThenPatchesThenRests) {
  Written written = Written::kNothing;
  run([&](const auto& seen) { return bring_map(seen, "a", written); });
  EXPECT_THAT(writes(), ElementsAre("create configmaps/one 201"));
  EXPECT_EQ(written, Written::kCreated);
  EXPECT_TRUE(cluster_.find<ConfigMap>(kGadget)->is_controlled_by(*cluster_.find<Gadget>(kGadget)));

  run([&](const auto& seen) { return bring_map(seen, "b", written); });
  EXPECT_THAT(writes(), ElementsAre("patch configmaps/one 200"));
  EXPECT_EQ(written, Written::kPatched);
  EXPECT_EQ(cluster_.find<ConfigMap>(kGadget)->value()["data"]["text"].string(), "b");

  run([&](const auto& seen) { return bring_map(seen, "b", written); });
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_EQ(written, Written::kNothing);
}

TEST_F(WritesTest, CreateOrPatchKeepsOwnersFinalizersAndLabelsOfOthers) {
  cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one",
    "namespace":"default","labels":{"other":"label"},"finalizers":["test.davit.dev/other"],
    "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p"}]}})");
  Written written = Written::kNothing;

  run([&](const auto& seen) { return bring_map(seen, "a", written); });

  EXPECT_EQ(written, Written::kPatched) << errors();
  const ConfigMap map = *cluster_.find<ConfigMap>(kGadget);
  EXPECT_EQ(map.label("other"), "label");
  EXPECT_EQ(map.label("app"), "gadget");
  EXPECT_TRUE(map.has_finalizer("test.davit.dev/other"));
  EXPECT_TRUE(map.has_finalizer("test.davit.dev/held"));
  EXPECT_EQ(map.owner_references().count(), 2U);
}

TEST_F(WritesTest, CreateOrPatchLosesNoFinalizerThatSomebodyAddedMeanwhile) {
  cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one",
    "namespace":"default"}})");
  bool raced = false;
  cluster_.on_request([&](const testing::RequestRecord&) {
    if (std::exchange(raced, true)) return;
    cluster_.merge<ConfigMap>(kGadget, R"({"metadata":{"finalizers":["test.davit.dev/other"]}})");
  });
  Written written = Written::kNothing;

  run([&](const auto& seen) { return bring_map(seen, "a", written); });
  cluster_.advance(std::chrono::seconds(1));

  EXPECT_TRUE(cluster_.find<ConfigMap>(kGadget)->has_finalizer("test.davit.dev/other"));
  EXPECT_TRUE(cluster_.find<ConfigMap>(kGadget)->has_finalizer("test.davit.dev/held"));
}

TEST_F(WritesTest, ApplyCreatesAndRemovesWhatTheDraftNoLongerSets) {
  ConfigMapDraft wanted{.metadata = {.name = "one", .ns = "default"},
                        .data = {{"a", "1"}, {"b", "2"}}};
  const auto script = [&](const Scripted::Seen& seen) {
    return apply(seen.context, wanted).error();
  };
  run(script);
  EXPECT_EQ(cluster_.find<ConfigMap>(kGadget)->value()["data"].count(), 2U) << errors();
  EXPECT_EQ(cluster_.requests().front().query, "fieldManager=scripted&force=true");

  wanted.data = {{"a", "1"}};
  run(script);

  EXPECT_EQ(cluster_.find<ConfigMap>(kGadget)->value()["data"].count(), 1U) << errors();
}

TEST_F(WritesTest, ApplyWithoutForceIsAConflictWithAnotherManager) {
  cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one",
    "namespace":"default"}})");
  Code code = Code::kOk;
  std::string manager;

  run([&](const auto& seen) {
    ConfigMapDraft wanted{.metadata = {.name = "one", .ns = "default"}, .data = {{"a", "1"}}};
    if (Status s = apply(seen.context, wanted, {.field_manager = "a b"}).error(); !s.ok()) return s;
    wanted.data = {{"a", "2"}};
    code = apply(seen.context, wanted, {.field_manager = "c", .force = false}).error().code();
    return Status();
  });

  EXPECT_EQ(code, Code::kConflict) << errors();
}

TEST_F(WritesTest, FinalizerIsAddedAndRemovedOnceAndOthersStay) {
  cluster_.merge<Gadget>(kGadget, R"({"metadata":{"finalizers":["test.davit.dev/other"]}})");
  const auto add = [](const auto& seen) {
    return add_finalizer(seen.context, *seen.gadget, "test.davit.dev/mine");
  };
  const auto remove = [](const auto& seen) {
    return remove_finalizer(seen.context, *seen.gadget, "test.davit.dev/mine");
  };
  run(add);
  EXPECT_THAT(writes(), ElementsAre("patch gadgets/one 200"));
  EXPECT_TRUE(cluster_.find<Gadget>(kGadget)->has_finalizer("test.davit.dev/mine"));
  EXPECT_TRUE(cluster_.find<Gadget>(kGadget)->has_finalizer("test.davit.dev/other"));

  run(remove);
  EXPECT_THAT(writes(), ElementsAre("patch gadgets/one 200"));
  EXPECT_FALSE(cluster_.find<Gadget>(kGadget)->has_finalizer("test.davit.dev/mine"));
  EXPECT_TRUE(cluster_.find<Gadget>(kGadget)->has_finalizer("test.davit.dev/other"));
}

TEST_F(WritesTest, FinalizerThatSomebodyAddedMeanwhileIsNotLost) {
  bool raced = false;
  cluster_.on_request([&](const testing::RequestRecord&) {
    if (std::exchange(raced, true)) return;
    cluster_.merge<Gadget>(kGadget, R"({"metadata":{"finalizers":["test.davit.dev/other"]}})");
  });

  run([](const auto& seen) {
    return add_finalizer(seen.context, *seen.gadget, "test.davit.dev/mine");
  });

  EXPECT_TRUE(cluster_.find<Gadget>(kGadget)->has_finalizer("test.davit.dev/other"));
}

TEST_F(WritesTest, StatusIsWrittenOnlyIfItDiffers) {
  const auto script = [](const Scripted::Seen& seen) {
    ConditionList conditions(seen.gadget->status().conditions().raw());
    set_condition(conditions, {"Ready", "True", "Done", "It is done", {}, {}},
                  seen.context.wall_now());
    return patch_status(seen.context, *seen.gadget,
                        GadgetStatusDraft{.observed_generation = seen.gadget->generation(),
                                          .conditions = conditions})
        .error();
  };

  run(script);

  EXPECT_THAT(writes(), ElementsAre("patch gadgets/one/status 200")) << errors();
  EXPECT_TRUE(cluster_.find<Gadget>(kGadget)->status().condition("Ready")->is_true());
}

TEST_F(WritesTest, StatusOfAGoneObjectIsNothing) {
  Result<Written> written = Written::kPatched;
  cluster_.on_request([&](const testing::RequestRecord&) { cluster_.erase<Gadget>(kGadget); });

  run([&](const auto& seen) {
    if (!seen.gadget) return Status();
    written = patch_status(seen.context, *seen.gadget, GadgetStatusDraft{.observed_generation = 5});
    return written.error();
  });

  EXPECT_EQ(*written, Written::kNothing);
}

TEST_F(WritesTest, ControllerReferenceIsSetOnceAndRefusesAnotherControllerOrNamespace) {
  const Gadget owner = *cluster_.find<Gadget>(kGadget);
  ConfigMapDraft wanted{.metadata = {.name = "x", .ns = "default"}};

  EXPECT_TRUE(set_controller_reference(owner, wanted).ok());
  EXPECT_TRUE(set_controller_reference(owner, wanted).ok());
  EXPECT_EQ(wanted.metadata.owners.items().size(), 1U);

  const auto other =
      cluster_.view_of<Gadget>(R"({"metadata":{"name":"o","namespace":"default","uid":"u"}})");
  EXPECT_THAT(set_controller_reference(other, wanted).message(),
              HasSubstr("has the controller one already"));

  const auto far =
      cluster_.view_of<Gadget>(R"({"metadata":{"name":"o","namespace":"far","uid":"u"}})");
  ConfigMapDraft fresh{.metadata = {.ns = "default"}};
  EXPECT_EQ(set_controller_reference(far, fresh).code(), Code::kInvalid);
}

TEST(SetConditionTest, TransitionTimeChangesWithTheStatusOnly) {
  const WallTime first = testing::ClusterOptions().start;
  const WallTime later = first + std::chrono::minutes(5);
  ConditionList list;
  EXPECT_TRUE(set_condition(list, {"Ready", "False", "Starting", "", {}, {}}, first));

  EXPECT_FALSE(set_condition(list, {"Ready", "False", "Starting", "", {}, {}}, later));
  EXPECT_TRUE(set_condition(list, {"Ready", "False", "Waiting", "for it", {}, {}}, later));
  EXPECT_EQ(list.find("Ready")->last_transition_time, first);
  EXPECT_EQ(list.find("Ready")->message, "for it");

  EXPECT_TRUE(set_condition(list, {"Ready", "True", "Done", "", {}, {}}, later));
  EXPECT_EQ(list.find("Ready")->last_transition_time, later);
  EXPECT_EQ(list.size(), 1U);
}

TEST(SetConditionTest, EmptyReasonAndMessageAreWrittenBecauseSchemasRequireThem) {
  ConditionList list;
  JsonWriter out;
  EXPECT_TRUE(
      set_condition(list, {"Ready", "True", "", "", {}, {}}, testing::ClusterOptions().start));
  list.write(out);
  EXPECT_EQ(out.text(),
            R"([{"type":"Ready","status":"True","lastTransitionTime":"2024-05-01T12:00:00Z",)"
            R"("reason":"","message":""}])");
}

TEST(SetConditionTest, WhatOthersWroteIsWrittenAsItWas) {
  testing::Cluster cluster;
  const std::string theirs =
      R"({"type":"Theirs","status":"True","lastProbeTime":null,"extra":{"a":[1.50,"x"]},)"
      R"("lastTransitionTime":"2024-05-01T12:00:00.123456Z"})";
  ConditionList list(cluster.value(
      "[" + theirs + R"(,{"type":"Ready","status":"False","reason":"A","severity":"Low"}])"));

  EXPECT_TRUE(
      set_condition(list, {"Ready", "True", "B", "", {}, {}}, testing::ClusterOptions().start));
  EXPECT_FALSE(
      set_condition(list, {"Ready", "True", "B", "", {}, {}}, testing::ClusterOptions().start));
  list.remove("Other");

  JsonWriter out;
  list.write(out);
  EXPECT_EQ(out.text(),
            "[" + theirs +
                R"(,{"type":"Ready","status":"True","lastTransitionTime":"2024-05-01T12:00:00Z",)"
                R"("reason":"B","message":"","severity":"Low"}])");
}

TEST(ConditionListTest, SetAndRemoveKeepTheOthersInTheirOrder) {
  testing::Cluster cluster;
  ConditionList list(
      cluster.value(R"([{"type":"A","x":1},{"type":"B","y":2},{"type":"C","z":3}])"));
  list.remove("A");
  list.set({"B", "True", "R", "M", {}, {}});
  JsonWriter out;
  list.write(out);
  EXPECT_EQ(
      out.text(),
      R"([{"type":"C","z":3},{"type":"B","status":"True","reason":"R","message":"M","y":2}])");
}

TEST(ConditionListTest, ObservedGenerationSurvivesReadingAndWriting) {
  testing::Cluster cluster;
  JsonWriter out;

  ConditionList(cluster.value(R"([{"type":"A","status":"True","observedGeneration":4}])"))
      .write(out);

  EXPECT_EQ(out.text(), R"([{"type":"A","status":"True","observedGeneration":4}])");
}

TEST(RetryOnConflictTest, StopsAtSuccessAtAnotherErrorAndAtTheLimit) {
  const auto calls_until = [](int conflicts, Code then) {
    int calls = 0;
    const Status status = retry_on_conflict([&] {
      const Code code = calls < conflicts ? Code::kConflict : then;
      ++calls;
      return code == Code::kOk ? Status() : Status(code, "x");
    });
    return std::pair(calls, status.code());
  };

  EXPECT_EQ(calls_until(0, Code::kOk), std::pair(1, Code::kOk));
  EXPECT_EQ(calls_until(2, Code::kOk), std::pair(3, Code::kOk));
  EXPECT_EQ(calls_until(1, Code::kNotFound), std::pair(2, Code::kNotFound));
  EXPECT_EQ(calls_until(9, Code::kOk), std::pair(5, Code::kConflict));
  EXPECT_EQ(*retry_on_conflict([] { return Result<int>(7); }), 7);
}

TEST_F(WritesTest, RetriesThatReadTheCacheComeAfterPauses) {
  std::vector<Duration> at;
  run([&](const Scripted::Seen& seen) -> Status {
    const Time begin = seen.context.now();
    constexpr std::array kPauses{std::chrono::milliseconds(10), std::chrono::milliseconds(50)};
    const auto attempts_until = [&](std::size_t conflicts) {
      at.clear();
      return retry_on_conflict(seen.context, kPauses, [&]() -> Status {
        at.push_back(seen.context.now() - begin);
        return at.size() <= conflicts ? Status(Code::kConflict, "x") : Status();
      });
    };
    EXPECT_EQ(attempts_until(0).code(), Code::kOk);
    EXPECT_THAT(at, ElementsAre(Duration::zero()));
    EXPECT_EQ(attempts_until(9).code(), Code::kConflict);
    return {};
  });
  EXPECT_THAT(at, ElementsAre(Duration::zero(), std::chrono::milliseconds(10),
                              std::chrono::milliseconds(60)));
}

}  // namespace
}  // namespace davit
