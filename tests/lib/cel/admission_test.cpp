#include "lib/cel/admission.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/cel/authorizer.hpp"
#include "lib/cel/limits.hpp"

namespace davit::cel {
namespace {

AdmissionExpression compiled(const std::string& text, Wanted wanted = Wanted::kBool) {
  return AdmissionCompiler(Declares::kNo).compile(text, wanted, Declares::kYes);
}

/// The value as JSON, or the error.
std::string shown(const AdmissionOutcome& outcome) {
  if (!outcome.error.empty()) return outcome.error;
  const Result<Json> json = to_json(outcome.value);
  return json ? to_text(*json) : std::string(json.error().message());
}

std::string evaluated(const std::string& text, const AdmissionValues& values) {
  const std::vector<NamedExpression> none;
  const AdmissionVariables variables(values, none);
  std::int64_t budget = kRunBudget;
  return shown(evaluate_admission(compiled(text, Wanted::kAny), variables, budget));
}

TEST(AdmissionCompilerTest, AResultOfTheWrongTypeIsAnError) {
  EXPECT_EQ(compiled("object.a").error, "must evaluate to bool but got dyn");
  EXPECT_EQ(compiled("[null]").error, "must evaluate to bool but got list(null_type)");
  EXPECT_EQ(compiled("1", Wanted::kTextOrNull).error,
            "must evaluate to one of [string null_type] but got int");
  EXPECT_EQ(compiled("null", Wanted::kTextOrNull).error, "");
  EXPECT_TRUE(compiled("int('x') == 1").internal);
}

TEST(AdmissionCompilerTest, OnlyMutationsMakeObjectsAndPatches) {
  const std::string object = R"(Object{spec: Object.spec{a: 1}})";
  const std::string patch = R"([JSONPatch{op: "add", path: "/a", ?value: optional.of(1)}])";
  EXPECT_EQ(compiled(object, Wanted::kObject).error, "");
  EXPECT_EQ(compiled(patch, Wanted::kPatches).error, "");
  EXPECT_EQ(compiled("true ? " + patch + " : []", Wanted::kPatches).error, "");
  EXPECT_EQ(compiled("Object.spec{}", Wanted::kObject).error,
            "must evaluate to Object but got Object.spec");
  EXPECT_EQ(compiled("[]", Wanted::kPatches).error,
            "must evaluate to list(JSONPatch) but got list(dyn)");
  EXPECT_NE(compiled(object, Wanted::kAny).error.find("undeclared reference to 'Object'"),
            std::string::npos);
  EXPECT_NE(compiled("[JSONPatch{op: 1}]", Wanted::kPatches)
                .error.find("1:14: expected type of field 'op' is 'string' but provided type is "
                            "'int'"),
            std::string::npos);
}

TEST(AdmissionCompilerTest, AVariableKnowsThoseBeforeIt) {
  AdmissionCompiler compiler(Declares::kNo);
  EXPECT_EQ(compiler.add_variable("a", "1").error, "");
  EXPECT_EQ(compiler.add_variable("b", "variables.a + 1").error, "");
  EXPECT_NE(compiler.add_variable("c", "variables.d").error, "");

  EXPECT_EQ(compiler.compile("variables.b == 2", Wanted::kBool, Declares::kYes).error, "");
  EXPECT_NE(compiler.compile("variables.b == 'x'", Wanted::kBool, Declares::kYes).error, "");
  EXPECT_EQ(compiler.compile("variables.c == 'x'", Wanted::kBool, Declares::kYes).error, "")
      << "a wrong variable fits everything";
}

TEST(AdmissionVariablesTest, AMemberIsEvaluatedOnceAndItsCostCounts) {
  AdmissionCompiler compiler(Declares::kNo);
  std::vector<NamedExpression> members;
  members.emplace_back("big", compiler.add_variable("big", "[1, 2, 3].map(x, x * 2)"));
  const AdmissionExpression twice =
      compiler.compile("variables.big == variables.big", Wanted::kBool, Declares::kYes);
  const AdmissionValues values;
  const AdmissionVariables variables(values, members);

  std::int64_t first = kRunBudget;
  EXPECT_EQ(shown(evaluate_admission(twice, variables, first)), "true");
  std::int64_t second = kRunBudget;
  EXPECT_EQ(shown(evaluate_admission(twice, variables, second)), "true");

  EXPECT_LT(first, second) << "the second evaluation does not pay for the member again";
}

TEST(AdmissionVariablesTest, AnExhaustedBudgetEndsTheRun) {
  const AdmissionValues values;
  const std::vector<NamedExpression> none;
  const AdmissionVariables variables(values, none);
  std::int64_t budget = 3;

  const AdmissionOutcome outcome =
      evaluate_admission(compiled("[1, 2, 3].all(x, x > 0)"), variables, budget);

  EXPECT_TRUE(outcome.exhausted);
  EXPECT_EQ(outcome.error, kOutOfBudget);
}

TEST(AdmissionVariablesTest, ANameOfAMemberOutlivesTheVariables) {
  const std::string name = "a_name_that_no_string_keeps_within_itself";
  AdmissionCompiler compiler(Declares::kNo);
  std::vector<NamedExpression> members;
  members.emplace_back(name, compiler.add_variable(name, "1"));
  const AdmissionExpression first =
      compiler.compile("string(dyn(variables).map(k, k)[0])", Wanted::kText, Declares::kNo);
  const AdmissionValues values;
  std::int64_t budget = kRunBudget;

  const AdmissionOutcome outcome =
      evaluate_admission(first, AdmissionVariables(values, members), budget);

  EXPECT_EQ(shown(outcome), '"' + name + '"');
}

TEST(AdmissionVariablesTest, KnownMembersCountForTheDepthOfAValue) {
  AdmissionCompiler compiler(Declares::kNo);
  std::vector<NamedExpression> members;
  std::vector<AdmissionExpression> uses;
  const std::string brackets(100, '[');
  for (int i = 0; i < 40; ++i) {
    const std::string name = "v" + std::to_string(i);
    const std::string inner = i == 0 ? "1" : "dyn(variables.v" + std::to_string(i - 1) + ")";
    members.emplace_back(name,
                         compiler.add_variable(name, brackets + inner + std::string(100, ']')));
    uses.push_back(
        compiler.compile("variables." + name + ".size() == 1", Wanted::kBool, Declares::kNo));
  }
  const AdmissionValues values;
  const AdmissionVariables variables(values, members);
  std::int64_t budget = kRunBudget;

  std::vector<std::string> shown_all;
  for (const AdmissionExpression& each : uses) {
    shown_all.push_back(shown(evaluate_admission(each, variables, budget)));
  }

  EXPECT_EQ(shown_all.front(), "true");
  EXPECT_NE(shown_all.back().find("variables nest too deeply"), std::string::npos)
      << shown_all.back();
}

TEST(AdmissionVariablesTest, SharedPartsAreNotComparedWithoutEnd) {
  std::string big = "[[1]]";
  for (int i = 0; i < 40; ++i) big += ".map(x, [dyn(x), dyn(x)])";
  AdmissionCompiler compiler(Declares::kNo);
  std::vector<NamedExpression> members;
  members.emplace_back("big", compiler.add_variable("big", big));
  ASSERT_EQ(members.front().second.error, "");
  const AdmissionValues values;
  const AdmissionVariables variables(values, members);
  const auto error_of = [&](const std::string& text) {
    std::int64_t budget = kRunBudget;
    return shown(evaluate_admission(compiler.compile(text, Wanted::kBool, Declares::kNo), variables,
                                    budget));
  };

  EXPECT_NE(error_of("variables.big == variables.big").find("too large to compare"),
            std::string::npos);
  EXPECT_NE(error_of("[variables.big].indexOf(variables.big) == 0"), "true");
}

TEST(AuthorizerTest, AQuestionHasTheWordsOfTheExpression) {
  std::vector<AccessQuestion> asked;
  const AccessCheck check = [&asked](const AccessQuestion& question) {
    asked.push_back(question);
    return AccessVerdict{question.verb == "get", "because", ""};
  };
  AdmissionValues values;
  values.authorizer = authorizer_value({.name = "alice"}, check);
  AccessQuestion own;
  own.who.name = "alice";
  own.resource = "pods";
  values.request_resource = resource_check_value(own, check);

  EXPECT_EQ(evaluated("authorizer.group('apps').resource('deployments').subresource('scale')"
                      ".namespace('n').name('d').check('get').allowed()",
                      values),
            "true");
  EXPECT_EQ(evaluated("authorizer.path('/a').check('post').reason()", values), "\"because\"");
  EXPECT_EQ(evaluated("authorizer.requestResource.check('list').allowed()", values), "false");
  EXPECT_EQ(
      evaluated("authorizer.serviceAccount('n', 'a').path('/').check('get').errored()", values),
      "false");
  EXPECT_EQ(evaluated("[1].map(authorizer, authorizer)", values), "[1]");

  ASSERT_EQ(asked.size(), 4U);
  EXPECT_EQ(asked[0].who.name, "alice");
  EXPECT_EQ(asked[0].group, "apps");
  EXPECT_EQ(asked[0].resource, "deployments");
  EXPECT_EQ(asked[0].subresource, "scale");
  EXPECT_EQ(asked[0].ns, "n");
  EXPECT_EQ(asked[0].name, "d");
  EXPECT_FALSE(asked[1].is_resource);
  EXPECT_EQ(asked[1].path, "/a");
  EXPECT_EQ(asked[2].resource, "pods");
  EXPECT_EQ(asked[3].who.name, "system:serviceaccount:n:a");
}

TEST(AuthorizerTest, TwoChecksFitIntoOneEvaluationAndThreeDoNot) {
  const AccessCheck check = [](const AccessQuestion&) { return AccessVerdict{true, "", ""}; };
  AdmissionValues values;
  values.authorizer = authorizer_value({}, check);
  const std::string once = "authorizer.path('/').check('get').allowed()";

  EXPECT_EQ(evaluated(once + " && " + once, values), "true");
  EXPECT_NE(evaluated(once + " && " + once + " && " + once, values).find("cost limit exceeded"),
            std::string::npos);
}

}  // namespace
}  // namespace davit::cel
