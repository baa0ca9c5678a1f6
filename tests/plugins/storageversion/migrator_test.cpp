/// Rows CC103 to CC105, CC111, CC113, CC115 to CC119: migrations that succeed.
#include <set>
#include <string>
#include <utility>

#include "tests/plugins/storageversion/migration_fixture.hpp"

namespace davit::storageversion {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class MigrationsTest : public MigratorTest {
 protected:
  void SetUp() override {
    MigratorTest::SetUp();
    start();
  }
};

TEST_F(MigrationsTest, CC103_EachObjectIsAppliedOnceAndTheDefinitionSaysSo) {
  std::vector<std::string> seen;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource == "foos" && each.verb == Verb::kPatch) seen.push_back(migrating());
  });
  migrate_foos();
  settle();
  EXPECT_THAT(seen, Contains("True MigrationRunning Migration m is running of generation 1"));
  EXPECT_THAT(applied(), UnorderedElementsAre("f0", "f1", "f2"));
  for (const testing::RequestRecord& each : cluster_.requests_of(Verb::kPatch, "foos")) {
    EXPECT_EQ(each.patch_type, PatchType::kApply);
    const Json body = each.json();
    EXPECT_EQ(body.text_at({"apiVersion"}), "x.example.com/v2");
    EXPECT_EQ(body.text_at({"kind"}), "Foo");
    EXPECT_FALSE(body.text_at({"metadata", "uid"}).empty());
    EXPECT_FALSE(body.text_at({"metadata", "resourceVersion"}).empty());
    EXPECT_EQ(each.ns, "default");
  }
  EXPECT_THAT(conditions(), ElementsAre("Running=False MigrationCompleted",
                                        "Succeeded=True StorageVersionMigrationSucceeded"));
  EXPECT_EQ(
      migrating(),
      "False MigrationSucceeded The migration has succeeded and the stored versions have been "
      "updated of generation 1");
  EXPECT_EQ(stored_versions(), R"(["v2"])");
  EXPECT_NE(cluster_.json<Migration>({"", "m"}).text_at({"status", "resourceVersion"}), "");
}

TEST_F(MigrationsTest, CC104_MigrationsOfOneResourceRunOneAfterTheOther) {
  std::vector<std::string> while_first_runs;
  add_migration("b", "x.example.com", "foos", "{}", "2024-05-01T12:00:02Z");
  add_migration("a", "x.example.com", "foos", "{}", "2024-05-01T12:00:03Z");
  // "b" is the older one.
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource != "foos" || each.verb != Verb::kPatch) return;
    if (while_first_runs.empty()) {
      while_first_runs = conditions("a");
      while_first_runs.push_back("of a");
    }
  });
  settle();
  EXPECT_THAT(while_first_runs, ElementsAre("of a"));
  for (const char* name : {"a", "b"}) {
    EXPECT_THAT(conditions(name), ElementsAre("Running=False MigrationCompleted",
                                              "Succeeded=True StorageVersionMigrationSucceeded"));
  }
  EXPECT_THAT(applied(), SizeIs(6));
}

TEST_F(MigrationsTest, CC105_MigrationsOfTwoResourcesRunSideBySide) {
  add_definition("bars", "Bar");
  add_object("Bar", "b0");
  migrate_foos("m");
  add_migration("n", "x.example.com", "bars");
  bool ran_both = false;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.verb != Verb::kPatch || (each.resource != "foos" && each.resource != "bars")) return;
    ran_both = ran_both || (conditions("m") == conditions("n") && conditions("m").size() == 1);
  });
  settle();
  EXPECT_TRUE(ran_both);
  EXPECT_THAT(applied("bars"), ElementsAre("b0"));
}

TEST_F(MigrationsTest, CC106_ADefinitionThatChangesMeanwhileKeepsItsStoredVersions) {
  bool is_changed = false;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource != "foos" || each.verb != Verb::kPatch || std::exchange(is_changed, true)) {
      return;
    }
    patch_definition("", R"({"spec":{"names":{"shortNames":["fo"]}}})");
  });
  migrate_foos();
  settle();
  EXPECT_THAT(conditions(), Contains("Succeeded=True StorageVersionMigrationSucceeded"));
  EXPECT_EQ(migrating(),
            "False MigrationSucceeded The migration has succeeded but the stored versions have not "
            "been updated due to a generation mismatch of generation 2");
  EXPECT_EQ(stored_versions(), R"(["v1","v2"])");
}

