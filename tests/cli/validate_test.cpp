// `davit plugin validate` on plugins that are good, and on a zoo of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/validate/validator.hpp"
#include "cli/validate_command.hpp"
#include "lib/base/unique_fd.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string described(const Validation& validation) {
  std::string out;
  for (const CheckResult& each : validation.checks) {
    out += each.name + " " + std::string(to_string(each.outcome)) + "\n";
    for (const std::string& line : each.lines) out += "  " + line + "\n";
    for (const std::string& line : each.output) out += "  | " + line + "\n";
  }
  return out;
}

/// Enough for a plugin to live through the first faults; explore_command_test explores for longer.
constexpr std::chrono::milliseconds kExplored{300};
/// Enough for all of them.
constexpr std::chrono::minutes kExploredWhole{1};

/// The names of the checks with this outcome.
std::vector<std::string> checks_that(const Validation& validation, CheckOutcome outcome) {
  std::vector<std::string> names;
  for (const CheckResult& each : validation.checks) {
    if (each.outcome == outcome) names.push_back(each.name);
  }
  return names;
}

Validation validate(ValidationOptions options) {
  Result<Validation> validation = validate_plugin(options);
  EXPECT_TRUE(validation) << validation.error().message();
  return validation ? *validation : Validation();
}

struct Animal {
  const char* name;
  const char* caught_by;
  const char* line;  ///< A part of the check's message.
  int limit_seconds = 300;
};

// clang-format off
constexpr Animal kZoo[] = {
    // name                caught by   says
    {"other_row",          "load",     "\"other-controller\" that its note does not declare"},
    {"null_table",         "load",     "returned no table"},
    {"constructor_exits",  "load",     "ended the process with exit status 3 (opening it)"},
    {"constructor_aborts", "load",     "ended the process with SIGABRT (opening it)"},
    {"constructor_blocks", "load",     "did not finish in time (opening it)", 15},
    {"init_fails",         "init",     "failed to start: no informer today"},
    {"init_blocks",        "init",     "did not finish in time (its InitFuncs)", 15},
    {"destroy_aborts",     "init",     "ended the process with SIGABRT (destroy())"},
    {"thread",             "threads",  "leaves a thread behind"},
    {"sync_thread",        "work",     "threads behind ("},
    {"signal",             "traces",   "changes the handler of SIGUSR1"},
    {"environment",        "traces",   "changes environment variables"},
    {"tsd_key",            "traces",   "leaves 1 thread-specific key behind"},
    {"exit_handler",       "traces",   "an exit handler that it registered ended the process"},
    {"pins_itself",        "unload",   "stays in memory although nothing in the file predicts it"},
    {"handler_blocks",     "work",     "a call has not returned: on_event"},
    {"sync_aborts",        "work",     "ended the process with SIGABRT (ordinary objects"},
    {"sync_blocks",        "work",     "a call has not returned: sync"},
    {"sync_throws",        "work",     "an exception left the plugin's code"},
    {"unknown_code",       "work",     "a sync returned an unknown code 4711"},
    {"never_rests",        "work",     "does not become idle although nothing changes"},
    {"late_call",          "work",     "used a call that had returned"},
    {"frees_host_memory",  "work",     "memory was freed that the host has lent"},
    {"recursion",          "work",     "its stack is full: calls go deeper without end"},
    {"swallows_misuse",    "work",     "informer_get() answered Misuse"},
    {"kept_value",         "borrow",   "touches a value after the call that lent it has returned"},
    {"swallows_undeclared", "rights",  "no \"spec.containers\" of pods"},
    {"trusts_server",      "errors",   "ended the process with SIGABRT"},
    {"ignores_cancel",     "leader",   "a call has not returned: sync"},
    {"undeclared_request", "rights",   "declares no rule for delete of pods"},
    {"undeclared_read",    "rights",   "no \"spec.containers\" of pods"},
    {"trusts_objects",     "hostile",  "ended the process with SIGABRT (pods hostile-1-"},
    {"selects_and_trusts", "hostile",  "ended the process with SIGABRT (pods only:"},
    {"leaks_memory",       "leaks",    "bytes on the heap grow"},
    {"leaks_descriptor",   "leaks",    "open descriptors grow"},
    // It is unmapped, but each build leaves the memory that its runtime keeps for exceptions.
    {"own_runtime",        "leaks",    "bytes on the heap grow"},
    {"leaks_mapping",      "leaks",    "memory mappings grow"},
    {"retains",            "leaks",    "retains more objects with each change"},
    {"one_at_a_time",      "swap",     "init-failed"},
    {"trusts_state",       "state",    "with SIGABRT (zoo-controller reads a state:"},
    {"forgets_state",      "state",    "bytes or more with each round of states"},
    {"blocks_at_odd_body", "explore",  "a call has not returned (the explored run request#"},
};
// clang-format on

