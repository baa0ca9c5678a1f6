#include "plugins/shared/history/revisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <davit/controller.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace davit::history {
namespace {

using davit::testing::Fault;
using davit::testing::Json;
using davit::testing::Verb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Key kName{"ns", "web-1"};

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

struct Seen {
  const Context& context;
  const Informer<ControllerRevision>& cache;
};
using Script = std::function<void(const Seen&)>;

/// Calls a function of the test in a sync, whenever a ConfigMap is added.
class Scripted final : public Controller {
 public:
  Scripted(Context& context, const Script& script)
      : queue_(context.open_queue({.name = "scripted"},
                                  [this, &context, &script](const Key&) -> Result<Again> {
                                    script({context, revisions_});
                                    return Again::when_changed();
                                  })),
        maps_(context.open_informer<ConfigMap>(
            {.added = [this](const ConfigMap& map) { queue_.add(map); }})),
        revisions_(context.open_informer<ControllerRevision>()) {}

 private:
  Queue queue_;
  Informer<ConfigMap> maps_;
  Informer<ControllerRevision> revisions_;
};

class RevisionsTest : public ::testing::Test {
 protected:
  /// Runs `script` in a sync, once.
  void run(Script script) {
    script_ = std::move(script);
    if (runs_ == 0) {
      const Status status = cluster_.start("scripted", [this](Context& context) -> InitResult {
        return std::unique_ptr<Controller>(std::make_unique<Scripted>(context, script_));
      });
      ASSERT_TRUE(status.ok()) << status.message();
    }
    cluster_.run_until_idle();
    cluster_.clear_records();
    Json map =
        Json::must(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns"}})");
    map["metadata"]["name"] = "run-" + std::to_string(++runs_);
    cluster_.add(map);
    cluster_.run_until_idle();
  }

  Json revision(const std::string& name, std::int64_t number,
                std::string_view data = R"({"a":1})") {
    Json out = Json::must(R"({"apiVersion":"apps/v1","kind":"ControllerRevision",
        "metadata":{"namespace":"ns"}})");
    out["metadata"]["name"] = name;
    out["data"] = Json::must(data);
    out["revision"] = number;
    return out;
  }
  std::vector<ControllerRevision> views(std::initializer_list<Json> all) {
    std::vector<ControllerRevision> out;
    for (const Json& each : all) out.emplace_back(cluster_.value(each.dump()));
    return out;
  }
  static std::vector<std::string> names(std::span<const ControllerRevision> all) {
    std::vector<std::string> out;
    for (const ControllerRevision& each : all) out.emplace_back(each.name());
    return out;
  }
  std::vector<std::string> requests() {
    std::vector<std::string> out;
    for (const auto& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }
  /// The revision web-1 of an owner called web.
  NewRevision wanted(std::string_view data) {
    return {.key = kName,
            .hash = {.key = "hash", .value = "1"},
            .template_labels = cluster_.value(R"({"app":"x","hash":"mine"})"),
            .annotations = cluster_.value(R"({"kubernetes.io/change-cause":"why"})"),
            .owner = {.api_version = "apps/v1", .kind = "StatefulSet", .name = "web", .uid = "u"},
            .data = data,
            .number = 3};
  }

  davit::testing::Cluster cluster_;
  Script script_;
  int runs_ = 0;
};

TEST_F(RevisionsTest, OrderIsByNumberThenAgeThenName) {
  Json older = revision("z", 2);
  older["metadata"]["creationTimestamp"] = "2024-01-01T00:00:00Z";
  Json newer = revision("a", 2);
  newer["metadata"]["creationTimestamp"] = "2024-01-01T00:00:01Z";
  Json namesake = newer;
  namesake["metadata"]["name"] = "b";
  std::vector<ControllerRevision> all =
      views({namesake, newer, revision("ten", 10), older, revision("one", 1)});

  sort_revisions(all);

  EXPECT_THAT(names(all), ElementsAre("one", "z", "a", "b", "ten"));
  EXPECT_EQ(next_revision(all), 11);
  EXPECT_EQ(next_revision({}), 1);
}

TEST_F(RevisionsTest, ANewOneHasTheOwnersAnnotationsTheTemplatesLabelsAndTheBytes) {
  const std::string data = R"({"a":"\u003c"})";
  run([&](const Seen& seen) {
    const auto created = create_revision(seen.context.client(), wanted(data), Numbers::kExact);
    ASSERT_TRUE(created && *created) << created.error().message();
    EXPECT_EQ((*created)->revision(), 3);
    EXPECT_TRUE(has_data(**created, data, Numbers::kExact));
  });
  const auto posts = cluster_.requests_of(Verb::kCreate, "controllerrevisions");
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_EQ(posts.front().body,
            R"({"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"web-1",)"
            R"("namespace":"ns","labels":{"app":"x","hash":"1"},)"
            R"("annotations":{"kubernetes.io/change-cause":"why"},)"
            R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web",)"
            R"("uid":"u","controller":true,"blockOwnerDeletion":true}]},)"
            R"("data":{"a":"\u003c"},"revision":3})");
}

