#include "host/loading/note.hpp"

#include <davit/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/loading/capabilities.hpp"
#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// A note around the members of one controller.
std::string with_controller(const std::string& members) {
  return R"({"name":"p","version":"1","abi":"1.0","controllers":[{"name":"c")" + members + "}]}";
}

TEST(NoteTest, EverythingThatCanBeDeclaredIsRead) {
  const NoteResult note = parse_note(R"({"name":"p","version":"0.1.0","abi":"1.0",
    "requires":["davit.log/1"],"build":"gcc 12","controllers":[{"name":"p-controller",
    "aliases":["p"],"clientName":"p-client","eventComponent":"p-events",
    "offByDefault":true,"withoutLeadership":true,
    "workers":7,"rules":[{"group":"apps","resource":"replicasets","subresource":"status",
    "verbs":["patch","get"]}],"watches":[{"group":"","version":"v1","resource":"pods",
    "projection":["metadata.labels","spec"],"labelSelector":"a=b","fieldSelector":"c=d"}]}]})");
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  const PluginDeclaration& plugin = note.declaration;
  EXPECT_EQ(plugin.name, "p");
  EXPECT_EQ(plugin.version, "0.1.0");
  EXPECT_EQ(plugin.abi_major, 1);
  EXPECT_EQ(plugin.abi_minor, 0);
  EXPECT_THAT(plugin.requires_ids, ElementsAre("davit.log/1"));
  EXPECT_EQ(plugin.build, "gcc 12");
  const DeclaredController& controller = plugin.controllers.at(0);
  EXPECT_EQ(controller.name, "p-controller");
  EXPECT_THAT(controller.aliases, ElementsAre("p"));
  EXPECT_EQ(controller.client_name, "p-client");
  EXPECT_EQ(controller.event_component, "p-events");
  EXPECT_TRUE(controller.off_by_default);
  EXPECT_TRUE(controller.without_leadership);
  EXPECT_EQ(controller.workers, 7U);
  EXPECT_EQ(controller.rules.at(0).subresource, "status");
  EXPECT_THAT(controller.rules.at(0).verbs, ElementsAre("patch", "get"));
  EXPECT_THAT(controller.watches.at(0).projection, ElementsAre("metadata.labels", "spec"));
  EXPECT_EQ(controller.watches.at(0).label_selector, "a=b");
  EXPECT_EQ(controller.watches.at(0).field_selector, "c=d");
}

TEST(NoteTest, WhatIsNotDeclaredHasItsDefault) {
  const NoteResult note = parse_note(with_controller(""));
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  EXPECT_EQ(note.declaration.controllers.at(0).client_name, "c");
  EXPECT_EQ(note.declaration.controllers.at(0).workers, 1U);
}

struct NoteCase {
  const char* members;  // The controller's.
  const char* want;
};

