/// A plugin that crashes in a loop, under a host as an operator runs it. Needs kubectl only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "tests/live/conformance/plugin_host.hpp"
#include "tests/support/http_client.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class CrashTest : public PluginHostTest {
 protected:
  CrashTest() {
    place("crasher", DAVIT_CRASHER_PLUGIN);
    place("replicaset", DAVIT_REPLICASET_PLUGIN);
  }

  std::vector<std::string> flags() {
    port_ = free_port();
    return {"--port=" + std::to_string(port_), "--state-dir=" + (scratch() / "state").string(),
            "--quarantine-crashes=2"};
  }
  std::unique_ptr<Process> start_well() { return start(flags()); }
  /// A host that crashes; what it printed.
  std::string crash() {
    const auto host = start_any(flags());
    const std::optional<int> code = host->wait(minutes(4));
    EXPECT_TRUE(code) << "it does not crash";
    // Under a sanitizer its handler comes after ours, and exits.
    EXPECT_THAT(code.value_or(0), AnyOf(128 + SIGSEGV, 1, 66));
    return host->output();
  }
  static void stop(Process& host) {
    host.signal(SIGTERM);
    EXPECT_EQ(host.wait(minutes(4)), 0) << host.output();
  }

  [[nodiscard]] std::string get(const std::string& target) const {
    test::HttpClient client(static_cast<std::uint16_t>(port_));
    client.send("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.read_all();
  }

  /// The number of reports about killed processes.
  static int reports(const Process& host) {
    int count = 0;
    const std::string log = host.output();
    for (auto at = log.find(kKilled); at != log.npos; at = log.find(kKilled, at + 1)) ++count;
    return count;
  }
  static constexpr const char* kKilled = "An earlier process was killed";

  int port_ = 0;
};

TEST_F(CrashTest, APluginThatCrashesInALoopIsLeftOutAndTheRestRuns) {
  kubectl({"create", "configmap", "boom"});
  EXPECT_THAT(crash(), HasSubstr("crashed with SIGSEGV at address 0x8 in plugin crasher, build "));
  EXPECT_THAT(crash(), HasSubstr("controller crasher-controller, sync of key \"boom\""));

  const auto host = start_well();

  const std::string why = "plugin crasher is quarantined: build ";
  EXPECT_THAT(host->output(), HasSubstr("A plugin is quarantined, because it is in a crash loop"));
  EXPECT_THAT(ctl({"status"}).out, HasSubstr(why));
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("replicaset-controller"));
  EXPECT_TRUE(
      eventually(minutes(4), [&] { return get("/readyz").find("200 OK") != std::string::npos; }));
  EXPECT_THAT(get("/readyz?verbose"), HasSubstr("[!]quarantine details withheld"));
  EXPECT_THAT(get("/metrics"), HasSubstr(",plugin=\"crasher\"} 1\n"));
  const auto events = [&] { return kubectl({"get", "events", "-n", "kube-system"}); };
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return events().find("PluginQuarantined") != std::string::npos;
  })) << events();
  kubectl({"create", "deployment", "web", "--image=nginx", "--replicas=0"});
  stop(*host);

  place("crasher", DAVIT_MENDED_PLUGIN);
  const auto mended = start_well();
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("crasher-controller"));
  EXPECT_THAT(ctl({"status"}).out, Not(HasSubstr("is quarantined")));
  stop(*mended);
}

TEST_F(CrashTest, LoadingItLiftsTheQuarantine) {
  kubectl({"create", "configmap", "boom"});
  (void)crash();
  (void)crash();
  auto host = start_well();
  ASSERT_THAT(ctl({"status"}).out, HasSubstr("is quarantined"));
  kubectl({"delete", "configmap", "boom"});

  const Outcome loaded = ctl({"load", file("crasher").string()});

  EXPECT_EQ(loaded.code, 0) << loaded.err;
  EXPECT_THAT(ctl({"status"}).out, Not(HasSubstr("is quarantined")));
  EXPECT_THAT(get("/readyz?verbose"), Not(HasSubstr("quarantine")));
  stop(*host);
  host = start_well();
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("crasher-controller"));
  stop(*host);
}

// Issue 38, 1.5: the host ended with code 0 and no word, and did so at each start.
TEST_F(CrashTest, APluginThatCallsExitIsReportedAndLeftOut) {
  kubectl({"create", "configmap", "leave"});
  for (int i = 0; i < 2; ++i) {  // As often as leaves a build out.
    const auto leaving = start_any(flags());
    EXPECT_EQ(leaving->wait(minutes(4)), 1);
    EXPECT_THAT(leaving->output(),
                HasSubstr("davit: exit(0) was called in plugin crasher, build "));
    EXPECT_THAT(leaving->output(), HasSubstr("sync of key \"leave\""));
  }

  const auto host = start_well();

  EXPECT_THAT(ctl({"status"}).out, HasSubstr("plugin crasher is quarantined: build "));
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("replicaset-controller"));
  EXPECT_THAT(host->output(), Not(HasSubstr(kKilled)));
  stop(*host);
}

TEST_F(CrashTest, AHostThatWasKilledIsReportedByTheNextOneOnly) {
  auto host = start_well();
  host->signal(SIGKILL);
  EXPECT_TRUE(host->wait(minutes(4)));

  host = start_well();
  EXPECT_EQ(reports(*host), 1);
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return get("/status.json").find("\"signal\":\"killed\"") != std::string::npos;
  }));
  stop(*host);
  host = start_well();
  EXPECT_EQ(reports(*host), 1) << "the log is that of all three";
  stop(*host);
}

TEST_F(CrashTest, ACrashInTheShadowIsThatBuildsAndWhatServedRunsAtTheNextStart) {
  place("crasher", DAVIT_CRASHER_PLUGIN);
  const std::filesystem::path shadow = scratch() / "shadow.so";
  std::filesystem::rename(file("crasher"), shadow);
  const std::string build = run({"sha256sum", shadow.string()}).out.substr(0, 12);
  place("crasher", DAVIT_MENDED_PLUGIN);
  kubectl({"create", "configmap", "boom"});

  for (int i = 0; i < 2; ++i) {  // As often as leaves a build out.
    const auto host = start_well();
    (void)ctl({"shadow", "crasher", shadow.string()});  // Whose response may be lost.
    EXPECT_TRUE(host->wait(minutes(4))) << "it does not crash";
    EXPECT_THAT(host->output(), HasSubstr("in plugin crasher, build " + build +
                                          ", generation 2, controller crasher-controller, sync of "
                                          "key \"boom\""));
  }

  auto host = start_well();
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("crasher-controller"));
  EXPECT_THAT(ctl({"status"}).out, Not(HasSubstr("is quarantined")));
  stop(*host);
  std::filesystem::rename(shadow, file("crasher"));
  host = start_well();
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("plugin crasher is quarantined: build " + build));
  stop(*host);
}

}  // namespace
}  // namespace davit::live
