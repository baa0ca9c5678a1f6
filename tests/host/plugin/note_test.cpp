#include "host/plugin/note.hpp"

#include <davit/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A note around the members of one controller.
std::string with_controller(const std::string& members) {
  return R"({"name":"p","version":"1","abi":"1.0","controllers":[{"name":"c")" + members + "}]}";
}

TEST(NoteTest, EverythingThatCanBeDeclaredIsRead) {
  const NoteResult note = parse_note(R"({"name":"p","version":"0.1.0","abi":"1.0",
    "requires":["davit.log/1"],"build":"gcc 12","controllers":[{"name":"p-controller",
    "aliases":["p"],"clientName":"p-client","offByDefault":true,"withoutLeadership":true,
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
     R"(controllers has control characters: "c\r\nImpersonate-User: admin")"},
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
    {R"(,"worker":5)",
     "unknown key \"worker\" in controllers[0]; did you mean \"workers\"? (allowed: aliases, "
     "clientName, name, offByDefault, rules, watches, withoutLeadership, workers)"},
    {R"(,"workers":0)",
     "controllers[0].workers must be a whole number from 1 to 1000, not the number 0"},
    {R"(,"workers":"5")",
     "controllers[0].workers must be a whole number from 1 to 1000, not the string \"5\""},
    {R"(,"offByDefault":"no")",
     "controllers[0].offByDefault must be true or false, not the string \"no\""},
    {R"(,"aliases":["c"])", "controllers[0].name: the name or alias \"c\" is declared twice"},
    {R"(,"aliases":["C d"])",
     "controllers[0].name and aliases must be lower case letters, digits and '-', not \"C d\""},
    {R"(,"rules":{})", "controllers[0].rules must be a list, not a mapping"},
    {R"(,"rules":[{"resource":"pods"}])", "controllers[0].rules[0].verbs is missing"},
    {R"(,"rules":[{"resource":"Pods","verbs":["get"]}])",
     "controllers[0].rules[0].resource must be a plural in lower case such as \"pods\", not "
     "\"Pods\""},
    {R"(,"rules":[{"resource":"pods","verbs":["read"]}])",
     "controllers[0].rules[0].verbs: unknown verb \"read\" (allowed: get, list, watch, create, "
     "update, patch, delete, deletecollection)"},
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

TEST(NoteTest, TheWholeNoteIsChecked) {
  EXPECT_THAT(parse_note("").mistakes, ElementsAre("the note is empty"));
  EXPECT_THAT(parse_note("[]").mistakes, ElementsAre("the file must be a mapping, not a list"));
  EXPECT_THAT(parse_note("{name: p}").mistakes,
              ElementsAre("line 1, column 2: a key in double quotes is expected"));
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