class ZooTest : public testing::TestWithParam<Animal> {};

TEST_P(ZooTest, IsCaughtByExactlyTheCheckThatIsForIt) {
  const Animal& animal = GetParam();
  const bool is_explored = std::string_view(animal.caught_by) == "explore";
  const Validation validation =
      validate({.file = std::string(DAVIT_ZOO) + "/" + animal.name + ".so",
                .seed = 1,
                .limit = std::chrono::seconds(animal.limit_seconds),
                .explored = is_explored ? kExploredWhole : kExplored});

  EXPECT_EQ(checks_that(validation, CheckOutcome::kFailed),
            std::vector<std::string>{animal.caught_by})
      << described(validation);
  EXPECT_THAT(described(validation), HasSubstr(animal.line));
}

INSTANTIATE_TEST_SUITE_P(Zoo, ZooTest, testing::ValuesIn(kZoo),
                         [](const auto& each) { return std::string(each.param.name); });

// clang-format off
constexpr Animal kClouds[] = {
    // name            caught by   says
    {"aborts",         "provider", "ended the process with SIGABRT (ensure load balancer"},
    {"blocks",         "provider", "has not returned 5 s after it was cancelled"},
    {"throws",         "provider", "an exception left the plugin's code: ensure load balancer"},
    {"without_status", "provider", "ensure succeeds without a status"},
    {"changes",        "provider", "ensure twice gives two results"},
    {"many_ingresses", "provider", "ensure gives a Service 10000 entries of ingress"},
    {"forgets",        "provider", "there is no load balancer after ensure has made it"},
    {"keeps",          "provider", "get says that there is a load balancer after remove"},
    {"misses",         "provider", "remove of what is not there fails: "},
    {"takes_all",      "provider", "remove of one Service takes the load balancer of another"},
    {"other_machine",  "provider", "metadata gives two Nodes one providerID: zoo://other-1"},
    {"other_address",  "provider", "a Node the address of another one: InternalIP 192.0.2.7"},
    {"many_addresses", "provider", "metadata gives a Node 10000 addresses"},
    {"nonsense",       "provider", "of a machine: the provider's answer is not valid"},
    {"loses_machines", "provider", "exists says that there is no machine of a Node whose"},
    {"other_text",     "provider", "list lacks 10.244.1.0/24, which was created"},
    {"other_target",   "provider", "10.244.1.0/24 with another Node than provided-1"},
    {"twice",          "provider", "create twice makes two routes"},
    {"reads_spec",     "provider", "no \"spec\" of "},
};
// clang-format on

std::string cloud_file(const std::string& name) { return DAVIT_ZOO "/cloud_" + name + ".so"; }

class ProviderZooTest : public testing::TestWithParam<Animal> {};

TEST_P(ProviderZooTest, ABadProviderIsCaughtByTheCheckOfProviders) {
  const Validation validation =
      validate({.file = cloud_file(GetParam().name), .seed = 1, .checks = {GetParam().caught_by}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kFailed),
            std::vector<std::string>{GetParam().caught_by})
      << described(validation);
  EXPECT_THAT(described(validation), HasSubstr(GetParam().line));
}

INSTANTIATE_TEST_SUITE_P(Zoo, ProviderZooTest, testing::ValuesIn(kClouds),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ProviderValidateTest, AGoodProviderInCPassesEveryCheck) {
  const Validation validation = validate({.file = cloud_file("good"),
                                          .seed = 1,
                                          .limit = std::chrono::seconds(300),
                                          .explored = kExplored});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), Not(HasSubstr("was not tried")));
}

