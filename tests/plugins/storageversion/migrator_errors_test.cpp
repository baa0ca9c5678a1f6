/// Rows CC107 to CC110, CC112, CC114, CC120 and CC121: migrations that meet errors.
#include <string>
#include <utility>

#include "tests/plugins/storageversion/migration_fixture.hpp"

namespace davit::storageversion {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class MigrationErrorsTest : public MigratorTest {
 protected:
  static constexpr const char* kDone = "Succeeded=True StorageVersionMigrationSucceeded";

  void SetUp() override {
    MigratorTest::SetUp();
    start();
  }
  /// Before the apply of the object `name`.
  void before_apply(const std::string& name, const std::function<void()>& act) {
    cluster_.on_request([name, act, is_done = false](const testing::RequestRecord& each) mutable {
      if (each.verb != Verb::kPatch || each.resource != "foos" || each.name != name) return;
      if (!std::exchange(is_done, true)) act();
    });
  }
};

TEST_F(MigrationErrorsTest, CC107_ARefusedObjectFailsTheMigrationAndKeepsTheStoredVersions) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "foos",
                      .http_status = 422,
                      .reason = "Invalid",
                      .message = "Foo.x.example.com \"f0\" is invalid: must: Required value"});
  migrate_foos();
  settle();
  EXPECT_THAT(conditions(), ElementsAre("Running=False MigrationCompleted",
                                        "Failed=True StorageVersionMigrationFailed"));
  EXPECT_EQ(message(),
            "migration encountered unhandled error: Foo.x.example.com \"f0\" is invalid: must: "
            "Required value");
  EXPECT_THAT(applied(), SizeIs(1)) << "the rest is not tried";
  EXPECT_EQ(migrating(), "False MigrationFailed The migration has failed of generation 1");
  EXPECT_EQ(stored_versions(), R"(["v1","v2"])") << "X6";
}

TEST_F(MigrationErrorsTest, CC107_AFailedMigrationKeepsTheStoredVersionsAlsoAfterASuccess) {
  migrate_foos();
  settle();
  store_in("v1");
  ASSERT_EQ(stored_versions(), R"(["v2","v1"])");
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "foos", .http_status = 422});
  migrate_foos("n");
  settle();
  EXPECT_EQ(migrating(), "False MigrationFailed The migration has failed of generation 2");
  EXPECT_EQ(stored_versions(), R"(["v2","v1"])") << "X6";
}

TEST_F(MigrationErrorsTest, CC108_AnObjectThatChangesMeanwhileIsSkipped) {
  before_apply("f1", [this] { cluster_.merge<Foo>({"default", "f1"}, R"({"touched":true})"); });
  migrate_foos();
  settle();
  EXPECT_THAT(requests(), Contains("patch foos/f1 409"));
  EXPECT_THAT(conditions(), Contains(kDone));
}

TEST_F(MigrationErrorsTest, CC109_AnObjectThatGoesOrComesAgainIsNotMadeByTheMigrator) {
  before_apply("f1", [this] { ASSERT_TRUE(cluster_.erase<Foo>({"default", "f1"})); });
  migrate_foos();
  settle();
  EXPECT_THAT(requests(), Contains("patch foos/f1 409"));
  EXPECT_FALSE(cluster_.find<Foo>({"default", "f1"}));
  EXPECT_THAT(conditions(), Contains(kDone));

  before_apply("f2", [this] {
    ASSERT_TRUE(cluster_.erase<Foo>({"default", "f2"}));
    add_object("Foo", "f2");
  });
  migrate_foos("n");
  settle();
  EXPECT_THAT(requests(), Contains("patch foos/f2 409"));
  EXPECT_THAT(conditions("n"), Contains(kDone));
}

TEST_F(MigrationErrorsTest, CC110_ABusyServerIsAskedAgain) {
  for (const int status : {429, 500, 503, 504, 0}) {
    SCOPED_TRACE(status);
    cluster_.fail_next({.verb = Verb::kPatch,
                        .resource = "foos",
                        .http_status = status,
                        .reason = status == 429 ? "TooManyRequests" : "InternalError",
                        .times = 3});
    migrate_foos("m" + std::to_string(status));
    cluster_.advance(20s);
    EXPECT_THAT(conditions("m" + std::to_string(status)), Contains(kDone));
  }
}

TEST_F(MigrationErrorsTest, CC112_AResourceThatIsUnknownForAMinuteFailsItsMigration) {
  add_migration("m", "nope.io", "nopes");
  cluster_.advance(58s);
  EXPECT_THAT(conditions(), ElementsAre("Running=True MigrationRunning"));
  cluster_.advance(10s);
  EXPECT_THAT(conditions(), ElementsAre("Running=False MigrationCompleted",
                                        "Failed=True StorageVersionMigrationFailed"));
  EXPECT_EQ(message(), "resource does not exist in discovery");
}

TEST_F(MigrationErrorsTest, CC114_AResourceThatCannotBeListedFailsItsMigration) {
  add_migration("m", "authentication.k8s.io", "tokenreviews");
  settle();
  EXPECT_EQ(message(),
            "resource \"authentication.k8s.io/v1, Resource=tokenreviews\" does not support "
            "discovery operations: [update patch list]");
}