TEST_F(RevisionsTest, ANameThatIsTakenByEqualDataGivesThatRevision) {
  cluster_.add(revision("web-1", 8, R"({"b":[1],"a":1})"));
  run([&](const Seen& seen) {
    const auto created =
        create_revision(seen.context.client(), wanted(R"({"a":1,"b":[1]})"), Numbers::kExact);
    ASSERT_TRUE(created && *created);
    EXPECT_EQ((*created)->revision(), 8);
  });
  EXPECT_THAT(requests(),
              ElementsAre("create controllerrevisions 409", "get controllerrevisions/web-1 200"));
}

TEST_F(RevisionsTest, ANameThatIsTakenByOtherDataCollides) {
  cluster_.add(revision("web-1", 8));
  run([&](const Seen& seen) {
    const auto created =
        create_revision(seen.context.client(), wanted(R"({"a":2})"), Numbers::kExact);
    ASSERT_TRUE(created) << created.error().message();
    EXPECT_FALSE(*created);
  });
}

TEST_F(RevisionsTest, ErrorsOfCreationComeBack) {
  cluster_.add(revision("web-1", 8));
  cluster_.fail_next({.verb = Verb::kGet, .resource = "controllerrevisions"});
  run([&](const Seen& seen) {
    const Client client = seen.context.client();
    EXPECT_EQ(create_revision(client, wanted(R"({"a":1})"), Numbers::kExact).error().code(),
              Code::kUnavailable)
        << "the GET";
    cluster_.fail_next({.verb = Verb::kCreate,
                        .resource = "controllerrevisions",
                        .http_status = 403,
                        .reason = "Forbidden"});
    EXPECT_EQ(create_revision(client, wanted(R"({"a":1})"), Numbers::kExact).error().code(),
              Code::kForbidden);
  });
}

TEST_F(RevisionsTest, RenumberingChangesTheNumberOnly) {
  Json stored = revision("web-1", 1, R"({"n":9007199254740993,"s":"<","z":null})");
  stored["metadata"]["labels"]["app"] = "x";
  cluster_.add(stored);
  Json wanted = cluster_.json<ControllerRevision>(kName);
  run([&](const Seen& seen) {
    const auto raised = renumber(seen.context, seen.cache, *seen.cache.get(kName), 5);
    ASSERT_TRUE(raised) << raised.error().message();
    EXPECT_EQ(raised->revision(), 5);
    EXPECT_EQ(raised->label("app"), "x");
  });
  EXPECT_THAT(requests(), ElementsAre("patch controllerrevisions/web-1 200"));
  Json present = cluster_.json<ControllerRevision>(kName);
  wanted["revision"] = 5;
  wanted["metadata"]["resourceVersion"] = present.text_at({"metadata", "resourceVersion"});
  EXPECT_EQ(present.canonical(), wanted.canonical());
}