TEST_F(MigrationsTest, CC106_AMovedDefinitionKeepsItsStoredVersionsAlsoIfItsEndIsShownTwice) {
  for (const int status : {409, 500}) {
    SCOPED_TRACE(status);
    store_in("v2");
    patch_definition("/status", R"({"status":{"storedVersions":["v1","v2"]}})");
    const std::string name = "m" + std::to_string(status);
    bool is_changed = false;
    cluster_.on_request([&](const testing::RequestRecord& each) {
      if (each.resource == "foos" && each.verb == Verb::kPatch &&
          !std::exchange(is_changed, true)) {
        store_in("v1");
      }
    });
    // The fourth write of its status is that of its end.
    cluster_.fail_next({.verb = Verb::kPatch,
                        .resource = "storageversionmigrations",
                        .http_status = status,
                        .reason = status == 409 ? "Conflict" : "InternalError",
                        .skip = 3});
    migrate_foos(name);
    cluster_.advance(5s);
    EXPECT_THAT(conditions(name), ElementsAre("Running=False MigrationCompleted",
                                              "Succeeded=True StorageVersionMigrationSucceeded"));
    EXPECT_THAT(migrating(), HasSubstr("due to a generation mismatch"));
    EXPECT_EQ(stored_versions(), R"(["v1","v2"])");
  }
}

TEST_F(MigrationsTest, CC103_AnEndThatIsShownTwiceSaysThatTheStoredVersionsWereUpdated) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "storageversionmigrations",
                      .http_status = 409,
                      .reason = "Conflict",
                      .skip = 3});
  migrate_foos();
  cluster_.advance(5s);
  EXPECT_THAT(conditions(), Contains("Running=False MigrationCompleted"));
  EXPECT_THAT(migrating(), HasSubstr("and the stored versions have been updated"));
  EXPECT_EQ(stored_versions(), R"(["v2"])");
}

TEST_F(MigrationsTest, CC104_TheNextMigrationKeepsTheStoredVersionsUntilItHasSucceeded) {
  migrate_foos();
  settle();
  ASSERT_EQ(stored_versions(), R"(["v2"])") << "the manager of the migrator owns the list";
  store_in("v1");
  ASSERT_EQ(stored_versions(), R"(["v2","v1"])");
  std::vector<std::string> seen;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource == "foos" && each.verb == Verb::kPatch) seen.push_back(stored_versions());
  });
  migrate_foos("n");
  settle();
  EXPECT_THAT(seen, AllOf(SizeIs(3), Each(R"(["v2","v1"])")));
  EXPECT_EQ(stored_versions(), R"(["v1"])");
}

TEST_F(MigrationsTest, CC106_AMovedDefinitionKeepsItsStoredVersionsAlsoAfterASuccess) {
  migrate_foos();
  settle();
  store_in("v1");
  bool is_changed = false;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource == "foos" && each.verb == Verb::kPatch && !std::exchange(is_changed, true)) {
      store_in("v2");
    }
  });
  migrate_foos("n");
  settle();
  EXPECT_THAT(migrating(), HasSubstr("due to a generation mismatch"));
  EXPECT_EQ(stored_versions(), R"(["v2","v1"])");
}

TEST_F(MigrationsTest, CC111_BuiltInResourcesOfEveryScopeAreMigrated) {
  cluster_.add(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"ns"}})");
  cluster_.add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})");
  cluster_.add(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"ns"},
      "involvedObject":{"namespace":"ns"}})");
  add_migration("c", "", "configmaps");
  add_migration("n", "", "nodes");
  add_migration("e", "", "events");
  settle();
  for (const char* name : {"c", "n", "e"}) {
    EXPECT_THAT(conditions(name), Contains("Succeeded=True StorageVersionMigrationSucceeded"))
        << name << message(name);
  }
  EXPECT_THAT(applied("configmaps"), Contains("c"));
  EXPECT_THAT(applied("nodes"), ElementsAre("n1"));
  EXPECT_THAT(applied("events"), ElementsAre("e"));
  EXPECT_THAT(cluster_.requests_of(Verb::kGet, "customresourcedefinitions"), IsEmpty());
}

TEST_F(MigrationsTest, CC113_AResourceThatComesLaterIsMigrated) {
  add_migration("late", "x.example.com", "bars");
  cluster_.advance(20s);
  EXPECT_THAT(conditions("late"), ElementsAre("Running=True MigrationRunning"));
  add_definition("bars", "Bar");
  add_object("Bar", "b0");
  cluster_.advance(40s);
  EXPECT_THAT(conditions("late"), Contains("Succeeded=True StorageVersionMigrationSucceeded"))
      << message("late");
}