TEST(ProviderValidateTest, AGoodProviderInCppPasses) {
  const TempDirectory directory;
  const std::filesystem::path config =
      directory.write("config.yaml",
                      "pools: [{name: lan, addresses: [192.168.1.200-192.168.1.220]}]\n"
                      "routes: {kind: table}\ninstances: {kind: nodes}\n");
  const Validation validation = validate({.file = DAVIT_PLUGINS "/pools/pools.so",
                                          .seed = 1,
                                          .checks = {"provider"},
                                          .configs = {config.string()}});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), Not(HasSubstr("was not tried"))) << "all of it is";
}

TEST(ProviderValidateTest, AProviderWithoutAConfigurationOffersNothing) {
  const Validation validation =
      validate({.file = DAVIT_PLUGINS "/pools/pools.so", .seed = 1, .checks = {"provider"}});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), HasSubstr("it offers no part of a cloud"));
}

TEST(ProviderValidateTest, AProviderThatSaysWhenToTryAgainIsCalledThen) {
  const Validation validation =
      validate({.file = cloud_file("later"), .seed = 1, .checks = {"provider"}});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), Not(HasSubstr("was not tried")));
}

TEST(ProviderValidateTest, AProviderThatDoesNotReachItsCloudIsJudgedByWhatItSays) {
  const Validation validation =
      validate({.file = cloud_file("unreachable"), .seed = 1, .checks = {"provider"}});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), HasSubstr("ensure of the provider says: Unavailable; what "
                                               "depends on it was not tried"));
}

TEST(ProviderValidateTest, WhatSlowsItsLoopDownIsAWarning) {
  const std::pair<const char*, const char*> kSlow[] = {
      {"waits", "ensure load balancer has not answered in 10 s"},
      {"much_later", "ensure load balancer asks for a pause of an hour or more"},
      {"unknown_code", "ensure load balancer: unknown code 4711"}};
  for (const auto& [name, line] : kSlow) {
    const Validation validation =
        validate({.file = cloud_file(name), .seed = 1, .checks = {"provider"}});
    EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"provider"})
        << described(validation);
    EXPECT_THAT(described(validation), HasSubstr(line));
  }
}

struct Shipped {
  const char* name;
  const char* file;
};
constexpr Shipped kShipped[] = {
    {"bootstrap", DAVIT_PLUGINS "/bootstrap/bootstrap.so"},
    {"certificates", DAVIT_PLUGINS "/certificates/certificates.so"},
    {"cloud", DAVIT_PLUGINS "/cloud/cloud.so"},
    {"clusterroleaggregation", DAVIT_PLUGINS "/clusterroleaggregation/clusterroleaggregation.so"},
    {"cronjob", DAVIT_PLUGINS "/cronjob/cronjob.so"},
    {"daemonset", DAVIT_PLUGINS "/daemonset/daemonset.so"},
    {"deployment", DAVIT_PLUGINS "/deployment/deployment.so"},
    {"devicetaint", DAVIT_PLUGINS "/devicetaint/devicetaint.so"},
    {"disruption", DAVIT_PLUGINS "/disruption/disruption.so"},
    {"endpoint", DAVIT_PLUGINS "/endpoint/endpoint.so"},
    {"endpointslicemirroring", DAVIT_PLUGINS "/endpointslicemirroring/endpointslicemirroring.so"},
    {"ephemeralvolume", DAVIT_PLUGINS "/ephemeralvolume/ephemeralvolume.so"},
    {"garbagecollector", DAVIT_PLUGINS "/garbagecollector/garbagecollector.so"},
    {"job", DAVIT_PLUGINS "/job/job.so"},
    {"namespace", DAVIT_PLUGINS "/namespace/namespace.so"},
    {"admissionpolicy", DAVIT_PLUGINS "/admissionpolicy/admissionpolicy.so"},
    {"attachdetach", DAVIT_PLUGINS "/attachdetach/attachdetach.so"},
    {"nodeipam", DAVIT_PLUGINS "/nodeipam/nodeipam.so"},
    {"nodelifecycle", DAVIT_PLUGINS "/nodelifecycle/nodelifecycle.so"},
    {"podautoscaler", DAVIT_PLUGINS "/podautoscaler/podautoscaler.so"},
    {"podgc", DAVIT_PLUGINS "/podgc/podgc.so"},
    {"pools", DAVIT_PLUGINS "/pools/pools.so"},
    {"replicaset", DAVIT_PLUGINS "/replicaset/replicaset.so"},
    {"replicationcontroller", DAVIT_PLUGINS "/replicationcontroller/replicationcontroller.so"},
    {"resourceclaim", DAVIT_PLUGINS "/resourceclaim/resourceclaim.so"},
    {"resourcequota", DAVIT_PLUGINS "/resourcequota/resourcequota.so"},
    {"selinuxwarning", DAVIT_PLUGINS "/selinuxwarning/selinuxwarning.so"},
    {"serviceaccount", DAVIT_PLUGINS "/serviceaccount/serviceaccount.so"},
    {"servicecidr", DAVIT_PLUGINS "/servicecidr/servicecidr.so"},
    {"statefulset", DAVIT_PLUGINS "/statefulset/statefulset.so"},
    {"storageversion", DAVIT_PLUGINS "/storageversion/storageversion.so"},
    {"ttl", DAVIT_PLUGINS "/ttl/ttl.so"},
    {"ttlafterfinished", DAVIT_PLUGINS "/ttlafterfinished/ttlafterfinished.so"},
    {"volumebinder", DAVIT_PLUGINS "/volumebinder/volumebinder.so"},
    {"volumeprotection", DAVIT_PLUGINS "/volumeprotection/volumeprotection.so"},
    {"greeter_in_cpp", DAVIT_GREETER_PLUGIN},
    {"config_mirror_in_rust", DAVIT_CONFIG_MIRROR_PLUGIN},
    {"state_in_rust", DAVIT_TALLY_PLUGIN},
    {"zoo_good", DAVIT_ZOO "/good.so"},
    // In a library, atexit() runs its handlers at the unload.
    {"zoo_atexit_handler", DAVIT_ZOO "/atexit_handler.so"},
    {"zoo_with_state", DAVIT_ZOO "/state.so"}};