constexpr NoteCase kNoteCases[] = {
    {R"(,"clientName":"c/d")",
     "controllers[0].clientName must be up to 253 letters, digits, '-', '_' and '.', not \"c/d\""},
    {R"(,"clientName":"c\r\nImpersonate-User: admin")",
     R"(controllers[0].clientName has control characters, which are not allowed: )"
     R"("c\r\nImpersonate-User: admin")"},
    {R"(,"rules":[{"resource":"namespaces","subresource":"secrets","verbs":["get"]}])",
     "controllers[0].rules[0].subresource must be one word such as \"status\" that namespaces "
     "have, not \"secrets\""},
    {R"(,"rules":[{"resource":"pods","subresource":"log/../x","verbs":["get"]}])",
     "controllers[0].rules[0].subresource must be one word such as \"status\" that pods have, not "
     "\"log/../x\""},
    {R"(,"rules":[{"resource":"watch","verbs":["get"]}])",
     "controllers[0].rules[0].resource must be a plural in lower case such as \"pods\", not "
     "\"watch\""},
    {R"(,"watches":[{"resource":"pods","version":"v1/x"}])",
     "controllers[0].watches[0].version must be like \"v1\", not \"v1/x\""},
    {R"(,"workers":0)",
     "controllers[0].workers must be a whole number from 1 to 1000, not the number 0"},
    {R"(,"workers":"5")",
     "controllers[0].workers must be a whole number from 1 to 1000, not the string \"5\""},
    {R"(,"offByDefault":"no")",
     "controllers[0].offByDefault must be true or false, not the string \"no\""},
    {R"(,"aliases":["c"])", "controllers[0].aliases[0]: the name or alias \"c\" is declared twice"},
    {R"(,"aliases":["C d"])",
     "controllers[0].aliases[0] must be lower case letters, digits and '-', not \"C d\""},
    {R"(,"rules":{})", "controllers[0].rules must be a list, not a mapping"},
    {R"(,"rules":[{"resource":"pods"}])", "controllers[0].rules[0].verbs is missing"},
    {R"(,"rules":[{"resource":"Pods","verbs":["get"]}])",
     "controllers[0].rules[0].resource must be a plural in lower case such as \"pods\", not "
     "\"Pods\""},
    {R"(,"rules":[{"resource":"pods","verbs":["get","Read"]}])",
     "controllers[0].rules[0].verbs[1] must be \"*\" or a verb in lower case such as \"get\", not "
     "\"Read\""},
    {R"(,"rules":[{"resource":"pods","verbs":[]}])",
     "controllers[0].rules[0].verbs must have at least one entry"},
    {R"(,"rules":[{"resource":"pods","subresource":"*","verbs":["get"]}])",
     "controllers[0].rules[0].subresource must be one word such as \"status\" that pods have, not "
     "\"*\""},
    {R"(,"rules":[{"resource":"pods","verbs":["get"],"resourceNames":["../x"]}])",
     "controllers[0].rules[0].resourceNames[0] must be the name of an object: up to 253 bytes "
     "without '/' and '%', and not \"*\", not \"../x\""},
    {R"(,"rules":[{"group":"certificates.k8s.io","resource":"signers","verbs":["sign"],)"
     R"("resourceNames":["*"]}])",
     "controllers[0].rules[0].resourceNames[0] must be the name of a signer such as "
     "\"example.com/x\" or \"example.com/*\", not \"*\""},
    {R"(,"rules":[{"resource":"signers","verbs":["sign"],"resourceNames":["example.com/x"]}])",
     "controllers[0].rules[0].resourceNames[0] must be the name of an object: up to 253 bytes "
     "without '/' and '%', and not \"*\", not \"example.com/x\""},
    {R"(,"rules":[{"resource":"pods","verbs":["get"],"resourceNames":[]}])",
     "controllers[0].rules[0].resourceNames must have at least one entry"},
    {R"(,"rules":[{"resource":"pods","verbs":["get"],"namespaces":["a/b"]}])",
     "controllers[0].rules[0].namespaces must be names of namespaces such as \"default\", not "
     "\"a/b\""},
    {R"(,"rules":[{"resource":"pods","verbs":["get"],"namespaces":[]}])",
     "controllers[0].rules[0].namespaces must have at least one entry; [\"*\"] means every "
     "namespace"},
    {R"(,"rules":[{"nonResourceURLs":["/a/../b"],"verbs":["get"]}])",
     "controllers[0].rules[0].nonResourceURLs[0] must be \"*\" or a path such as \"/version\" or "
     "\"/healthz/*\", not \"/a/../b\""},
    {R"(,"rules":[{"nonResourceURLs":["/x"],"verbs":["get"],"resource":"pods"}])",
     "controllers[0].rules[0].resource may not stand beside nonResourceURLs: a rule is of one "
     "resource or of URLs"},
    {R"(,"watches":[{"resource":"*","version":"v1"}])",
     "controllers[0].watches[0].resource must be a plural in lower case such as \"pods\", not "
     "\"*\""},
    {R"(,"watches":[{"resource":"pods","version":"v1","labelSelector":"a in ("}])",
     "controllers[0].watches[0].labelSelector must be a label selector such as "
     "\"app=web,tier!=test\", not \"a in (\""},
    {R"(,"watches":[{"resource":"pods","version":"v1","fieldSelector":"name"}])",
     "controllers[0].watches[0].fieldSelector must be a field selector such as "
     "\"metadata.name=web\", not \"name\""},
    {R"(,"watches":[{"resource":"pods","version":"v1","labelSelector":{"config":"a..b"}}])",
     "controllers[0].watches[0].labelSelector.config must be members of the configuration joined "
     "by dots, such as \"watch.labels\", not \"a..b\""},
    {R"(,"watches":[{"resource":"pods","version":"v1","namespaces":{"default":["a"]}}])",
     "controllers[0].watches[0].namespaces.config is missing"},
    {R"(,"watches":[{"resource":"pods","version":"v1","namespaces":"a"}])",
     "controllers[0].watches[0].namespaces must be a list of strings, not the string \"a\""},
    {R"(,"http":["dns.example.com"])", "controllers[0].http must be a mapping, not a list"},
    {R"(,"http":{})", "controllers[0].http.hosts is missing"},
    {R"(,"http":{"hosts":[]})", "controllers[0].http.hosts must have at least one entry"},
    {R"(,"http":{"hosts":["https://dns.example.com/v2"]})",
     "controllers[0].http.hosts must be hosts such as \"dns.example.com\", "
     "\"*.example.com:8443\" or \"http://localhost:9090\", not \"https://dns.example.com/v2\""},
    {R"(,"http":{"hosts":["a"],"roots":"/etc/ca.pem"})",
     R"(controllers[0].http.roots must be like {"config":"caFile","default":""}: where its file )"
     "is, only the operator knows"},
    {R"(,"http":{"hosts":{"config":"dns..url"}})",
     "controllers[0].http.hosts.config must be members of the configuration joined by dots, such "
     "as \"watch.labels\", not \"dns..url\""},
    {R"(,"rules":[{"group":"A","resource":"pods","verbs":["get"]}])",
     "controllers[0].rules[0].group must be an API group such as \"apps\" or \"\", not \"A\""},
    {R"(,"watches":[{"resource":"pods"}])", "controllers[0].watches[0].version is missing"},
    {R"(,"watches":[{"version":"v1","resource":"pods","projection":"spec"}])",
     "controllers[0].watches[0].projection must be a list of strings, not the string \"spec\""},
    {R"(,"name":"d")", "line 1, column 72: duplicate key \"name\""},
};

TEST(NoteTest, EachMistakeSaysWhereAndWhatIsAllowed) {
  for (const NoteCase& each : kNoteCases) {
    EXPECT_THAT(parse_note(with_controller(each.members)).mistakes, ElementsAre(each.want));
  }
}

TEST(NoteTest, RulesHaveTheWildcardsAndLimitsOfRbac) {
  const NoteResult note = parse_note(with_controller(R"(,"rules":[
    {"group":"*","resource":"*","verbs":["*"]},
    {"group":"*","resource":"*","subresource":"scale","verbs":["get","impersonate"],
     "resourceNames":["system:x"],"namespaces":["a","b"]},
    {"nonResourceURLs":["/version","/healthz/*"],"verbs":["get"]},
    {"resource":"pods","verbs":["get"],"namespaces":["*"]}])"));
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  EXPECT_THAT(note.findings, ElementsAre());
  const std::vector<DeclaredRule>& rules = note.declaration.controllers.at(0).rules;
  EXPECT_EQ(rules.at(0).group, "*");
  EXPECT_THAT(rules.at(1).resource_names, ElementsAre("system:x"));
  EXPECT_THAT(rules.at(1).namespaces, ElementsAre("a", "b"));
  EXPECT_THAT(rules.at(2).non_resource_urls, ElementsAre("/version", "/healthz/*"));
  EXPECT_THAT(rules.at(3).namespaces, ElementsAre()) << "every namespace";
}

TEST(NoteTest, SignersHaveNamesWithADomain) {
  const NoteResult note = parse_note(with_controller(R"(,"rules":[
    {"group":"certificates.k8s.io","resource":"signers","verbs":["approve","sign","attest"],
     "resourceNames":["example.com/x","example.com/*"]}])"));
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  EXPECT_THAT(note.findings, ElementsAre());
  EXPECT_THAT(note.declaration.controllers.at(0).rules.at(0).resource_names,
              ElementsAre("example.com/x", "example.com/*"));
}

TEST(NoteTest, HostsOfHttpRequestsAreReadInTheirShortestForm) {
  const NoteResult note = parse_note(
      with_controller(R"(,"http":{"hosts":["https://DNS.example.com:443","*.example.com:8443"],)"
                      R"("roots":{"config":"caFile","default":""}})"));
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  const DeclaredHttp& http = note.declaration.controllers.at(0).http;
  EXPECT_THAT(http.hosts, ElementsAre("dns.example.com", "*.example.com:8443"));
  EXPECT_EQ(http.roots_from.path, "caFile");
  EXPECT_TRUE(http.roots_from.has_default);
}

TEST(NoteTest, UnknownMembersAreKeptAndFound) {
  const NoteResult note = parse_note(
      R"({"name":"p","version":"1","abi":"1.0","x-team":["a",1],"controllers":[{"name":"c",
      "worker":5,"watches":[{"resource":"pods","version":"v1","shards":{"of":2}}]}]})");
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  EXPECT_THAT(note.declaration.unknown,
              ElementsAre(Pair("controllers[0].watches[0].shards", R"({"of":2})"),
                          Pair("controllers[0].worker", "5"), Pair("x-team", R"(["a",1])")));
  EXPECT_THAT(note.findings.at(1),
              "unknown key \"worker\" in controllers[0]; did you mean \"workers\"? (allowed: "
              "aliases, clientName, eventComponent, http, name, offByDefault, rules, watches, "
              "withoutLeadership, workers): davit ignores it");
}