TEST_F(MigrationsTest, CC115_ARestartedMigratorContinuesFromTheCheckpoint) {
  for (int i = 0; i < 1200; ++i) add_object("Foo", "g" + std::to_string(i));
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "foos",
                      .http_status = 0,
                      .times = testing::Fault::kAlways,
                      .skip = 700});
  migrate_foos();
  settle();
  EXPECT_THAT(conditions(), ElementsAre("Running=True MigrationRunning"));
  const std::string checkpoint =
      cluster_.json<Migration>({"", "m"}).text_at({"status", "resourceVersion"});
  cluster_.stop(kMigrator);
  cluster_.clear_faults();
  cluster_.clear_records();
  ASSERT_TRUE(cluster_.start(kMigrator, &StorageVersionMigrator::open, kSwitchedOn).ok());
  settle();
  EXPECT_THAT(conditions(), Contains("Succeeded=True StorageVersionMigrationSucceeded"));
  EXPECT_EQ(cluster_.json<Migration>({"", "m"}).text_at({"status", "resourceVersion"}), checkpoint);
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "foos"), SizeIs(3)) << "pages of 500";
}

TEST_F(MigrationsTest, X7_AListThatExpiresRestartsInPagesAndNoObjectIsAppliedTwice) {
  for (int i = 0; i < 1200; ++i) add_object("Foo", "g" + std::to_string(i));
  int count = 0;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource != "foos" || each.verb != Verb::kPatch || ++count != 400) return;
    add_object("Foo", "newer");
    cluster_.forget_history();
  });
  migrate_foos();
  settle();
  EXPECT_THAT(conditions(), Contains("Succeeded=True StorageVersionMigrationSucceeded"));
  EXPECT_THAT(requests(), Contains("list foos 410"));
  const std::vector<std::string> names = applied();
  EXPECT_THAT(names, SizeIs(1203));
  EXPECT_THAT(std::set(names.begin(), names.end()), SizeIs(1203));
  for (const testing::RequestRecord& each : cluster_.requests_of(Verb::kList, "foos")) {
    EXPECT_THAT(each.query, HasSubstr("limit="));
  }
}

TEST_F(MigrationsTest, AListThatAlwaysExpiresIsTriedAgainAfterAPause) {
  for (int i = 0; i < 1200; ++i) add_object("Foo", "g" + std::to_string(i));
  constexpr int kExpiredMax = 50;  // A list that is repeated at once ends here, too.
  int expired = 0;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.resource != "foos" || each.verb != Verb::kList || each.http_status != 0) return;
    if (each.query.find("continue=") == std::string::npos || expired == kExpiredMax) return;
    add_object("Foo", "newer" + std::to_string(++expired));
    cluster_.forget_history();
  });
  migrate_foos();
  settle();
  EXPECT_EQ(expired, 2) << "the second list came no further than the first";
  EXPECT_THAT(conditions(), ElementsAre("Running=True MigrationRunning"));

  cluster_.on_request({});
  cluster_.advance(1min);
  EXPECT_THAT(conditions(), Contains("Succeeded=True StorageVersionMigrationSucceeded"));
}

TEST_F(MigrationsTest, CC117_AnObjectThatIsNewerThanTheCheckpointNeedsNothing) {
  const std::string old(cluster_.find<Foo>({"default", "f0"})->resource_version());
  cluster_.merge<Foo>({"default", "f2"}, R"({"touched":true})");
  add_migration("n", "x.example.com", "foos", R"({"resourceVersion":")" + old + R"(","conditions":[
          {"type":"Running","status":"True","reason":"MigrationRunning","message":""}]})");
  settle();
  EXPECT_THAT(applied(), ::testing::Not(Contains("f2")));
  EXPECT_THAT(conditions("n"), Contains("Succeeded=True StorageVersionMigrationSucceeded"));
}

TEST_F(MigrationsTest, CC118_TheNextOneStartsWhenTheRunningOneIsDeleted) {
  add_migration("first", "nope.io", "nopes");
  settle();
  EXPECT_THAT(conditions("first"), ElementsAre("Running=True MigrationRunning"));
  cluster_.skip(1s);
  add_migration("second", "nope.io", "nopes");
  settle();
  EXPECT_THAT(conditions("second"), IsEmpty());
  ASSERT_TRUE(cluster_.erase<Migration>({"", "first"}));
  settle();
  EXPECT_THAT(conditions("second"), ElementsAre("Running=True MigrationRunning"));
}

TEST_F(MigrationsTest, CC119_AMigrationThatIsOverIsLeftAlone) {
  migrate_foos();
  settle();
  cluster_.clear_records();
  cluster_.merge<Migration>({"", "m"}, R"({"metadata":{"labels":{"a":"b"}}})");
  settle();
  cluster_.advance(10min);
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(MigrationsTest, AnotherBuildContinuesAMigration) {
  add_migration("first", "nope.io", "nopes");
  settle();
  ASSERT_TRUE(cluster_.swap(kMigrator, &StorageVersionMigrator::open, kSwitchedOn).ok());
  cluster_.advance(2min);
  EXPECT_EQ(message("first"), "resource does not exist in discovery");
}

}  // namespace
}  // namespace davit::storageversion
