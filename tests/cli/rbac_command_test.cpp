#include "cli/rbac_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/host/plugin/samples.hpp"

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
      R"({"apiGroups":["events.k8s.io"],"resources":["events"],"verbs":["create","patch"]},)"
      R"({"nonResourceURLs":["/healthz","/livez","/readyz","/version","/api","/api/*",)"
      R"("/apis","/apis/*"],"verbs":["get"]}])");
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
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(to_json(*all[3].find("metadata")).value(),
            R"({"name":"my-davit","namespace":"leases"})");
  EXPECT_THAT(to_json(*all[3].find("rules")).value(), HasSubstr(R"("resourceNames":["my-lease"])"));
  EXPECT_EQ(to_json(*all[4].find("subjects")).value(),
            R"([{"kind":"ServiceAccount","name":"my-davit","namespace":"davit-system"}])");
  election.enabled = false;
  EXPECT_EQ(documents(rbac_yaml({}, election, options)).size(), 3U);
}

TEST(RbacCommandTest, RightsLimitedToNamespacesAreRolesThere) {
  LeaderElectionSettings election;
  election.ns = "web";
  DeclaredController limited;
  limited.rules = {{"", "configmaps", "", {"update", "bind"}, {}, {}, {"web", "shop"}},
                   {"", "secrets", "", {"get"}, {"tls", "ca"}}};
  limited.watches = {{"", "v1", "configmaps", {}, "", "", {"shop"}}};

  const std::vector<YamlNode> all = documents(rbac_yaml({limited}, election, {}));

  ASSERT_EQ(all.size(), 7U);
  EXPECT_THAT(to_json(*all[1].find("rules")).value(), Not(HasSubstr("configmaps")));
  EXPECT_THAT(to_json(*all[1].find("rules")).value(),
              HasSubstr(R"({"apiGroups":[""],"resources":["secrets"],)"
                        R"("resourceNames":["ca","tls"],"verbs":["get"]})"));
  EXPECT_EQ(to_json(*all[3].find("metadata")).value(), R"({"name":"davit","namespace":"shop"})");
  EXPECT_EQ(to_json(*all[3].find("rules")).value(),
            R"([{"apiGroups":[""],"resources":["configmaps"],)"
            R"("verbs":["get","list","watch","update","bind"]}])");
  EXPECT_EQ(all[4].find("kind")->text, "RoleBinding");
  EXPECT_EQ(to_json(*all[4].find("metadata")).value(), R"({"name":"davit","namespace":"shop"})");
  EXPECT_EQ(to_json(*all[5].find("metadata")).value(), R"({"name":"davit","namespace":"web"})");
  EXPECT_THAT(to_json(*all[5].find("rules")).value(),
              AllOf(HasSubstr(R"({"apiGroups":[""],"resources":["configmaps"],)"
                              R"("verbs":["update","bind"]})"),
                    HasSubstr("leases")))
      << "one Role for the rights and the Lease of a namespace";
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
  EXPECT_THAT(rules, HasSubstr(R"({"nonResourceURLs":["/logs/*","/metrics"],"verbs":["get"]})"));
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