class ShippedPluginTest : public testing::TestWithParam<Shipped> {};

TEST_P(ShippedPluginTest, PassesEveryCheck) {
  const Validation validation = validate({.file = GetParam().file,
                                          .seed = 1,
                                          .limit = std::chrono::seconds(300),
                                          .explored = kExplored});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_TRUE(checks_that(validation, CheckOutcome::kNotRun).empty());
}

INSTANTIATE_TEST_SUITE_P(Shipped, ShippedPluginTest, testing::ValuesIn(kShipped),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(PluginValidateTest, AFileThatMayNotBeLoadedFailsTheFirstCheckAndNothingOfItRuns) {
  const Validation validation = validate({.file = std::string(DAVIT_SAMPLES) + "/two_exports.so"});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kFailed), std::vector<std::string>{"elf"});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kPassed), std::vector<std::string>());
  EXPECT_EQ(validation.grade, Grade::kRefused);
}

TEST(PluginValidateTest, PluginThatSelectsItsObjectsPassesWithinTheLimitOfEachCheck) {
  const Validation validation = validate({.file = DAVIT_ZOO "/selects.so", .seed = 1});
  EXPECT_TRUE(validation.ok()) << described(validation);
}

TEST(PluginValidateTest, PluginThatCallsServersOutsidePassesWithinTheLimitOfEachCheck) {
  const Validation validation = validate({.file = DAVIT_ZOO "/calls_out.so", .seed = 1});
  EXPECT_TRUE(validation.ok()) << described(validation);
}

TEST(PluginValidateTest, SyncsThatFailOnHostileObjectsAreNamed) {
  const Validation validation =
      validate({.file = DAVIT_ZOO "/calls_out.so", .seed = 1, .checks = {"hostile"}});
  EXPECT_THAT(described(validation),
              testing::ContainsRegex("syncs failed with an error:\n    Unavailable "
                                     "\\([0-9]+ times, first key default/hostile-1-0\\)"));
}

TEST(PluginValidateTest, WhatKeepsAPluginInMemoryIsAWarning) {
  const Validation validation = validate({.file = DAVIT_ZOO "/no_delete.so", .checks = {"unload"}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"elf"});
  EXPECT_EQ(validation.grade, Grade::kLoadOnce);
  EXPECT_THAT(described(validation), HasSubstr("stays in memory, as its grade predicts"));
}