TEST(NoteTest, VerbThatLooksMisspelledIsFound) {
  const NoteResult note =
      parse_note(with_controller(R"(,"rules":[{"resource":"pods","verbs":["udpate","bind"]}])"));
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  EXPECT_THAT(
      note.findings,
      ElementsAre("controllers[0].rules[0].verbs has \"udpate\"; did you mean \"update\"?"));
}

TEST(NoteTest, CapabilitiesMayBeOptional) {
  const auto read = [](const std::string& members) {
    return parse_note(R"({"name":"p","version":"1","abi":"1.0",)" + members +
                      R"(,"controllers":[{"name":"c"}]})");
  };
  const NoteResult note =
      read(R"("requires":["davit.log/1"],"optional":["davit.teleport/1","davit.clock/1"])");
  ASSERT_TRUE(note.ok()) << note.mistakes.front();
  EXPECT_TRUE(check_compatible(note.declaration, host_capabilities()).ok());
  EXPECT_THAT(missing_capabilities(note.declaration.optional_ids, host_capabilities()),
              ElementsAre("davit.teleport/1"));
  EXPECT_THAT(read(R"("requires":["davit.log/1"],"optional":["davit.log/1"])").mistakes,
              ElementsAre("optional[0]: \"davit.log/1\" is also among requires; only one of them "
                          "is allowed"));
  EXPECT_THAT(read(R"("optional":["davit.log"])").mistakes,
              ElementsAre("optional[0] must be like \"davit.client/1\", not \"davit.log\""));
}

