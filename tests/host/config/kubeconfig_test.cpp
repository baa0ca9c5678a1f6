#include "host/config/kubeconfig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A kubeconfig world of files and environment variables, without this machine's own.
class KubeconfigTest : public testing::Test {
 protected:
  KubeconfigTest() {
    options_.environment.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment_.find(name);
      if (found == environment_.end()) return std::nullopt;
      return found->second;
    };
    options_.environment.service_account_directory = path("sa");
  }

  std::string path(const std::string& name) { return (directory_.path() / name).string(); }

  /// Loads one file given by --kubeconfig.
  Result<ConnectionConfig> load(const std::string& text) {
    options_.kubeconfig = directory_.write("config", text);
    return load_connection(options_);
  }

  /// A whole kubeconfig around the content of its cluster and user.
  static std::string config(const std::string& cluster, const std::string& user,
                            const std::string& context = "cluster: c, user: u") {
    return "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {" +
           context + "}}]\nclusters: [{name: c, cluster: {" + cluster +
           "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
  }

  /// The message of the error, without the temporary directory.
  std::string error_of(const Result<ConnectionConfig>& result) {
    std::string text = result.error().message();
    const std::string here = directory_.path().string();
    for (std::size_t at = text.find(here); at != std::string::npos; at = text.find(here)) {
      text.replace(at, here.size(), "DIR");
    }
    return text;
  }

  TempDirectory directory_;
  std::map<std::string, std::string> environment_;
  KubeconfigOptions options_;
};

constexpr const char* kServer = "server: 'https://s:6443'";

TEST_F(KubeconfigTest, EverythingOfAFileIsRead) {
  directory_.write("ca.crt", "CA");
  const Result<ConnectionConfig> loaded = load(config(
      R"(server: "https://s:6443/", tls-server-name: n, certificate-authority: ca.crt,
         proxy-url: "http://p:1", disable-compression: true)",
      R"(client-certificate-data: TQ==, client-key-data: TWE=, token: t, as: a, as-uid: i,
         as-groups: [g, h], as-user-extra: {k: [v, w]}, unknown: {x: 1})",
      "cluster: c, user: u, namespace: team"));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->server, "https://s:6443");
  EXPECT_EQ(loaded->tls_server_name, "n");
  EXPECT_EQ(loaded->ca_file, path("ca.crt"));
  EXPECT_EQ(loaded->proxy_url, "http://p:1");
  EXPECT_TRUE(loaded->disable_compression);
  EXPECT_EQ(loaded->cert_data, "M");
  EXPECT_EQ(loaded->key_data, "Ma");
  EXPECT_EQ(loaded->token, "t");
  EXPECT_EQ(loaded->impersonate.user, "a");
  EXPECT_EQ(loaded->impersonate.uid, "i");
  EXPECT_THAT(loaded->impersonate.groups, ElementsAre("g", "h"));
  EXPECT_THAT(loaded->impersonate.extra.at("k"), ElementsAre("v", "w"));
  EXPECT_EQ(loaded->ns, "team");
}

TEST_F(KubeconfigTest, JsonIsReadToo) {
  const Result<ConnectionConfig> loaded = load(
      R"({"apiVersion":"v1","kind":"Config","current-context":"x","preferences":null,
        "contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],
        "clusters":[{"name":"c","cluster":{"server":"https://s"}}],
        "users":[{"name":"u","user":{"token":"t"}}]})");
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->server, "https://s");
  EXPECT_EQ(loaded->ns, "default");
}

TEST_F(KubeconfigTest, ExecPluginsAreRead) {
  const std::string exec =
      R"(exec: {command: ./login, args: [-x, ""], env: [{name: A, value: b}], installHint: h,
      provideClusterInfo: true, interactiveMode: Never,
      apiVersion: client.authentication.k8s.io/v1})";
  const std::string cluster = std::string(kServer) +
                              ", extensions: [{name: client.authentication.k8s.io/exec, extension: "
                              "{audience: x}}]";
  const Result<ConnectionConfig> loaded = load(config(cluster, exec));
  ASSERT_TRUE(loaded) << loaded.error().message();
  ASSERT_TRUE(loaded->exec);
  EXPECT_EQ(loaded->exec->command, path("login"));
  EXPECT_THAT(loaded->exec->args, ElementsAre("-x", ""));
  EXPECT_THAT(loaded->exec->env, ElementsAre(std::pair("A", "b")));
  EXPECT_EQ(loaded->exec->interactive_mode, ExecConfig::InteractiveMode::kNever);
  EXPECT_TRUE(loaded->exec->provide_cluster_info);
  EXPECT_EQ(loaded->exec->cluster_extension, R"({"audience":"x"})");

  const Result<ConnectionConfig> with_token = load(config(cluster, exec + ", token: t"));
  ASSERT_TRUE(with_token);
  EXPECT_FALSE(with_token->exec) << "a token makes the program superfluous";
}