TEST(PluginValidateTest, RuntimeOfItsOwnIsAWarning) {
  const Validation validation =
      validate({.file = DAVIT_ZOO "/static_libstdcxx.so", .checks = {"elf"}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"elf"});
  EXPECT_THAT(described(validation), HasSubstr("static-cxx-runtime: "));
}

TEST(PluginValidateTest, NamespaceInWhichItNeverWritesIsAWarning) {
  const Validation validation =
      validate({.file = DAVIT_ZOO "/one_namespace.so", .checks = {"namespaces"}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"namespaces"});
  EXPECT_THAT(described(validation),
              HasSubstr("times in the namespace default, and never in trial-a"));
}

TEST(PluginValidateTest, ObjectsThatOnlyALaggingCacheMakesAreAWarning) {
  const Validation validation =
      validate({.file = std::string(DAVIT_ZOO) + "/trusts_cache.so", .seed = 1, .checks = {"lag"}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"lag"});
  EXPECT_THAT(described(validation), HasSubstr("if its watches do not lag: give what it creates"));
}

TEST(PluginValidateTest, ObjectsMadeFromASchemaGiveTheControllerWork) {
  const Validation validation = validate({.file = DAVIT_WEB_APP_PLUGIN,
                                          .seed = 1,
                                          .checks = {"rights"},
                                          .definitions = DAVIT_WEB_APP_DEFINITION});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), Not(HasSubstr("breaks it")));
  EXPECT_THAT(described(validation), Not(HasSubstr(R"("create" of the rule {"group":"apps")")))
      << "it creates a Deployment for a valid WebApp";
}

/// Work for the desk: an order and an invoice.
constexpr char kPapers[] = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {desk: order}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, labels: {desk: invoice}}
)";

TEST(PluginValidateTest, WorkThatASingleFaultLosesIsAWarningWithItsPlan) {
  const TempDirectory directory;
  const Validation validation = validate({.file = DAVIT_DESK,
                                          .seed = 1,
                                          .checks = {"explore"},
                                          .objects = directory.write("papers.yaml", kPapers),
                                          .explored = kExploredWhole});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"explore"});
  EXPECT_THAT(described(validation),
              HasSubstr("loses work, or does it again, when it stops in between (request#"));
  EXPECT_THAT(described(validation), HasSubstr("davit plugin explore shows such a run"));
}

TEST(PluginValidateTest, FaultsForWhichThereIsNoTimeAreCountedInANote) {
  const Validation validation = validate({.file = DAVIT_ZOO "/good.so",
                                          .checks = {"explore"},
                                          .explored = std::chrono::milliseconds(0)});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), HasSubstr("3 of "));
  EXPECT_THAT(described(validation), HasSubstr("davit plugin explore also tries the others"));
}

TEST(PluginValidateTest, PluginThatIgnoresItsCancellationIsNotExplored) {
  const Validation validation =
      validate({.file = DAVIT_ZOO "/ignores_cancel.so", .seed = 1, .checks = {"explore"}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kFailed), std::vector<std::string>{"leader"});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kNotRun), std::vector<std::string>{"explore"});
}

TEST(PluginValidateTest, ObjectsThatAServerRefusesAreExploredAllTheSame) {
  const Validation validation = validate(
      {.file = DAVIT_PLUGINS "/attachdetach/attachdetach.so", .seed = 1, .checks = {"explore"}});
  EXPECT_TRUE(validation.ok()) << described(validation);
  EXPECT_THAT(described(validation), Not(HasSubstr("nothing is explored")));
}

TEST(PluginValidateTest, DefinitionOfAProtectedGroupIsApprovedInTheExploredCluster) {
  const Validation validation = validate(
      {.file = DAVIT_PLUGINS "/certificates/certificates.so", .seed = 1, .checks = {"explore"}});
  EXPECT_TRUE(validation.ok()) << described(validation);
}

