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