TEST_F(KubeconfigTest, Rt040FirstFileWinsEntryByEntry) {
  const std::string a = directory_.write(
      "a",
      "contexts: [{name: c, context: {cluster: one, user: u}}]\ncurrent-context: c\n"
      "clusters: [{name: one, cluster: {server: 'https://one'}}]\n");
  const std::string b =
      directory_.write("b",
                       "contexts: [{name: c, context: {cluster: two, user: x}}]\n"
                       "clusters: [{name: two, cluster: {server: 'https://two'}}]\n"
                       "users: [{name: u, user: {token: from-b}}]\ncurrent-context: other\n");
  environment_["KUBECONFIG"] = a + "::" + path("missing") + ":" + b + ":" + a;

  const Result<ConnectionConfig> loaded = load_connection(options_);

  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->server, "https://one");
  EXPECT_EQ(loaded->token, "from-b");
}

TEST_F(KubeconfigTest, Rt041RelativePathsStartAtTheirFile) {
  directory_.write("k/ca.crt", "CA");
  directory_.write("k/t", " token-text\n");
  options_.kubeconfig = directory_.write(
      "k/conf", config(std::string(kServer) + ", certificate-authority: ca.crt", "tokenFile: ./t"));
  const Result<ConnectionConfig> loaded = load_connection(options_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->ca_file, path("k/ca.crt"));
  EXPECT_EQ(loaded->token_file, path("k/t"));
  EXPECT_EQ(loaded->token, "token-text");
}

TEST_F(KubeconfigTest, Rt042CaFileAndDataExcludeEachOther) {
  directory_.write("ca.crt", "CA");
  const Result<ConnectionConfig> loaded = load(config(
      std::string(kServer) + ", certificate-authority: ca.crt, certificate-authority-data: TQ==",
      ""));
  EXPECT_EQ(error_of(loaded),
            "invalid configuration: certificate-authority-data and certificate-authority are both "
            "specified for c. certificate-authority-data will override. (kubeconfig DIR/config)");
  EXPECT_EQ(loaded.error().code(), Code::kInvalid);
}

TEST_F(KubeconfigTest, Rt043NothingGivenIsAnErrorOfItsOwn) {
  environment_["HOME"] = directory_.path().string();
  directory_.write(".kube/config", config(kServer, ""));
  EXPECT_THAT(error_of(load_connection(options_)),
              StartsWith("invalid configuration: no configuration has been provided, try setting "
                         "KUBERNETES_MASTER environment variable"));

  options_.fallback = KubeconfigOptions::Fallback::kHome;
  EXPECT_EQ(load_connection(options_)->server, "https://s:6443");
}

