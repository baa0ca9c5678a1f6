#include "host/credentials/exec_credentials.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <future>

#include "tests/host/credentials/credentials_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

class ExecTest : public CredentialsTest {
 protected:
  // A plugin that counts its runs in a file and prints a token with that number.
  void use_plugin(const std::string& extra_status = "",
                  const std::string& version = "client.authentication.k8s.io/v1") {
    use_script("echo run >> " + dir_.path().string() +
               "/runs\n"
               "n=$(wc -l < " +
               dir_.path().string() + "/runs)\n" + "echo \"{\\\"kind\\\":\\\"ExecCredential\\\"," +
               "\\\"apiVersion\\\":\\\"" + version + "\\\"," +
               "\\\"status\\\":{\\\"token\\\":\\\"T$n\\\"" + extra_status + "}}\"\n");
  }
  void use_script(const std::string& body) {
    config_.server = "https://10.0.0.1:6443";
    config_.exec.emplace();
    config_.exec->command = dir_.script("plugin", body);
    config_.exec->api_version = "client.authentication.k8s.io/v1";
  }
  [[nodiscard]] std::size_t runs() const {
    const std::string log = dir_.read("runs");
    return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
  }
};

TEST_F(ExecTest, PluginRunsOnceUntilItsCredentialsExpireRT024) {
  // kWallStart + 60 s.
  use_plugin(",\\\"expirationTimestamp\\\":\\\"2026-01-01T00:01:00Z\\\"");
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(authorization(**credentials), "Bearer T1");
    clock_.advance(seconds(5));
  }
  EXPECT_EQ(runs(), 1u);
  clock_.advance(seconds(11));
  EXPECT_EQ(authorization(**credentials), "Bearer T2");
  EXPECT_EQ(metrics_.of("exec no_error"), 2);
}

TEST_F(ExecTest, UnauthorizedRunsThePluginAgainRT025) {
  use_plugin();
  Stack stack(*make());
  test::ScriptedResponse unauthorized;
  unauthorized.status = 401;
  stack.fake->respond(unauthorized);
  stack.fake->respond({});
  Collector first;
  Collector second;
  static_cast<void>(stack.whole->start({}, first));
  static_cast<void>(stack.whole->start({}, second));

  EXPECT_EQ(first.status_, 401) << "the response itself is handed on";
  EXPECT_EQ(runs(), 2u);
  EXPECT_THAT(stack.fake->requests()[1].headers, Contains(Pair("Authorization", "Bearer T2")));
}

TEST_F(ExecTest, UnauthorizedForOlderCredentialsDoesNotRunThePluginAgain) {
  use_plugin();
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  const Credential old = *(*credentials)->get();
  (*credentials)->rejected(old);
  EXPECT_EQ(authorization(**credentials), "Bearer T2");
  (*credentials)->rejected(old);
  EXPECT_EQ(authorization(**credentials), "Bearer T2");
}

TEST_F(ExecTest, ARequestIsReadyWhileTheCredentialsAreValid) {
  // kWallStart + 60 s.
  use_plugin(",\\\"expirationTimestamp\\\":\\\"2026-01-01T00:01:00Z\\\"");
  Stack stack(*make());
  EXPECT_FALSE(stack.whole->is_ready());
  EXPECT_TRUE(stack.whole->prepare().ok());
  EXPECT_TRUE(stack.whole->is_ready());
  EXPECT_EQ(runs(), 1u);
  clock_.advance(seconds(61));
  EXPECT_FALSE(stack.whole->is_ready());
}

TEST_F(ExecTest, APreparationFailsAsItsRequestWould) {
  use_script("exit 3\n");
  Stack stack(*make());
  const Status status = stack.whole->prepare();
  EXPECT_EQ(status.code(), Code::kForbidden);
  EXPECT_THAT(status.message(), HasSubstr("getting credentials: exec: executable"));
  EXPECT_FALSE(stack.whole->is_ready());
}

TEST_F(ExecTest, ClusterIsPassedOnlyWhenWantedRT026) {
  use_script("printf '%s' \"$KUBERNETES_EXEC_INFO\" > " + dir_.path().string() + "/info\n");
  config_.ca_data = "PEM";
  config_.exec->provide_cluster_info = true;
  config_.exec->cluster_extension = R"({"audience":"x"})";
  EXPECT_FALSE((*make())->get());
  EXPECT_EQ(dir_.read("info"),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false,"cluster":{"server":"https://10.0.0.1:6443",)"
            R"("certificate-authority-data":"UEVN","config":{"audience":"x"}}}})");
  config_.exec->provide_cluster_info = false;
  EXPECT_EQ(exec_info(config_), R"({"kind":"ExecCredential","apiVersion":)"
                                R"("client.authentication.k8s.io/v1",)"
                                R"("spec":{"interactive":false}})");
}

