#include "cli/plugin_command.hpp"

#include <davit/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "cli/plugin_report.hpp"
#include "lib/kube/strict_json.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

Outcome inspect(const std::string& file,
                PluginInspectOptions::Output output = PluginInspectOptions::Output::kText) {
  std::ostringstream out;
  std::ostringstream err;
  Outcome outcome;
  outcome.code = run_plugin_inspect({file, output}, out, err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

TEST(PluginCommandTest, InspectSaysWhatAPluginIsNeedsAndMayDo) {
  const Outcome outcome = inspect(sample_path("good"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* line :
       {"Plugin:      sample\n", "Version:     1.2.3\n", "ABI:         1.0\n",
        "Requires:    davit.log/1\n", "Grade:       swappable\n",
        "Controller sample-controller (alias sample)\n", "  Workers:     3\n",
        "    core pods: create\n", "    apps/v1 deployments: the whole object\n"}) {
    EXPECT_THAT(outcome.out, HasSubstr(line));
  }
  EXPECT_THAT(outcome.out, HasSubstr(read_plugin_file(sample_path("good"))->digest));
}

TEST(PluginCommandTest, JsonOutputIsJson) {
  const Outcome outcome = inspect(sample_path("good"), PluginInspectOptions::Output::kJson);
  const YamlDocument document = parse_strict_json(outcome.out, "");
  ASSERT_TRUE(document.mistakes.empty()) << document.mistakes[0].str() << outcome.out;
  EXPECT_EQ(document.root.find("name")->text, "sample");
  EXPECT_EQ(document.root.find("grade")->text, "swappable");
  const YamlNode& controller = document.root.find("controllers")->items.at(0);
  EXPECT_EQ(controller.find("workers")->text, "3");
  EXPECT_EQ(controller.find("rules")->items.at(0).find("verbs")->items.at(0).text, "create");
}

TEST(PluginCommandTest, EventsOfEachControllerHaveTheComponentOfKubeControllerManager) {
  std::map<std::string, std::string> components;
  for (const auto& folder : std::filesystem::directory_iterator(DAVIT_PLUGINS)) {
    const auto file = folder.path() / (folder.path().filename().string() + ".so");
    if (!std::filesystem::exists(file)) continue;
    const Outcome outcome = inspect(file.string(), PluginInspectOptions::Output::kJson);
    const YamlDocument document = parse_strict_json(outcome.out, "");
    ASSERT_TRUE(document.mistakes.empty()) << outcome.err;
    for (const YamlNode& each : document.root.find("controllers")->items) {
      components[each.find("name")->text] = each.find("eventComponent")->text;
    }
  }

  // Other controllers of kube-controller-manager and of a cloud-controller-manager write no Events.
  const std::map<std::string, std::string> expected = {
      {"cloud-node-controller", "cloud-node-controller"},
      {"cloud-node-lifecycle-controller", "cloud-node-lifecycle-controller"},
      {"cronjob-controller", "cronjob-controller"},
      {"daemonset-controller", "daemonset-controller"},
      {"deployment-controller", "deployment-controller"},
      {"device-taint-eviction-controller", "device-taint-eviction-controller"},
      {"disruption-controller", "controllermanager"},
      {"endpoints-controller", "endpoint-controller"},
      {"endpointslice-controller", "endpoint-slice-controller"},
      {"endpointslice-mirroring-controller", "endpoint-slice-mirroring-controller"},
      {"ephemeral-volume-controller", "ephemeral_volume"},
      {"garbage-collector-controller", "garbage-collector-controller"},
      {"horizontal-pod-autoscaler-controller", "horizontal-pod-autoscaler"},
      {"job-controller", "job-controller"},
      {"node-ipam-controller", "cidrAllocator"},
      {"selinux-warning-controller", "selinux_warning"},
      {"node-lifecycle-controller", "node-controller"},
      {"node-route-controller", "route_controller"},
      {"persistentvolume-attach-detach-controller", "attachdetach-controller"},
      {"persistentvolume-binder-controller", "persistentvolume-controller"},
      {"persistentvolume-expander-controller", "volume_expand"},
      {"replicaset-controller", "replicaset-controller"},
      {"replicationcontroller-controller", "replication-controller"},
      {"resourceclaim-controller", "resource_claim"},
      {"service-lb-controller", "service-controller"},
      {"statefulset-controller", "statefulset-controller"},
      {"taint-eviction-controller", "taint-eviction-controller"},
  };
  for (const auto& [controller, component] : expected) {
    EXPECT_EQ(components[controller], component) << controller;
  }
  EXPECT_EQ(components.size(), 54U);
}

/// A report on a note with optional capabilities, limits and values of the configuration.
PluginReport report_of_limits() {
  PluginReport report;
  const NoteResult note = parse_note(R"({"name":"p","version":"1","abi":"1.0","x-team":"web",
    "optional":["davit.log/1","davit.teleport/1"],"controllers":[{"name":"c",
    "http":{"hosts":{"config":"server","default":["dns.example.com"]},
            "roots":{"config":"caFile","default":""}},
    "rules":[{"resource":"secrets","verbs":["get"],"resourceNames":["tls"],"namespaces":["a"]},
             {"nonResourceURLs":["/version"],"verbs":["get"]}],
    "watches":[{"resource":"pods","version":"v1",
      "labelSelector":{"config":"labels","default":"app=web"},"fieldSelector":{"config":"fields"},
      "namespaces":{"config":"namespaces"}}]}]})");
  EXPECT_TRUE(note.ok()) << note.mistakes.front();
  report.declaration = note.declaration;
  return report;
}

TEST(PluginCommandTest, InspectShowsLimitsAndWhatTheConfigurationGives) {
  const std::string text = report_text(report_of_limits());
  for (const char* line :
       {"Optional:    davit.log/1, davit.teleport/1; this host lacks davit.teleport/1\n",
        "    core secrets: get, names tls, namespaces a\n", "    /version: get\n",
        "    v1 pods labels from config.labels (default app=web) fields from config.fields, "
        "namespaces from config.namespaces: the whole object\n",
        "  HTTP requests\n    to config.server\n    to dns.example.com (default)\n"
        "    roots from config.caFile\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(PluginCommandTest, JsonHasTheNotesOwnForms) {
  const std::string json = report_json(report_of_limits());
  EXPECT_TRUE(parse_strict_json(json, "").mistakes.empty()) << json;
  for (const char* part :
       {R"("optional":["davit.log/1","davit.teleport/1"],"missing":["davit.teleport/1"])",
        R"("unknown":[{"path":"x-team","value":"web"}])",
        R"("resourceNames":["tls"],"namespaces":["a"]})",
        R"({"nonResourceURLs":["/version"],"verbs":["get"]})",
        R"("labelSelector":{"config":"labels","default":"app=web"})",
        R"("fieldSelector":{"config":"fields"},"namespaces":{"config":"namespaces"}})",
        R"("http":{"hosts":{"config":"server","default":["dns.example.com"]},)"
        R"("roots":{"config":"caFile","default":""}})"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST(PluginCommandTest, EveryFindingOfAFileIsReportedAtOnce) {
  const Outcome outcome = inspect(sample_path("many_faults"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("Grade:       refused\n"));
  for (const char* finding :
       {"  exports (refused): ", "  executable-stack (refused): ", "  no-note (refused): ",
        "  no-delete (load-once): ", "  thread (load-once): "}) {
    EXPECT_THAT(outcome.out, HasSubstr(finding));
  }
  EXPECT_THAT(outcome.err, HasSubstr("davit_plugin() does; needs an executable stack"));
  EXPECT_THAT(outcome.err, HasSubstr("; has no davit note"));
}

TEST(PluginCommandTest, FindingsGradeAPlugin) {
  const Outcome outcome = inspect(sample_path("thread"));
  EXPECT_EQ(outcome.code, 0) << "load-once is no mistake";
  EXPECT_THAT(outcome.out, HasSubstr("Grade:       load-once\n  thread (load-once): may start"));
}

TEST(PluginCommandTest, UnknownMemberOfANoteIsAFindingAndNoReasonToRefuse) {
  const Outcome outcome = inspect(sample_path("unknown_member"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  note-member (swappable): unknown key \"colour\""));
  EXPECT_THAT(outcome.out,
              HasSubstr("Optional:    davit.teleport/1; this host lacks davit.teleport/1\n"));
}

TEST(PluginCommandTest, RefusedFilesAreStillDescribed) {
  const Outcome outcome = inspect(sample_path("two_exports"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("Plugin:      sample\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Grade:       refused\n"));
  EXPECT_THAT(outcome.err, HasSubstr("exports sample_extra besides davit_plugin_v1"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

TEST(PluginCommandTest, NewerAndMalformedPluginsAreDistinguished) {
  EXPECT_THAT(inspect(sample_path("newer_major")).err,
              HasSubstr("needs ABI 2.0, this host has " DAVIT_ABI_VERSION_TEXT));
  EXPECT_THAT(inspect(sample_path("malformed_note")).err, HasSubstr("its davit note is wrong"));
}

TEST(PluginCommandTest, NonLibraryGetsOneLine) {
  EXPECT_EQ(inspect("/etc/passwd").err, "davit: plugin /etc/passwd: not an ELF file\n");
  EXPECT_EQ(inspect("/no/such.so").err, "davit: plugin /no/such.so: there is no such file\n");
  EXPECT_EQ(inspect("/no/such.so").code, 2);
}

TEST(PluginCommandTest, ListNamesEveryPluginAndEveryMistake) {
  const TempDirectory directory;
  copy_sample(directory, "good", "a.so");
  directory.write("b.so", "no library");
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_plugin_list({{directory.path().string()}}, out, err), 2);
  EXPECT_EQ(without_directory(out.str(), directory),
            "sample 1.2.3 swappable sample-controller DIR/a.so\n");
  EXPECT_EQ(without_directory(err.str(), directory), "davit: plugin DIR/b.so: not an ELF file\n");
}

TEST(PluginCommandTest, ListNamesOptionalCapabilities) {
  const TempDirectory directory;
  copy_sample(directory, "unknown_member", "a.so");
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_plugin_list({{directory.path().string()}}, out, err), 0) << err.str();
  EXPECT_EQ(without_directory(out.str(), directory),
            "sample 1 swappable sample-controller DIR/a.so (optional: davit.teleport/1; this host "
            "lacks davit.teleport/1)\n");
}

}  // namespace
}  // namespace davit::host