TEST_F(MigrationErrorsTest, CC114_AListThatTheServerRefusesFailsItsMigration) {
  const std::string before[] = {
      "error getting latest resourceVersion for x.example.com/v2, Resource=foos: ",
      "migration encountered unhandled error: "};
  for (const int status : {403, 404, 405}) {
    for (const int skip : {0, 1}) {
      SCOPED_TRACE(std::to_string(status) + " after " + std::to_string(skip));
      const std::string name = "m" + std::to_string(status) + "-" + std::to_string(skip);
      cluster_.fail_next({.verb = Verb::kList,
                          .resource = "foos",
                          .http_status = status,
                          .reason = "Refused",
                          .message = "not for you",
                          .times = testing::Fault::kAlways,
                          .skip = skip});
      migrate_foos(name);
      settle();
      if (status == 404) {
        EXPECT_THAT(conditions(name), ElementsAre("Running=True MigrationRunning"))
            << "the resource may be a new one";
        cluster_.advance(70s);
      }
      EXPECT_THAT(conditions(name), ElementsAre("Running=False MigrationCompleted",
                                                "Failed=True StorageVersionMigrationFailed"));
      EXPECT_THAT(message(name), ::testing::StartsWith(before[skip]));
      EXPECT_THAT(message(name), ::testing::HasSubstr("not for you"));
      cluster_.clear_faults();
    }
  }
  migrate_foos("next");
  settle();
  EXPECT_THAT(conditions("next"), Contains(kDone));
}

TEST_F(MigrationErrorsTest, CC114_AListThatMaySucceedLaterIsTriedAgain) {
  for (const int status : {408, 429, 500, 0}) {
    for (const int skip : {0, 1}) {
      SCOPED_TRACE(std::to_string(status) + " after " + std::to_string(skip));
      const std::string name = "m" + std::to_string(status) + "-" + std::to_string(skip);
      cluster_.fail_next({.verb = Verb::kList,
                          .resource = "foos",
                          .http_status = status,
                          .times = 2,
                          .skip = skip});
      migrate_foos(name);
      cluster_.advance(20s);
      EXPECT_THAT(conditions(name), Contains(kDone));
    }
  }
}

TEST_F(MigrationErrorsTest, CC120_AFailureThatWasWrittenByHandIsFinished) {
  cluster_.fail_next({.verb = Verb::kList, .resource = "foos", .times = testing::Fault::kAlways});
  migrate_foos();
  settle();
  ASSERT_THAT(conditions(), ElementsAre("Running=True MigrationRunning"));
  cluster_.modify<Migration>({"", "m"}, [](Json& object) {
    object["status"]["conditions"].push_back(
        Json::must(R"({"type":"Failed","status":"True","reason":"Mine","message":"by hand"})"));
  });
  settle();
  EXPECT_THAT(conditions(), ElementsAre("Running=False MigrationCompleted", "Failed=True Mine"));
  EXPECT_EQ(migrating(), "False MigrationFailed The migration has failed of generation 1");
}

TEST_F(MigrationErrorsTest, CC121_AConflictOnTheDefinitionIsRepeatedWithANewRead) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "customresourcedefinitions",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = 2});
  migrate_foos();
  cluster_.advance(1s);
  EXPECT_THAT(conditions(), Contains(kDone));
  EXPECT_THAT(cluster_.requests_of(Verb::kGet, "customresourcedefinitions"), SizeIs(4));
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "customresourcedefinitions", "status"), SizeIs(4));
}

TEST_F(MigrationErrorsTest, AVersionThatIsNoNumberFailsTheMigration) {
  add_migration("m", "x.example.com", "foos", R"({"resourceVersion":"x7","conditions":[
      {"type":"Running","status":"True","reason":"MigrationRunning","message":""}]})");
  settle();
  EXPECT_EQ(message(),
            "migration encountered unhandled error: resource version is not well formed: x7");
  EXPECT_THAT(applied(), IsEmpty());
}

TEST_F(MigrationErrorsTest, WithoutGateOrResourceItIsSkipped) {
  testing::Cluster other({.note = note_text<storageversion::declare>()});
  EXPECT_EQ(other.start(kMigrator, &StorageVersionMigrator::open, kSwitchedOn).code(),
            Code::kUnsupported);
  for (const char* config : {"", "{}", R"({"storageVersionMigrator":"off"})"}) {
    cluster_.stop(kMigrator);
    EXPECT_EQ(cluster_.start(kMigrator, &StorageVersionMigrator::open, config).code(),
              Code::kUnsupported);
  }
  const Status misspelled =
      other.start(kMigrator, &StorageVersionMigrator::open, R"({"storageVersionMigration":"on"})");
  EXPECT_NE(misspelled.code(), Code::kUnsupported);
  EXPECT_FALSE(misspelled.ok());
}

TEST_F(MigrationErrorsTest, CC116_TheNoteHasNoRightThatIsNotUsed) {
  // No garbage collector runs here.
  migrate_foos();
  settle();
  EXPECT_THAT(conditions(), Contains(kDone));
  EXPECT_THAT(cluster_.unused_declarations(), Not(Contains(::testing::HasSubstr("foos"))));
  for (const std::string& each : cluster_.unused_declarations()) {
    EXPECT_THAT(each, Not(::testing::HasSubstr("storageversionmigrations")));
    EXPECT_THAT(each, Not(::testing::HasSubstr("customresourcedefinitions")));
  }
}

}  // namespace
}  // namespace davit::storageversion