TEST_F(RevisionsTest, RenumberingNeverChangesARevisionThatSomebodyElseWrote) {
  cluster_.add(revision("web-1", 1));
  run([&](const Seen& seen) {
    const ControllerRevision old = *seen.cache.get(kName);
    cluster_.merge<ControllerRevision>(kName, R"({"revision":7})");
    EXPECT_EQ(renumber(seen.context, seen.cache, old, 5).error().code(), Code::kConflict)
        << "the cache still has the old one";
  });
  EXPECT_EQ(cluster_.json<ControllerRevision>(kName).text_at({"revision"}), "7");
}

TEST_F(RevisionsTest, RenumberingToTheSameNumberNeedsNoRequest) {
  cluster_.add(revision("web-1", 5));
  run([&](const Seen& seen) {
    EXPECT_EQ(renumber(seen.context, seen.cache, *seen.cache.get(kName), 5)->revision(), 5);
  });
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(RevisionsTest, AConflictIsTriedAgainFourTimesInAll) {
  cluster_.add(revision("web-1", 1));
  const Fault conflict{.verb = Verb::kPatch,
                       .resource = "controllerrevisions",
                       .http_status = 409,
                       .reason = "Conflict",
                       .times = Fault::kAlways};
  cluster_.fail_next(conflict);
  run([&](const Seen& seen) {
    const Time begin = seen.context.now();
    const auto raised = renumber(seen.context, seen.cache, *seen.cache.get(kName), 5);
    EXPECT_EQ(raised.error().code(), Code::kConflict);
    EXPECT_EQ(seen.context.now() - begin, std::chrono::milliseconds(310));
  });
  EXPECT_EQ(cluster_.requests().size(), 4U);

  cluster_.clear_faults();
  Fault twice = conflict;
  twice.times = 2;
  cluster_.fail_next(twice);
  run([&](const Seen& seen) {
    EXPECT_TRUE(renumber(seen.context, seen.cache, *seen.cache.get(kName), 5));
  });
  EXPECT_EQ(cluster_.requests().size(), 3U);
}

TEST_F(RevisionsTest, OtherErrorsOfRenumberingAreNotTriedAgain) {
  cluster_.add(revision("web-1", 1));
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "controllerrevisions"});
  run([&](const Seen& seen) {
    EXPECT_FALSE(renumber(seen.context, seen.cache, *seen.cache.get(kName), 5));
  });
  EXPECT_EQ(cluster_.requests().size(), 1U);
}

TEST_F(RevisionsTest, SurplusIsTheOldestOfTheDeadBeyondTheLimit) {
  const std::vector<ControllerRevision> dead =
      views({revision("a", 1), revision("b", 2), revision("c", 3)});
  EXPECT_THAT(names(surplus(dead, 3, 2)), ElementsAre("a"));
  EXPECT_THAT(names(surplus(dead, 3, 0)), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(surplus(dead, 3, 3)), IsEmpty());
  EXPECT_THAT(names(surplus(dead, 3, -1)), IsEmpty());
  EXPECT_THAT(names(surplus(dead, 5, 3)), ElementsAre("a", "b")) << "live ones count, and stay";
  EXPECT_THAT(names(surplus(dead, 9, 0)), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(surplus({}, 9, 0)), IsEmpty());
}

TEST_F(RevisionsTest, DeletionEndsWithTheFirstError) {
  for (const char* name : {"a", "c"}) cluster_.add(revision(name, 1));
  const std::vector<ControllerRevision> all =
      views({revision("a", 1), revision("b", 2), revision("c", 3)});
  run([&](const Seen& seen) {
    EXPECT_EQ(delete_revisions(seen.context.client(), all).code(), Code::kNotFound);
  });
  EXPECT_THAT(requests(),
              ElementsAre("delete controllerrevisions/a 200", "delete controllerrevisions/b 404"));
}

}  // namespace
}  // namespace davit::history