TEST(PluginValidateTest, DeclarationsThatNothingUsedAreNotes) {
  const Validation validation = validate({.file = DAVIT_ZOO "/good.so", .checks = {"rights"}});
  EXPECT_TRUE(validation.ok());
  EXPECT_THAT(
      described(validation),
      HasSubstr("zoo-controller: nothing read metadata.annotations, spec.nodeName of pods"));
  EXPECT_THAT(described(validation), Not(HasSubstr("nothing needed")));
  EXPECT_THAT(described(validation), Not(HasSubstr("wrote anything")));
}

/// A folder with one file.
class InputTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return directory_.write(name, text);
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return directory_.path(); }

 private:
  const TempDirectory directory_;
};

TEST_F(InputTest, ObjectsOfTheUserArePlayed) {
  const ValidationOptions options{
      .file = DAVIT_ZOO "/aborts_at_mark.so", .seed = 1, .checks = {"work"}};
  EXPECT_TRUE(validate(options).ok()) << "no ordinary pod has the mark";

  write("pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: marked, labels: {fatal: \"\"}}\n"
        "spec: {containers: [{name: app, image: app}]}\n");
  ValidationOptions with = options;
  with.objects = folder();
  EXPECT_THAT(described(validate(with)),
              HasSubstr("ended the process with SIGABRT (ordinary objects "));
}

TEST_F(InputTest, ObjectsThatTheServerRefusesAreNamedByFileLineAndField) {
  const std::string file =
      write("objects.yaml",
            "---\napiVersion: v1\nkind: Pod\nmetadata: {name: bare}\nspec: {containers: []}\n");
  const Result<Validation> validation =
      validate_plugin({.file = DAVIT_ZOO "/good.so", .objects = file});
  ASSERT_FALSE(validation);
  EXPECT_THAT(validation.error().message(), HasSubstr(file + ":2:1: Pod bare: "));
  EXPECT_THAT(validation.error().message(), HasSubstr("spec.containers"));
}

TEST_F(InputTest, ConfigurationReachesTheController) {
  const ValidationOptions options{.file = DAVIT_ZOO "/needs_config.so", .checks = {"init"}};
  EXPECT_THAT(described(validate(options)), HasSubstr("the configuration has no colour"));

  ValidationOptions with = options;
  with.configs = {"zoo-controller=" + write("config.yaml", "colour: red\n")};
  EXPECT_TRUE(validate(with).ok());
}

TEST_F(InputTest, ConfigurationOfAControllerThatThereIsNotIsRefused) {
  const Result<Validation> validation =
      validate_plugin({.file = DAVIT_ZOO "/good.so",
                       .configs = {"lion-controller=" + write("config.yaml", "colour: red\n")}});
  ASSERT_FALSE(validation);
  EXPECT_THAT(validation.error().message(),
              HasSubstr("the plugin has no controller lion-controller; it has zoo-controller"));
}

TEST(PluginValidateTest, UnknownMemberOfTheNoteIsAWarning) {
  const Validation validation =
      validate({.file = std::string(DAVIT_SAMPLES) + "/unknown_member.so", .checks = {"elf"}});
  EXPECT_EQ(checks_that(validation, CheckOutcome::kWarned), std::vector<std::string>{"elf"});
  EXPECT_THAT(described(validation), HasSubstr("note-member: unknown key \"colour\""));
}

TEST(PluginValidateTest, OneSeedMakesTheSameObjects) {
  const ValidationOptions options{
      .file = DAVIT_ZOO "/trusts_objects.so", .seed = 7, .checks = {"hostile"}};
  const std::string first = described(validate(options));
  EXPECT_THAT(first, HasSubstr("hostile-7-"));
  EXPECT_EQ(described(validate(options)), first);
}

TEST(PluginValidateTest, TheCommandSaysHowItWentAndHowToDoTheSameAgain) {
  std::ostringstream out;
  std::ostringstream err;
  PluginValidateOptions options;
  options.file = DAVIT_ZOO "/null_table.so";
  options.seed = 42;
  EXPECT_EQ(run_plugin_validate(options, out, err), 1);
  EXPECT_THAT(out.str(), HasSubstr("failed  load"));
  EXPECT_THAT(out.str(), HasSubstr("not-run init"));
  EXPECT_THAT(out.str(), HasSubstr("zoo 1 is not fit to run, grade swappable"));
  EXPECT_THAT(out.str(), HasSubstr("--seed 42"));

  out.str("");
  options.file = DAVIT_ZOO "/good.so";
  options.checks = {"load"};
  options.output = PluginValidateOptions::Output::kJson;
  EXPECT_EQ(run_plugin_validate(options, out, err), 0);
  EXPECT_THAT(out.str(), HasSubstr(R"("ok":true)"));
  EXPECT_THAT(out.str(), HasSubstr(R"("name":"load","outcome":"passed")"));
}