// Texts that would break a URL, a header, a label of a metric, a file name or a terminal.
TEST(NoteTest, HostileTextsAreRefusedWhereverTheyStand) {
  const std::string huge(std::size_t{1} << 20, 'a');
  const std::string texts[] = {R"(a\r\nX: y)",       R"(a\u0000b)", "../a",      "a/b",   huge,
                               R"(\u202e\u001b[2J)", "a b",         "a\xC3\x28", "%2e%2e"};
  const std::string places[] = {
      R"({"name":"@","version":"1","abi":"1.0","controllers":[{"name":"c"}]})",
      R"({"name":"p","version":"@","abi":"1.0","controllers":[{"name":"c"}]})",
      R"({"name":"p","version":"1","abi":"@","controllers":[{"name":"c"}]})",
      R"({"name":"p","version":"1","abi":"1.0","requires":["@"],"controllers":[{"name":"c"}]})",
      R"({"name":"p","version":"1","abi":"1.0","optional":["@"],"controllers":[{"name":"c"}]})",
      with_controller(R"(,"aliases":["@"])"),
      with_controller(R"(,"clientName":"@")"),
      with_controller(R"(,"rules":[{"group":"@","resource":"pods","verbs":["get"]}])"),
      with_controller(R"(,"rules":[{"resource":"@","verbs":["get"]}])"),
      with_controller(R"(,"rules":[{"resource":"pods","subresource":"@","verbs":["get"]}])"),
      with_controller(R"(,"rules":[{"resource":"pods","verbs":["@"]}])"),
      with_controller(R"(,"rules":[{"resource":"pods","verbs":["get"],"namespaces":["@"]}])"),
      with_controller(R"(,"rules":[{"nonResourceURLs":["@"],"verbs":["get"]}])"),
      with_controller(R"(,"watches":[{"group":"@","resource":"pods","version":"v1"}])"),
      with_controller(R"(,"watches":[{"resource":"@","version":"v1"}])"),
      with_controller(R"(,"watches":[{"resource":"pods","version":"@"}])"),
      with_controller(R"(,"watches":[{"resource":"pods","version":"v1","fieldSelector":"@"}])"),
      with_controller(R"(,"watches":[{"resource":"pods","version":"v1","namespaces":["@"]}])"),
      with_controller(R"(,"watches":[{"resource":"pods","version":"v1",
                        "namespaces":{"config":"@"}}])"),
  };
  constexpr std::size_t kLineMax = 400;
  for (const std::string& place : places) {
    for (const std::string& text : texts) {
      std::string note = place;
      note.replace(note.find('@'), 1, text);
      const NoteResult result = parse_note(note);
      EXPECT_FALSE(result.ok()) << place << " with " << text.substr(0, 20);
      for (const std::string& mistake : result.mistakes) {
        EXPECT_LT(mistake.size(), kLineMax) << place;
        EXPECT_EQ(printable(mistake), mistake);
      }
    }
  }
}