TEST_F(ExecTest, FailureIsSharedByAllThatWaitedForIt) {
  const std::string folder = dir_.path().string();
  ASSERT_EQ(::mkfifo((folder + "/go").c_str(), 0600), 0);
  use_script("echo run >> " + folder + "/runs\nread line < " + folder + "/go\nexit 1\n");
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  const auto ask = [&] { return (*credentials)->get().error().message(); };
  auto first = std::async(std::launch::async, ask);
  auto second = std::async(std::launch::async, ask);
  clock_.await_waiters(1);

  std::ofstream(folder + "/go") << "on\n";

  EXPECT_THAT(first.get(), HasSubstr("failed with exit code 1"));
  EXPECT_THAT(second.get(), HasSubstr("failed with exit code 1"));
  EXPECT_EQ(runs(), 1u);
}

TEST_F(ExecTest, VersionMismatchFailsTheRequestRT027) {
  use_plugin("", "client.authentication.k8s.io/v1beta1");
  EXPECT_THAT(authorization(**make()), HasSubstr("API version mismatch"));
}

TEST_F(ExecTest, TokenWithALineFeedIsRefused) {
  use_script(
      R"(printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
      R"("status":{"token":"T\r\nImpersonate-User: admin"}}')"
      "\n");
  EXPECT_THAT(authorization(**make()), HasSubstr("its token has control characters"));
}

TEST_F(ExecTest, FailingPluginIsReportedWithItsExitCodeRT028) {
  use_script("exit 3\n");
  Stack stack(*make());
  Collector reader;
  static_cast<void>(stack.whole->start({}, reader));
  EXPECT_THAT(reader.end_.message, HasSubstr("failed with exit code 3"));
  EXPECT_TRUE(stack.fake->requests().empty());
}

TEST_F(ExecTest, MissingPluginIsReportedWithItsHint) {
  use_script("");
  config_.exec->command = "davit-no-such-plugin";
  config_.exec->install_hint = "install it with apt";
  EXPECT_THAT(authorization(**make()),
              HasSubstr("executable davit-no-such-plugin not found; install it with apt"));
}

TEST_F(ExecTest, PluginGetsItsArgumentsAndEnvironment) {
  use_script("printf '%s %s' \"$1\" \"$COLOUR\" > " + dir_.path().string() + "/seen\n");
  config_.exec->args = {"login"};
  config_.exec->env = {{"COLOUR", "red"}};
  EXPECT_FALSE((*make())->get());
  EXPECT_EQ(dir_.read("seen"), "login red");
}

TEST_F(ExecTest, PluginMayGiveAClientCertificate) {
  use_script(
      R"(printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
      R"("status":{"clientCertificateData":"C","clientKeyData":"K"}}')");
  const Result<Credential> got = (*make())->get();
  ASSERT_TRUE(got) << got.error().message();
  ASSERT_NE(got->certificate, nullptr);
  EXPECT_EQ(got->certificate->cert, "C");
  EXPECT_EQ(got->authorization, "");
}

TEST_F(ExecTest, UnusableConfigurationIsRefusedAtOnce) {
  use_plugin();
  config_.exec->interactive_mode = ExecConfig::InteractiveMode::kAlways;
  EXPECT_THAT(make().error().message(), HasSubstr("standard input is not a terminal"));
  config_.exec->interactive_mode = ExecConfig::InteractiveMode::kNever;
  config_.exec->api_version = "v7";
  EXPECT_THAT(make().error().message(), HasSubstr("invalid apiVersion \"v7\""));
}

TEST_F(ExecTest, PluginIsNotUsedBesideAToken) {
  use_plugin();
  config_.token = "T";
  EXPECT_EQ(authorization(**make()), "Bearer T");
  EXPECT_EQ(runs(), 0u);
}

TEST(ExecPluginTest, ProgramThatDoesNotEndIsStopped) {
  ExecConfig exec;
  exec.command = "sh";
  exec.args = {"-c", "read line < /proc/self/fd/0; exec tail -f /dev/null"};
  const ProgramResult result = run_program(exec, "{}", std::chrono::milliseconds(50));
  EXPECT_EQ(result.end, ProgramResult::End::kTimedOut);
}

TEST_F(ExecTest, ProgramThatPrintsWithoutEndIsStopped) {
  use_script("exec yes\n");
  EXPECT_THAT(authorization(**make()), HasSubstr("printed more than 1 MiB and was stopped"));
}

TEST(ExecPluginTest, BadOutputIsRefused) {
  const char* const version = "client.authentication.k8s.io/v1";
  const std::string head =
      std::string(R"({"kind":"ExecCredential","apiVersion":")") + version + "\"";
  for (const std::string& bad :
       {std::string("no json"), std::string("[]"), std::string(R"({"kind":"Pod"})"), head + "}",
        head + R"(,"status":{}})", head + R"(,"status":{"clientKeyData":"K"}})",
        head + R"(,"status":{"token":"T","expirationTimestamp":"tomorrow"}})"}) {
    EXPECT_FALSE(parse_exec_credential(bad, version)) << bad;
  }
}

}  // namespace
}  // namespace davit::host