TEST_F(KubeconfigTest, Rt044InClusterPutsBracketsAroundIpv6) {
  environment_["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  environment_["KUBERNETES_SERVICE_PORT"] = "443";
  directory_.write("sa/token", "tok\n");
  directory_.write("sa/namespace", "prod");
  Result<ConnectionConfig> loaded = load_connection(options_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->server, "https://[fd00::1]:443");
  EXPECT_EQ(loaded->token, "tok");
  EXPECT_EQ(loaded->token_file, path("sa/token"));
  EXPECT_EQ(loaded->ca_file, "") << "without a readable CA the system's roots apply";
  EXPECT_EQ(loaded->ns, "prod");

  directory_.write("sa/ca.crt", "-----BEGIN CERTIFICATE-----\n");
  environment_["POD_NAMESPACE"] = "mine";
  loaded = load_connection(options_);
  EXPECT_EQ(loaded->ca_file, path("sa/ca.crt"));
  EXPECT_EQ(loaded->ns, "mine");
}

TEST_F(KubeconfigTest, DelayForFailingServersComesFromTheEnvironmentIfBothValuesAreSeconds) {
  options_.master = "https://s:6443";
  environment_["KUBE_CLIENT_BACKOFF_BASE"] = "2";
  EXPECT_FALSE(load_connection(options_)->failure_backoff);
  environment_["KUBE_CLIENT_BACKOFF_DURATION"] = "2m";
  EXPECT_FALSE(load_connection(options_)->failure_backoff);
  environment_["KUBE_CLIENT_BACKOFF_DURATION"] = "120";
  const Result<ConnectionConfig> loaded = load_connection(options_);
  ASSERT_TRUE(loaded->failure_backoff);
  EXPECT_EQ(loaded->failure_backoff->base, std::chrono::seconds(2));
  EXPECT_EQ(loaded->failure_backoff->longest, std::chrono::seconds(120));
}

TEST_F(KubeconfigTest, InClusterWithoutATokenSaysWhy) {
  environment_["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  environment_["KUBERNETES_SERVICE_PORT"] = "443";
  EXPECT_THAT(error_of(load_connection(options_)),
              HasSubstr("(in-cluster: open DIR/sa/token: no such file or directory)"));
}

TEST_F(KubeconfigTest, Rt045MasterWinsOverTheFilesServer) {
  options_.master = "https://m:1";
  const Result<ConnectionConfig> loaded =
      load(config(std::string(kServer) + ", tls-server-name: n", "token: t"));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->server, "https://m:1");
  EXPECT_EQ(loaded->tls_server_name, "");
  EXPECT_EQ(loaded->token, "t");
}

TEST_F(KubeconfigTest, MasterAloneHasNoCredentials) {
  options_.master = "127.0.0.1:8080";
  const Result<ConnectionConfig> loaded = load_connection(options_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->server, "http://127.0.0.1:8080");
}

TEST_F(KubeconfigTest, KubernetesMasterIsTheLastResort) {
  environment_["KUBERNETES_MASTER"] = "http://e:1";
  EXPECT_EQ(load_connection(options_)->server, "http://e:1");
}

TEST_F(KubeconfigTest, CredentialsAreNotSentInTheClear) {
  const Result<ConnectionConfig> loaded = load(config("server: 'http://s'", "token: t"));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->token, "");
}

struct InvalidCase {
  const char* cluster;
  const char* user;
  const char* context;
  const char* want;  // Between "invalid configuration: " and " (kubeconfig ...)".
};

constexpr InvalidCase kInvalidCases[] = {
    {kServer, "token: t, username: n, password: p", "cluster: c, user: u",
     "more than one authentication method found for u; found [token basicAuth], only one is "
     "allowed"},
    {"", "", "cluster: c, user: u", "no server found for cluster \"c\""},
    {kServer, "", "cluster: none, user: u", "cluster \"none\" was not found for context \"x\""},
    {kServer, "", "user: u", "cluster was not specified for context \"x\""},
    {kServer, "", "cluster: c, user: none", "user \"none\" was not found for context \"x\""},
    {kServer, "", "cluster: c, user: u, namespace: A_b",
     "namespace \"A_b\" for context \"x\" does not conform to the kubernetes DNS_LABEL rules"},
    {"server: 'https://s', certificate-authority: no.crt", "", "cluster: c, user: u",
     "unable to read certificate-authority DIR/no.crt for c due to open DIR/no.crt: No such file "
     "or directory"},
    {"server: 'https://s', insecure-skip-tls-verify: true, certificate-authority-data: TQ==", "",
     "cluster: c, user: u",
     "specifying a root certificates file with the insecure flag is not allowed"},
    {"server: 'https://s', proxy-url: 'ftp://p'", "", "cluster: c, user: u",
     "invalid 'proxy-url' \"ftp://p\" for cluster \"c\": must be http://, https:// or socks5:// "
     "and a host"},
    {kServer, "client-certificate-data: TQ==", "cluster: c, user: u",
     "client-key-data or client-key must be specified for u to use the clientCert authentication "
     "method."},
    {kServer, "client-key-data: TQ==", "cluster: c, user: u",
     "client-cert-data or client-cert must be specified for u to use the clientCert authentication "
     "method."},
    {kServer, "client-certificate: no.crt, client-key: no.key", "cluster: c, user: u",
     "[unable to read client-cert DIR/no.crt for u due to open DIR/no.crt: No such file or "
     "directory, unable to read client-key DIR/no.key for u due to open DIR/no.key: No such file "
     "or directory]"},
    {kServer, "as-groups: [g]", "cluster: c, user: u",
     "requesting uid, groups or user-extra for u without impersonating a user"},
    {kServer, "exec: {apiVersion: client.authentication.k8s.io/v1}", "cluster: c, user: u",
     "[command must be specified for u to use exec authentication plugin, interactiveMode must be "
     "specified for u to use exec authentication plugin]"},
    {kServer, "exec: {command: c, apiVersion: v9}", "cluster: c, user: u",
     "exec plugin: invalid apiVersion \"v9\""},
    {kServer,
     "exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1, interactiveMode: Maybe}",
     "cluster: c, user: u", "invalid interactiveMode for u: \"Maybe\""},
    {kServer, "auth-provider: {name: gcp}", "cluster: c, user: u",
     "auth-provider \"gcp\" of u is not supported; use exec, token or client-certificate"},
    {kServer, "tokenFile: no.tok", "cluster: c, user: u", "DIR/no.tok: no such file or directory"},
};