TEST(PluginValidateTest, SignalThatEndsItLeavesNoDirectoryBehind) {
  const TempDirectory directory;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const UniqueFd read_end(pipe[0]);
  UniqueFd write_end(pipe[1]);
  const pid_t process = fork();
  if (process == 0) {
    setenv("XDG_RUNTIME_DIR", directory.path().c_str(), 1);
    std::ofstream out("/dev/fd/" + std::to_string(write_end.get()));
    PluginValidateOptions options;
    options.file = DAVIT_ZOO "/constructor_blocks.so";
    _exit(run_plugin_validate(options, out, out));
  }
  write_end.reset();
  char first = 0;
  EXPECT_EQ(::read(read_end.get(), &first, 1), 1) << "the result of the first check";
  EXPECT_FALSE(std::filesystem::is_empty(directory.path()));

  ::kill(process, SIGINT);
  int status = 0;
  ::waitpid(process, &status, 0);

  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(PluginValidateTest, LogSaysEveryTenSecondsHowFarACheckHasCome) {
  std::ostringstream out;
  ValidationView view(out, ProgressLine::Screen::kLog);
  for (int second = 0; second <= 25; ++second) {
    const std::string progress = std::to_string(second) + " of 64 objects";
    view.show({"hostile", "objects", progress, std::chrono::seconds(second)});
  }
  view.show({"hostile", "objects", CheckOutcome::kPassed, {}, {}, {}});
  EXPECT_EQ(out.str(),
            "running hostile    objects: 10 of 64 objects, 10 s\n"
            "running hostile    objects: 20 of 64 objects, 20 s\n"
            "passed  hostile    objects\n");
}

TEST(PluginValidateTest, TerminalShowsInOneLineHowFarACheckHasCome) {
  std::ostringstream out;
  ValidationView view(out, ProgressLine::Screen::kTerminal);
  view.show({"leaks", "memory", "round 1", std::chrono::milliseconds(0)});
  view.show({"leaks", "memory", "round 1", std::chrono::milliseconds(200)});
  view.show({"leaks", "memory", "round 2", std::chrono::milliseconds(1200)});
  view.show({"leaks", "memory", CheckOutcome::kPassed, {}, {}, {}});
  EXPECT_EQ(out.str(),
            "\r\x1b[Krunning leaks      memory: round 1, 0 s"
            "\r\x1b[Krunning leaks      memory: round 2, 1 s"
            "\r\x1b[Kpassed  leaks      memory\n");
}

TEST(PluginValidateTest, CheckThatTakesLongSaysHowFarItHasCome) {
  std::vector<std::string> heard;
  ValidationObserver observer;
  observer.on_running = [&](const CheckProgress& running) { heard.push_back(running.progress); };
  const auto validation =
      validate_plugin({.file = DAVIT_ZOO "/good.so", .checks = {"init"}}, observer);
  ASSERT_TRUE(validation);
  EXPECT_THAT(heard, testing::Contains("start 2 of 5"));
}

TEST(PluginValidateTest, ObjectThatIsRetriedForEverIsNotHeldAgainstTheNextOne) {
  const Validation validation = validate(
      {.file = DAVIT_PLUGINS "/replicaset/replicaset.so", .seed = 579272, .checks = {"hostile"}});
  EXPECT_TRUE(validation.ok()) << described(validation);
}

TEST(PluginValidateTest, UsageMistakesAreReported) {
  std::ostringstream out;
  std::ostringstream err;
  PluginValidateOptions options;
  options.file = "nowhere.so";
  EXPECT_EQ(run_plugin_validate(options, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("nowhere.so"));
  options.checks = {"teeth"};
  EXPECT_EQ(run_plugin_validate(options, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("there is no check teeth; there are elf, load, init"));
}

}  // namespace
}  // namespace davit::host
