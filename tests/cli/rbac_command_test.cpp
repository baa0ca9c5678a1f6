#include "cli/rbac_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <sstream>

#include "host/upstream/upstream_clients.hpp"
#include "lib/kube/json.hpp"
#include "lib/net/certificates.hpp"
#include "tests/host/loading/samples.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

DeclaredController controller() {
  DeclaredController out;
  out.name = "c";
  out.rules = {{"", "pods", "", {"delete", "create"}},
               {"apps", "replicasets", "status", {"patch"}},
               {"apps", "deployments", "status", {"patch"}}};
  out.watches = {{"", "v1", "pods", {}, "", ""}, {"apps", "v1", "deployments", {}, "", ""}};
  return out;
}

/// The documents of a stream.
std::vector<YamlNode> documents(const std::string& text) {
  std::vector<YamlNode> out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find("---\n", begin), text.size());
    YamlDocument document = parse_yaml(text.substr(begin, end - begin), "rbac");
    for (const Mistake& mistake : document.mistakes) ADD_FAILURE() << mistake.str();
    out.push_back(std::move(document.root));
    begin = end + 4;
  }
  return out;
}

TEST(RbacCommandTest, RightsAreTheUnionOfRulesAndWatchesAndTheHostsOwn) {
  const std::string text = rbac_yaml({controller(), controller()}, {}, {});
  const std::vector<YamlNode> all = documents(text);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].find("kind")->text, "ServiceAccount");
  EXPECT_EQ(
      to_json(*all[1].find("rules")).value(),
      R"([{"apiGroups":[""],"resources":["events"],"verbs":["create","patch"]},)"
      R"({"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch","create","delete"]},)"
      R"({"apiGroups":["apps"],"resources":["deployments"],"verbs":["get","list","watch"]},)"
      R"({"apiGroups":["apps"],"resources":["deployments/status","replicasets/status"],)"
      R"("verbs":["patch"]},)"
      R"({"apiGroups":["authentication.k8s.io"],"resources":["tokenreviews"],"verbs":["create"]},)"
      R"({"apiGroups":["authorization.k8s.io"],"resources":["subjectaccessreviews"],)"
      R"("verbs":["create"]},)"
      R"({"apiGroups":["events.k8s.io"],"resources":["events"],"verbs":["create","patch"]},)"
      R"({"nonResourceURLs":["/api","/api/*","/apis","/apis/*","/healthz","/livez","/readyz",)"
      R"("/version"],"verbs":["get"]}])");
}

TEST(RbacCommandTest, HostsOfHttpRequestsAreNamedInAComment) {
  DeclaredController outside = controller();
  outside.http.hosts = {"dns.example.com", "*.example.com:8443"};
  const std::string text = rbac_yaml({outside}, {}, {});
  EXPECT_THAT(text, HasSubstr("# Beside these rights, HTTP requests to servers outside the "
                              "cluster:\n#   c: dns.example.com *.example.com:8443\napiVersion"));
  EXPECT_EQ(documents(text).size(), 5U);
  EXPECT_THAT(rbac_yaml({controller()}, {}, {}), Not(HasSubstr("HTTP requests")));
}

TEST(RbacCommandTest, TheLeaseHasARoleInItsOwnNamespace) {
  LeaderElectionSettings election;
  election.name = "my-lease";
  election.ns = "leases";
  RbacOptions options;
  options.ns = "davit-system";
  options.name = "my-davit";
  const std::vector<YamlNode> all = documents(rbac_yaml({}, election, options));
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(to_json(*all[3].find("rules")).value(),
            R"([{"apiGroups":[""],"resources":["configmaps"],)"
            R"("resourceNames":["extension-apiserver-authentication"],"verbs":["get"]}])");
  EXPECT_EQ(to_json(*all[5].find("metadata")).value(),
            R"({"name":"my-davit","namespace":"leases"})");
  EXPECT_THAT(to_json(*all[5].find("rules")).value(), HasSubstr(R"("resourceNames":["my-lease"])"));
  EXPECT_EQ(to_json(*all[6].find("subjects")).value(),
            R"([{"kind":"ServiceAccount","name":"my-davit","namespace":"davit-system"}])");
  election.enabled = false;
  EXPECT_EQ(documents(rbac_yaml({}, election, options)).size(), 5U);
}

TEST(RbacCommandTest, HostWithUpstreamsControllersReadsTheLeaseOfAKubeControllerManager) {
  LeaderElectionSettings election;
  election.ns = "web";
  DeclaredController job = controller();
  job.name = "job-controller";
  const std::string right = R"({"apiGroups":["coordination.k8s.io"],"resources":["leases"],)"
                            R"("resourceNames":["kube-controller-manager"],"verbs":["get"]})";

  const std::vector<YamlNode> all = documents(rbac_yaml({job}, election, {}));
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(to_json(*all[3].find("metadata")).value(),
            R"({"name":"davit","namespace":"kube-system"})");
  EXPECT_THAT(to_json(*all[3].find("rules")).value(), HasSubstr(right));
  EXPECT_THAT(to_json(*all[5].find("rules")).value(), Not(HasSubstr(right)));

  election.enabled = false;
  const std::vector<YamlNode> without = documents(rbac_yaml({job}, election, {}));
  EXPECT_THAT(to_json(*without[3].find("rules")).value(), HasSubstr(right));
}

TEST(RbacCommandTest, RightsLimitedToNamespacesAreRolesThere) {
  LeaderElectionSettings election;
  election.ns = "web";
  DeclaredController limited;
  limited.rules = {{"", "configmaps", "", {"update", "bind"}, {}, {}, {"web", "shop"}},
                   {"", "secrets", "", {"get"}, {"tls", "ca"}}};
  limited.watches = {{"", "v1", "configmaps", {}, "", "", {"shop"}}};

  const std::vector<YamlNode> all = documents(rbac_yaml({limited}, election, {}));

  ASSERT_EQ(all.size(), 9U);
  EXPECT_THAT(to_json(*all[1].find("rules")).value(), Not(HasSubstr("configmaps")));
  EXPECT_THAT(to_json(*all[1].find("rules")).value(),
              HasSubstr(R"({"apiGroups":[""],"resources":["secrets"],)"
                        R"("resourceNames":["ca","tls"],"verbs":["get"]})"));
  EXPECT_EQ(to_json(*all[5].find("metadata")).value(), R"({"name":"davit","namespace":"shop"})");
  EXPECT_EQ(to_json(*all[5].find("rules")).value(),
            R"([{"apiGroups":[""],"resources":["configmaps"],)"
            R"("verbs":["get","list","watch","update","bind"]}])");
  EXPECT_EQ(all[6].find("kind")->text, "RoleBinding");
  EXPECT_EQ(to_json(*all[6].find("metadata")).value(), R"({"name":"davit","namespace":"shop"})");
  EXPECT_EQ(to_json(*all[7].find("metadata")).value(), R"({"name":"davit","namespace":"web"})");
  EXPECT_THAT(to_json(*all[7].find("rules")).value(),
              AllOf(HasSubstr(R"({"apiGroups":[""],"resources":["configmaps"],)"
                              R"("verbs":["update","bind"]})"),
                    HasSubstr("leases")))
      << "one Role for the rights and the Lease of a namespace";
}

TEST(RbacCommandTest, AWatchOfOneNameNeedsTheRightsToThatObjectOnly) {
  DeclaredController one;
  one.watches = {{"", "v1", "secrets", {}, "", "type=Opaque,metadata.name=tls", {"web"}},
                 {"", "v1", "configmaps", {}, "", "metadata.name!=tls", {"web"}}};

  const std::vector<YamlNode> all = documents(rbac_yaml({one}, {}, {}));

  const auto role = std::ranges::find_if(all, [](const YamlNode& each) {
    return to_json(*each.find("metadata")).value() == R"({"name":"davit","namespace":"web"})";
  });
  ASSERT_NE(role, all.end());
  EXPECT_EQ(to_json(*role->find("rules")).value(),
            R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"]},)"
            R"({"apiGroups":[""],"resources":["secrets"],"resourceNames":["tls"],)"
            R"("verbs":["get","list","watch"]}])");
}

TEST(RbacCommandTest, WildcardsAndUrlsAreThoseOfTheNote) {
  DeclaredController all;
  DeclaredRule urls;
  urls.verbs = {"get"};
  urls.non_resource_urls = {"/metrics", "/logs/*"};
  all.rules = {{"*", "*", "", {"get", "*"}}, {"*", "*", "scale", {"patch"}}, urls};

  const std::string rules =
      to_json(*documents(rbac_yaml({all}, {}, {})).at(1).find("rules")).value();

  EXPECT_THAT(rules, HasSubstr(R"({"apiGroups":["*"],"resources":["*"],"verbs":["*"]})"));
  EXPECT_THAT(rules, HasSubstr(R"({"apiGroups":["*"],"resources":["*/scale"],"verbs":["patch"]})"));
  EXPECT_THAT(rules,
              HasSubstr(R"("/livez","/logs/*","/metrics","/readyz","/version"],"verbs":["get"]})"));
}

/// The name and rules of a role, or the name and subject of a binding, as JSON.
std::string role_text(const YamlNode& document) {
  const char* const content = document.find("rules") != nullptr ? "rules" : "subjects";
  return to_json(*document.find("metadata")).value() +
         (document.find(content) == nullptr ? "" : to_json(*document.find(content)).value());
}

TEST(RbacCommandTest, WithAccountsEachControllerHasRolesOfItsOwnAndTheHostWatches) {
  DeclaredController web;
  web.name = "web-controller";
  web.rules = {{"apps", "deployments", "", {"patch"}}};
  web.watches = {{"apps", "v1", "deployments", {}, "", ""}};
  DeclaredController tokens;
  tokens.name = "serviceaccount-token-controller";
  tokens.client_name = "tokens-controller";
  tokens.rules = {{"", "secrets", "", {"create"}}};
  LeaderElectionSettings election;
  election.enabled = false;
  RbacOptions options;
  options.accounts = Accounts::kOneEach;

  const std::vector<YamlNode> all = documents(rbac_yaml({web, tokens}, election, options));

  ASSERT_EQ(all.size(), 8U);
  EXPECT_THAT(role_text(all[1]),
              AllOf(HasSubstr(R"("resources":["deployments"],"verbs":["get","list","watch"])"),
                    HasSubstr(R"("resources":["secrets"],"verbs":["create"])")))
      << "the controller of tokens keeps the host's identity";
  EXPECT_EQ(role_text(all[3]),
            R"({"name":"davit","namespace":"kube-system"})"
            R"([{"apiGroups":[""],"resources":["serviceaccounts"],"verbs":["create"]},)"
            R"({"apiGroups":[""],"resources":["serviceaccounts/token"],)"
            R"("resourceNames":["web-controller"],"verbs":["create"]},)"
            R"({"apiGroups":[""],"resources":["configmaps"],)"
            R"("resourceNames":["extension-apiserver-authentication"],"verbs":["get"]},)"
            R"({"apiGroups":[""],"resources":["serviceaccounts"],)"
            R"("resourceNames":["web-controller"],"verbs":["get"]},)"
            R"({"apiGroups":["coordination.k8s.io"],"resources":["leases"],)"
            R"("resourceNames":["kube-controller-manager"],"verbs":["get"]}])");
  EXPECT_EQ(role_text(all[5]), R"({"name":"web-controller","namespace":"kube-system"})");
  EXPECT_EQ(
      role_text(all[6]),
      R"({"name":"davit:controller:web-controller"})"
      R"([{"apiGroups":[""],"resources":["events"],"verbs":["create","patch"]},)"
      R"({"apiGroups":["apps"],"resources":["deployments"],)"
      R"("verbs":["get","list","watch","patch"]},)"
      R"({"apiGroups":["events.k8s.io"],"resources":["events"],"verbs":["create","patch"]}])");
  EXPECT_EQ(role_text(all[7]),
            R"({"name":"davit:controller:web-controller"})"
            R"([{"kind":"ServiceAccount","name":"web-controller","namespace":"kube-system"}])");
}

TEST(RbacCommandTest, WithAccountsTheHostMayWatchWhatAControllerWatchesAtRunTime) {
  DeclaredController collector;
  collector.name = "garbage-collector-controller";
  collector.client_name = "generic-garbage-collector";
  collector.rules = {{"*", "*", "", {"get", "list", "watch", "patch", "delete"}},
                     {"apps", "deployments", "scale", {"get", "list"}},
                     {"", "secrets", "", {"get"}}};
  RbacOptions options;
  options.accounts = Accounts::kOneEach;

  const std::vector<YamlNode> all = documents(rbac_yaml({collector}, {}, options));

  EXPECT_THAT(role_text(all[1]), AllOf(HasSubstr(R"({"apiGroups":["*"],"resources":["*"],)"
                                                 R"("verbs":["get","list","watch"]})"),
                                       Not(HasSubstr("deployments")), Not(HasSubstr("secrets"))));
}

TEST(RbacCommandTest, UsersAndGroupsGetTheRightsInsteadOfAServiceAccount) {
  RbacOptions options;
  options.users = {"system:kube-controller-manager"};
  options.groups = {"ops"};

  const std::string text = rbac_yaml({controller()}, {}, options);

  EXPECT_THAT(text, Not(HasSubstr("ServiceAccount")));
  const std::vector<YamlNode> all = documents(text);
  ASSERT_EQ(all.size(), 4U);
  for (const std::size_t binding : {1U, 3U}) {
    EXPECT_THAT(
        role_text(all[binding]),
        HasSubstr(R"([{"apiGroup":"rbac.authorization.k8s.io","kind":"User",)"
                  R"("name":"system:kube-controller-manager"},)"
                  R"({"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"ops"}])"));
  }
}

TEST(RbacCommandTest, UserOfTheManifestsKubeconfigGetsTheRights) {
  const TempDirectory directory;
  copy_sample(directory, "good", "p.so");
  const WallTime now = std::chrono::system_clock::now();
  const KeyPair authority = *make_authority("ca", now);
  const KeyPair client =
      *issue_certificate(authority, {.common_name = "system:kube-controller-manager"}, now);
  directory.write("client.crt", client.certificate);
  directory.write("client.key", client.key);
  directory.write("k", R"({"apiVersion":"v1","kind":"Config","current-context":"c",
    "clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1",
                                     "insecure-skip-tls-verify":true}}],
    "users":[{"name":"u","user":{"client-certificate":"client.crt","client-key":"client.key"}}],
    "contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}]})");
  RbacOptions options;
  options.manifest = directory.write("m.yaml",
                                     "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                                     "client: {kubeconfig: k}\nplugins: [{path: p.so}]\n");
  std::ostringstream out;
  std::ostringstream err;

  EXPECT_EQ(run_rbac(options, out, err), 0) << err.str();

  EXPECT_THAT(out.str(), HasSubstr("kind: User\n  name: \"system:kube-controller-manager\"\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("ServiceAccount")));
}

/// A server that reviews rights, and the command's clients for it.
class RightsCheckTest : public ::testing::Test {
 protected:
  RightsCheckTest() {
    transport_.set_script([this](const HttpRequest& request) {
      const Json spec = json_literal(request.body).get("spec");
      test::ScriptedResponse out;
      out.status = 201;
      out.body = R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                 R"("metadata":{},"spec":{},"status":)" +
                 answer_(spec) + "}";
      return out;
    });
  }
  int check(const std::vector<DeclaredController>& controllers, const RightsTerms& terms = {}) {
    return check_rights(
        needed_rights(controllers, terms),
        [this](const std::string& account) -> RestClient& {
          asked_.push_back(account);
          return client_;
        },
        out_, err_);
  }

  std::function<std::string(const Json& spec)> answer_ = [](const Json&) {
    return R"({"allowed":true})";
  };
  std::vector<std::string> asked_;
  std::ostringstream out_;
  std::ostringstream err_;
  test::FakeClock clock_;
  test::FakeTransport transport_;
  test::RecordingLogSink log_;
  NoRestMetrics metrics_;
  RestClient client_{transport_, clock_, metrics_, Logger(log_), RestOptions{.rate = {-1, 1}}};
};

TEST_F(RightsCheckTest, CheckSucceedsIfTheServerAllowsEverything) {
  EXPECT_EQ(check({controller()}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "All " + std::to_string(transport_.requests().size()) + " rights are there.\n");
  EXPECT_EQ(err_.str(), "");
  EXPECT_GT(transport_.requests().size(), 20U);
  EXPECT_THAT(transport_.requests()[0].target,
              testing::StartsWith("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"));
}

TEST_F(RightsCheckTest, CheckPrintsEachMissingRightAsARule) {
  answer_ = [](const Json& spec) -> std::string {
    const Json& resource = spec.get("resourceAttributes");
    const bool missing =
        (resource.text_at({"resource"}) == "pods" && resource.text_at({"verb"}) == "delete") ||
        (resource.text_at({"resource"}) == "deployments" &&
         resource.text_at({"subresource"}) == "status" && resource.text_at({"group"}) == "apps") ||
        (resource.text_at({"namespace"}) == "kube-system" &&
         resource.text_at({"name"}) == "davit" && resource.text_at({"verb"}) != "get") ||
        spec.text_at({"nonResourceAttributes", "path"}) == "/version";
    return missing ? R"({"allowed":false,"reason":"no role"})" : R"({"allowed":true})";
  };

  EXPECT_EQ(check({controller()}), 1);

  EXPECT_EQ(out_.str(), R"(# These rights are missing. `davit rbac` prints roles with them.
# for the whole cluster
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["delete"]
- apiGroups: ["apps"]
  resources: ["deployments/status"]
  verbs: ["patch"]
- nonResourceURLs: ["/version"]
  verbs: ["get"]
# in the namespace kube-system
- apiGroups: ["coordination.k8s.io"]
  resources: ["leases"]
  resourceNames: ["davit"]
  verbs: ["update", "patch"]
)");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(RightsCheckTest, EachAccountIsAskedForItself) {
  answer_ = [this](const Json& spec) {
    const bool is_missing =
        asked_.back() == "c" && spec.text_at({"resourceAttributes", "subresource"}) == "status";
    return std::string(is_missing ? R"({"allowed":false})" : R"({"allowed":true})");
  };

  EXPECT_EQ(check({controller()}, {Accounts::kOneEach, {}}), 1);

  EXPECT_THAT(asked_, testing::ElementsAre("", "c"));
  EXPECT_THAT(out_.str(), HasSubstr("# for the whole cluster, for the ServiceAccount kube-system/c"
                                    "\n- apiGroups: [\"apps\"]\n  resources: "
                                    "[\"deployments/status\", \"replicasets/status\"]\n"));
}

TEST_F(RightsCheckTest, AServerThatReviewsNothingIsAskedOnceAndNothingIsCalledMissing) {
  for (const int status : {403, 404}) {
    transport_.respond({status, "", {}, {}, test::ScriptedResponse::Rest::kComplete});
    const std::size_t before = transport_.requests().size();
    EXPECT_EQ(check({controller()}), 1);
    EXPECT_EQ(transport_.requests().size(), before + 1);
  }
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(err_.str(), HasSubstr("rights could not be checked: "));
}

TEST_F(RightsCheckTest, AnAuthorizerThatFailsHasRefusedNothing) {
  answer_ = [](const Json& spec) -> std::string {
    const bool fails = spec.text_at({"resourceAttributes", "resource"}) == "pods";
    return fails ? R"({"allowed":false,"evaluationError":"webhook: timeout"})"
                 : R"({"allowed":true})";
  };

  EXPECT_EQ(check({controller()}), 1);

  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("davit: 5 rights could not be checked: "),
                                HasSubstr("webhook: timeout")));
}

TEST(RbacCommandTest, CheckOfAServerThatIsNotThereSaysSo) {
  const TempDirectory directory;
  copy_sample(directory, "good", "p.so");
  directory.write("k", R"({"apiVersion":"v1","kind":"Config","current-context":"c",
    "clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:1"}}],
    "users":[{"name":"u","user":{}}],
    "contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}]})");
  RbacOptions options;
  options.what = RbacOptions::Do::kCheck;
  options.manifest = directory.write("m.yaml",
                                     "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
                                     "client: {kubeconfig: k}\nplugins: [{path: p.so}]\n");
  std::ostringstream out;
  std::ostringstream err;

  EXPECT_EQ(run_rbac(options, out, err), 1);

  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(err.str(), HasSubstr("cannot reach the API server at http://127.0.0.1:1"));
}

TEST(RbacCommandTest, EachRightKnowsTheControllersThatNeedIt) {
  DeclaredController other;
  other.name = "other";
  other.rules = {{"", "pods", "", {"delete"}, {"a", "b"}, {}, {"web"}}};

  const auto owners = owners_of_rights({controller(), other}, {});

  using Names = std::set<std::string>;
  ASSERT_EQ(owners.size(), 1U);
  const RightsOwners& host = owners.at("");
  EXPECT_EQ(host.at({"", "", "pods", "", "", "delete"}), Names({"c"}));
  EXPECT_EQ(host.at({"web", "", "pods", "b", "", "delete"}), Names({"other"}));
  EXPECT_EQ(host.at({"", "", "events", "", "", "create"}), Names({"c", "davit", "other"}));
  EXPECT_EQ(host.at({"", "", "", "", "/version", "get"}), Names({"davit"}));
}

TEST(RbacCommandTest, AccountsAreNamedAsUpstreamsClients) {
  const auto client = [](std::string name, std::string client_name) {
    DeclaredController declared;
    declared.name = std::move(name);
    declared.client_name = std::move(client_name);
    return upstream_client(declared);
  };
  EXPECT_EQ(client("deployment-controller", "deployment-controller"), "deployment-controller");
  EXPECT_EQ(client("garbage-collector-controller", "generic-garbage-collector"),
            "generic-garbage-collector");
  EXPECT_EQ(client("endpointslice-controller", "endpoint-slice-controller"),
            "endpointslice-controller")
      << "not the source of its Events";
  EXPECT_EQ(client("daemonset-controller", "daemonset-controller"), "daemon-set-controller");
  EXPECT_EQ(client("taint-eviction-controller", "taint-eviction-controller"), "node-controller");
  EXPECT_EQ(client("mine", ""), "mine");
}

TEST(RbacCommandTest, OnlyEnabledControllersCount) {
  const TempDirectory directory;
  copy_sample(directory, "good", "p.so");
  const auto run = [&](const std::string& rest, std::ostream& out, std::ostream& err) {
    RbacOptions options;
    options.manifest =
        directory.write("m.yaml", "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n" + rest);
    return run_rbac(options, out, err);
  };
  std::ostringstream on;
  std::ostringstream off;
  std::ostringstream bad;
  EXPECT_EQ(run("plugins: [{path: p.so}]\n", on, bad), 0) << bad.str();
  EXPECT_THAT(on.str(), HasSubstr("resources: [\"pods\"]"));
  EXPECT_EQ(run("plugins: [{path: p.so}]\ncontrollers: ['*', -sample]\n", off, bad), 0);
  EXPECT_THAT(off.str(), Not(HasSubstr("pods")));
  EXPECT_EQ(bad.str(), "");
  EXPECT_EQ(run("plugins: [{path: none.so}]\n", off, bad), 2);
  EXPECT_EQ(without_directory(bad.str(), directory),
            "davit: DIR/m.yaml:3:11: plugin DIR/none.so: there is no such file\n");
}

}  // namespace
}  // namespace davit::host