TEST_F(KubeconfigTest, InvalidConfigurationsAreReported) {
  for (const InvalidCase& each : kInvalidCases) {
    EXPECT_EQ(error_of(load(config(each.cluster, each.user, each.context))),
              std::string("invalid configuration: ") + each.want + " (kubeconfig DIR/config)");
  }
}

TEST_F(KubeconfigTest, ContextsThatAreMissingAreReported) {
  EXPECT_EQ(error_of(load("current-context: nope\ncontexts: []\n")),
            "invalid configuration: context was not found for specified context: nope (kubeconfig "
            "DIR/config)");
  EXPECT_EQ(error_of(load("contexts: [{name: a, context: {}}]\n")),
            "invalid configuration: current-context is not set; choose one with kubectl config "
            "use-context (kubeconfig DIR/config)");
  EXPECT_THAT(error_of(load("")), StartsWith("invalid configuration: no configuration has been "));
}

TEST_F(KubeconfigTest, FilesThatCannotBeReadAreNamedWithThePlace) {
  options_.kubeconfig = path("missing");
  EXPECT_EQ(error_of(load_connection(options_)),
            "error loading config file \"DIR/missing\": no such file or directory");
  const std::pair<const char*, const char*> cases[] = {
      {"a: [", "line 1, column 4: end of sequence flow not found"},
      {"kind: Pod", "line 1, column 7: kind must be one of Config, not the string \"Pod\""},
      {"users: {}", "line 1, column 8: users must be a list, not a mapping"},
      {"users: [{name: u, user: {token: 123}}]",
       "line 1, column 33: user \"u\".token must be a string (put quotes around it), not a number"},
      {"users: [{name: u, user: secret}]",
       "line 1, column 25: user \"u\" must be a mapping, not a string"},
      {"users: [{name: u, user: {exec: {env: [{name: A, value: true}]}}}]",
       "line 1, column 56: user \"u\".exec.env.value must be a string (put quotes around it), not "
       "a "
       "boolean"},
      {"users: [{name: u, user: {client-key-data: '%'}}]",
       "line 1, column 43: user \"u\".client-key-data must be base64"},
      {"users: [{name: u}, {name: u}]", "line 1, column 20: duplicate name \"u\" in users"},
      {"users: 1\nclusters: 2",
       "line 2, column 11: clusters must be a list, not the number 2 (and 1 more)"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(error_of(load(text)),
              std::string("error loading config file \"DIR/config\": ") + want);
  }
}

TEST_F(KubeconfigTest, BadFilesOfTheListAreAllReported) {
  environment_["KUBECONFIG"] =
      directory_.write("a", "users: 1") + ":" + directory_.write("b", "users: 2");
  const std::string text = error_of(load_connection(options_));
  EXPECT_THAT(text, HasSubstr("DIR/a"));
  EXPECT_THAT(text, HasSubstr("DIR/b"));
}

TEST_F(KubeconfigTest, NamespaceOfTheContextIsThatOfKubectl) {
  const auto ns = [this] { return namespace_of_context(options_.environment); };
  EXPECT_EQ(ns(), "") << "no file";
  environment_["HOME"] = path("home");
  directory_.write("home/.kube/config", config(kServer, "token: t", "namespace: of-home"));
  EXPECT_EQ(ns(), "of-home") << "neither a cluster nor a user is needed";

  environment_["KUBECONFIG"] =
      path("missing") + ":" +
      directory_.write("a", config(kServer, "token: t", "cluster: c, user: u, namespace: shop")) +
      ":" + directory_.write("b", config(kServer, "token: t", "namespace: other"));
  EXPECT_EQ(ns(), "shop") << "the first file wins";

  environment_["KUBECONFIG"] = directory_.write("c", config(kServer, "token: t"));
  EXPECT_EQ(ns(), "") << "the context names none";
  environment_["KUBECONFIG"] = directory_.write("d", "current-context: nothing\n");
  EXPECT_EQ(ns(), "");
  environment_["KUBECONFIG"] = directory_.write("e", "{");
  EXPECT_EQ(ns(), "") << "what cannot be read is no reason to fail";
}

}  // namespace
}  // namespace davit::host