TEST(NoteTest, AbsurdTextsAreRefused) {
  const std::string deep(40, '[');
  const std::string many = "\"get\"" + [] {
    std::string more;
    for (int i = 0; i < 1000; ++i) more += ",\"get\"";
    return more;
  }();
  EXPECT_THAT(parse_note(with_controller(",\"x\":" + deep)).mistakes,
              ElementsAre(HasSubstr("nested too deeply")));
  EXPECT_THAT(
      parse_note(with_controller(R"(,"rules":[{"resource":"pods","verbs":[)" + many + "]}]"))
          .mistakes,
      ElementsAre("controllers[0].rules[0].verbs must have at most 1000 entries, not 1001"));
  const std::string key(1 << 20, 'k');
  const NoteResult twice = parse_note("{\"" + key + "\":1,\"" + key + "\":2}");
  EXPECT_THAT(twice.mistakes, ElementsAre(HasSubstr("... (1048576 bytes)")));
  const NoteResult unknown = parse_note(with_controller(",\"" + key + "\":1"));
  ASSERT_TRUE(unknown.ok());
  EXPECT_THAT(unknown.declaration.unknown, ElementsAre(Pair("controllers[0]....", "1")));
  EXPECT_LT(unknown.findings.front().size(), 400U);
}

TEST(NoteTest, TheWholeNoteIsChecked) {
  EXPECT_THAT(parse_note("").mistakes, ElementsAre("the note is empty"));
  EXPECT_THAT(parse_note("[]").mistakes, ElementsAre("the file must be a mapping, not a list"));
  EXPECT_THAT(parse_note("{name: p}").mistakes,
              ElementsAre("line 1, column 2: expected a key in double quotes"));
  EXPECT_THAT(parse_note("{}").mistakes, ElementsAre("name is missing", "version is missing",
                                                     "abi is missing", "controllers is missing"));
  EXPECT_THAT(parse_note(R"({"name":"P!","version":"1","abi":"one","controllers":[]})").mistakes,
              ElementsAre("abi must be like \"1.0\", not \"one\"",
                          "name must be lower case letters, digits, '-' and '.', not \"P!\"",
                          "controllers must have at least one entry"));
}

TEST(NoteTest, NewerNotesAreReadOnlyAsFarAsTheyCanBeUnderstood) {
  for (const char* abi : {"1.9", "2.0"}) {
    const NoteResult note =
        parse_note(R"({"name":"p","version":"1","abi":")" + std::string(abi) + R"(","new":1})");
    EXPECT_TRUE(note.ok()) << abi;
    const Status compatible = check_compatible(note.declaration, host_capabilities());
    EXPECT_EQ(compatible.code(), Code::kUnsupported);
    EXPECT_EQ(compatible.message(), "needs ABI " + std::string(abi) +
                                        ", this host has " DAVIT_ABI_VERSION_TEXT
                                        ": use a newer davit");
  }
}

TEST(NoteTest, MissingCapabilitiesAreAllNamed) {
  PluginDeclaration declaration;
  declaration.abi_major = 1;
  declaration.requires_ids = {"davit.log/1", "davit.log/2", "davit.teleport/1"};
  EXPECT_EQ(check_compatible(declaration, host_capabilities()).message(),
            "requires davit.log/2, davit.teleport/1, which this host does not have: use a newer "
            "davit");
  declaration.requires_ids = host_capabilities();
  EXPECT_TRUE(check_compatible(declaration, host_capabilities()).ok());
}

}  // namespace
}  // namespace davit::host
