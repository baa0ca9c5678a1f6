/// The rows of part B that are about expressions, without a cluster.
#include "plugins/admissionpolicy/expression_check.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/admissionpolicy/kind_types.hpp"
#include "plugins/admissionpolicy/matched_kinds.hpp"

namespace davit::admissionpolicy {
namespace {

const GroupVersionKind kDeployment = {"apps", "v1", "Deployment"};
constexpr std::string_view kPrefix = "apps/v1, Kind=Deployment: ";

TypedKind typed(const GroupVersionKind& kind) { return {kind, built_in_type(kind)}; }

/// The whole warning of one expression; "" if there is none.
std::string warning_of(const std::string& text, const GroupVersionKind& kind = kDeployment) {
  PolicyExpressions policy;
  policy.validations.push_back({text, ""});
  const std::vector<ExpressionWarning> out = check_expressions(policy, {typed(kind)}, nullptr);
  return out.empty() ? "" : out[0].warning;
}

/// "1:7: undefined field 'foo'" of each error, joined by "; ".
std::string errors_in(std::string_view warning) {
  constexpr std::string_view kMark = "ERROR: <input>:";
  std::string out;
  for (std::size_t at = 0; (at = warning.find(kMark, at)) != std::string_view::npos;) {
    at += kMark.size();
    out += (out.empty() ? "" : "; ") + std::string(warning.substr(at, warning.find('\n', at) - at));
  }
  return out;
}

std::string errors(const std::string& text, const GroupVersionKind& kind = kDeployment) {
  return errors_in(warning_of(text, kind));
}

std::string no_overload(const std::string& place, const std::string& function,
                        const std::string& types) {
  return place + ": found no matching overload for '" + function + "' applied to '" + types + "'";
}

using Variables = std::vector<std::pair<std::string, std::string>>;
std::string errors_with(const Variables& variables, const std::string& text) {
  PolicyExpressions policy;
  policy.variables = variables;
  policy.validations.push_back({text, ""});
  const auto out = check_expressions(policy, {typed(kDeployment)}, nullptr);
  return out.empty() ? "" : errors_in(out[0].warning);
}

const std::string kContainers = "object.spec.template.spec.containers";

TEST(ExpressionCheckTest, CC22_ARightExpressionGivesNoWarning) {
  EXPECT_EQ(warning_of("object.spec.replicas > 1"), "");
}

TEST(ExpressionCheckTest, CC23_AnUndefinedFieldIsShownAtItsPlace) {
  EXPECT_EQ(warning_of("object.foo > 1"),
            std::string(kPrefix) +
                "ERROR: <input>:1:7: undefined field 'foo'\n | object.foo > 1\n | ......^\n");
}

TEST(ExpressionCheckTest, CC24_TwoErrorsAreInOneWarning) {
  EXPECT_EQ(errors("object.foo > 1 && object.spec.bar == \"x\""),
            "1:7: undefined field 'foo'; 1:30: undefined field 'bar'");
}

TEST(ExpressionCheckTest, CC25_OperandsOfDifferentTypesHaveNoOverload) {
  EXPECT_EQ(errors("object.spec.replicas == \"x\""), no_overload("1:22", "_==_", "(int, string)"));
  EXPECT_EQ(errors("object.spec.replicas > \"1\""), no_overload("1:22", "_>_", "(int, string)"));
}

TEST(ExpressionCheckTest, CC26_OneMistakeIsOneError) {
  EXPECT_EQ(errors("object.metadata.name + 1 == 2"), no_overload("1:22", "_+_", "(string, int)"));
}

TEST(ExpressionCheckTest, CC27_AMessageExpressionIsCheckedToo) {
  PolicyExpressions policy;
  policy.validations.push_back({"true", "object.spec.replica + \"x\""});
  const auto out = check_expressions(policy, {typed(kDeployment)}, nullptr);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].field_ref, "spec.validations[0].messageExpression");
  EXPECT_EQ(errors_in(out[0].warning), "1:12: undefined field 'replica'");
}

TEST(ExpressionCheckTest, CC28_TheFieldRefCountsTheValidations) {
  PolicyExpressions policy;
  policy.validations = {{"true", ""}, {"true", ""}, {"object.foo", ""}};
  const auto out = check_expressions(policy, {typed(kDeployment)}, nullptr);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].field_ref, "spec.validations[2].expression");
}

TEST(ExpressionCheckTest, CC29_AnOptionalFieldMustExist) {
  EXPECT_EQ(errors("object.?spec.?foo.orValue(1) == 1"), "1:13: undefined field 'foo'");
}

TEST(ExpressionCheckTest, CC30_HasChecksItsField) {
  EXPECT_EQ(errors("has(object.spec.foo) && has(object.spec.replicas)"),
            "1:4: undefined field 'foo'");
}

TEST(ExpressionCheckTest, CC31_OldObjectHasTheSameType) {
  EXPECT_EQ(errors("oldObject.spec.foo == 1"), "1:15: undefined field 'foo'");
}

TEST(ExpressionCheckTest, CC32_LabelsAreTexts) {
  EXPECT_EQ(errors("object.metadata.labels.foo == \"x\" && object.metadata.labels[\"a\"] == 1"),
            no_overload("1:66", "_==_", "(string, int)"));
}

TEST(ExpressionCheckTest, CC33_AMapIsIndexedByItsKeys) {
  EXPECT_EQ(errors("object.metadata.labels[1] == \"a\""),
            no_overload("1:23", "_[_]", "(map(string, string), int)"));
}

TEST(ExpressionCheckTest, CC34_TheVariableOfALoopHasTheTypeOfTheElements) {
  EXPECT_EQ(errors(kContainers + ".all(c, c.imag.startsWith(\"x\"))"),
            "1:46: undefined field 'imag'");
}

TEST(ExpressionCheckTest, CC35_AListIsIndexedByNumbers) {
  EXPECT_EQ(errors(kContainers + "[\"a\"].image == \"x\""),
            no_overload("1:37", "_[_]",
                        "(list(Deployment1.spec.template.spec.containers.@idx), string)"));
}

TEST(ExpressionCheckTest, CC36_ANumberIsNoRange) {
  EXPECT_EQ(errors("object.spec.replicas.all(c, c > 1)"),
            "1:12: expression of type 'int' cannot be range of a comprehension (must be list, map, "
            "or dynamic)");
}

TEST(ExpressionCheckTest, CC37_ExistsOneTakesABool) {
  EXPECT_EQ(errors(kContainers + ".exists_one(c, c.image)"),
            no_overload("1:48", "_?_:_", "(string, int, int)"));
}

TEST(ExpressionCheckTest, CC38_FilterMapAndNestedLoopsKeepTheirTypes) {
  EXPECT_EQ(errors(kContainers + ".filter(c, c.name == \"a\")[0].imag == \"x\""),
            "1:65: undefined field 'imag'");
  EXPECT_EQ(errors(kContainers + ".map(c, c.name).exists(n, n == 1)"),
            no_overload("1:65", "_==_", "(string, int)"));
  EXPECT_EQ(errors(kContainers + ".all(c, c.ports.all(p, p.containerPort > \"a\"))"),
            no_overload("1:76", "_>_", "(int, string)"));
}

TEST(ExpressionCheckTest, CC39_ALoopWithTwoVariablesHasKeysAndValues) {
  EXPECT_EQ(errors("object.metadata.labels.all(k, v, k.size() > v)"),
            no_overload("1:43", "_>_", "(int, string)"));
}

TEST(ExpressionCheckTest, CC40_LogicTakesBools) {
  EXPECT_EQ(errors("object.spec.replicas && object.metadata.name || true"),
            "1:12: expected type 'bool' but found 'int'; "
            "1:40: expected type 'bool' but found 'string'");
}

TEST(ExpressionCheckTest, CC41_UnaryOperatorsHaveOverloads) {
  EXPECT_EQ(errors("!object.spec.replicas"), no_overload("1:1", "!_", "(int)"));
  EXPECT_EQ(errors("-object.metadata.name == \"a\""), no_overload("1:1", "-_", "(string)"));
}

TEST(ExpressionCheckTest, CC42_TheBranchesOfAConditionalAgree) {
  EXPECT_EQ(errors("(object.spec.replicas > 1 ? object.spec.replicas : object.metadata.name) == 1"),
            no_overload("1:27", "_?_:_", "(bool, int, string)"));
}

TEST(ExpressionCheckTest, CC43_OnlyOrderMixesNumbers) {
  EXPECT_EQ(errors("object.spec.replicas > 1.5 && object.spec.replicas == 1.5"),
            no_overload("1:52", "_==_", "(int, double)"));
}

TEST(ExpressionCheckTest, CC44_InTakesWhatTheContainerHas) {
  EXPECT_EQ(errors("object.spec.replicas in [\"a\"]"),
            no_overload("1:22", "@in", "(int, list(string))"));
  EXPECT_EQ(errors("1 in object.metadata.labels"),
            no_overload("1:3", "@in", "(int, map(string, string))"));
}

TEST(ExpressionCheckTest, CC45_NullEqualsNoSimpleType) {
  EXPECT_EQ(errors("object.spec.replicas == null"), no_overload("1:22", "_==_", "(int, null)"));
  EXPECT_EQ(errors("object.metadata.name != null"), no_overload("1:22", "_!=_", "(string, null)"));
  EXPECT_EQ(errors("object.metadata.labels == null"),
            no_overload("1:24", "_==_", "(map(string, string), null)"));
}

TEST(ExpressionCheckTest, CC46_NullMayEqualAnObject) {
  EXPECT_EQ(warning_of("object == null || object.spec.template != null"), "");
}

TEST(ExpressionCheckTest, CC47_TheElementsOfAListAgree) {
  EXPECT_EQ(errors("[object.spec.replicas, object.metadata.name].size() == 2"),
            "1:39: expected type 'int' but found 'string'");
}

TEST(ExpressionCheckTest, CC48_EmptyLiteralsFitEveryContainer) {
  EXPECT_EQ(warning_of("object.metadata.labels == {} && " + kContainers + " == []"), "");
}

TEST(ExpressionCheckTest, CC49_ObjectsOfDifferentTypesAreNotCompared) {
  EXPECT_EQ(errors("object.spec == object.spec.template"),
            no_overload("1:13", "_==_", "(Deployment1.spec, Deployment1.spec.template)"));
}

TEST(ExpressionCheckTest, CC50_ATextHasNoFields) {
  EXPECT_EQ(errors("object.metadata.name.foo.bar == 1"),
            "1:21: type 'string' does not support field selection");
}

TEST(ExpressionCheckTest, CC51_MembersHaveReceivers) {
  EXPECT_EQ(errors("object.spec.replicas.startsWith(\"a\")"),
            no_overload("1:32", "startsWith", "int.(string)"));
  EXPECT_EQ(errors("object.metadata.name.startsWith(object.spec.replicas)"),
            no_overload("1:32", "startsWith", "string.(int)"));
}

TEST(ExpressionCheckTest, CC52_ConversionsAndSizesTakeCertainTypes) {
  EXPECT_EQ(errors("size(object.spec.replicas) == 1"), no_overload("1:5", "size", "(int)"));
  EXPECT_EQ(errors("int(object.spec.template) == 1"),
            no_overload("1:4", "int", "(Deployment1.spec.template)"));
}

TEST(ExpressionCheckTest, CC53_TypesAreCompared) {
  EXPECT_EQ(warning_of("type(object.spec.replicas) == string"), "");
}

TEST(ExpressionCheckTest, CC54_IntOrStringCanBeAnything) {
  EXPECT_EQ(warning_of("object.spec.strategy.rollingUpdate.maxSurge == 1 || "
                       "object.spec.strategy.rollingUpdate.maxSurge.foo.bar == \"a\""),
            "");
}

TEST(ExpressionCheckTest, CC55_TimesAreTimestamps) {
  EXPECT_EQ(errors("object.metadata.creationTimestamp > timestamp(\"2020-01-01T00:00:00Z\") && "
                   "object.metadata.creationTimestamp == \"x\""),
            no_overload("1:108", "_==_", "(timestamp, string)"));
}

TEST(ExpressionCheckTest, CC56_DataOfSecretsAreBytes) {
  const GroupVersionKind secret = {"", "v1", "Secret"};
  EXPECT_EQ(errors("object.data[\"a\"] == b\"x\" && object.data[\"a\"] == \"x\"", secret),
            no_overload("1:46", "_==_", "(bytes, string)"));
}

TEST(ExpressionCheckTest, CC57_FieldsOfQuantitiesDoNotExist) {
  EXPECT_EQ(errors("quantity(" + kContainers +
                   "[0].resources.limits[\"cpu\"]).isGreaterThan(quantity(\"1\"))"),
            "1:59: undefined field 'limits'");
}

TEST(ExpressionCheckTest, CC58_TheAuthorizerIsDeclared) {
  EXPECT_EQ(warning_of("authorizer.group(\"\").resource(\"pods\").check(\"get\").allowed()"), "");
}

TEST(ExpressionCheckTest, CC59_TheRequestsResourceIsNot) {
  EXPECT_EQ(errors("authorizer.requestResource.check(\"get\").allowed()"),
            "1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'");
}

TEST(ExpressionCheckTest, CC60_TheRequestIsDeclared) {
  EXPECT_EQ(warning_of("request.operation == \"CREATE\" && request.userInfo.groups.exists(g, g == "
                       "\"x\") && request.options.foo == 1"),
            "");
}

TEST(ExpressionCheckTest, CC61_AWrongVariableFitsEverything) {
  EXPECT_EQ(errors_with({{"a", "object.nope"}}, "variables.a == 1"), "");
}

TEST(ExpressionCheckTest, CC62_AVariableThatIsAnObjectHasEveryField) {
  EXPECT_EQ(errors_with({{"t", "object.spec.template"}}, "variables.t.spec.nope == 1"), "");
}

TEST(ExpressionCheckTest, CC63_ASimpleVariableKeepsItsType) {
  EXPECT_EQ(errors_with({{"n", "object.spec.replicas"}}, "variables.n == \"x\""),
            no_overload("1:13", "_==_", "(int, string)"));
}

TEST(ExpressionCheckTest, CC64_ParametersHaveTheTypeOfTheirKind) {
  PolicyExpressions policy;
  policy.validations.push_back({"params.data.foo == \"a\" && params.nope == 1", ""});
  const auto out =
      check_expressions(policy, {typed(kDeployment)}, built_in_type({"", "v1", "ConfigMap"}));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(errors_in(out[0].warning), "1:33: undefined field 'nope'");
}

TEST(ExpressionCheckTest, CC67_OnlyKindsWithAFindingAreNamed) {
  PolicyExpressions policy;
  policy.validations.push_back({"object.spec.replicas > 1", ""});
  const auto out = check_expressions(policy,
                                     {typed({"apps", "v1", "DaemonSet"}), typed(kDeployment),
                                      typed({"apps", "v1", "StatefulSet"})},
                                     nullptr);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].warning,
            "apps/v1, Kind=DaemonSet: ERROR: <input>:1:12: undefined field 'replicas'\n"
            " | object.spec.replicas > 1\n | ...........^\n");
}

TEST(ExpressionCheckTest, CC81_EachErrorShowsItsLine) {
  EXPECT_EQ(
      warning_of("true &&\n  object.foo &&\n     object.bar"),
      std::string(kPrefix) +
          "ERROR: <input>:2:9: undefined field 'foo'\n |   object.foo &&\n | ........^\n"
          "ERROR: <input>:3:12: undefined field 'bar'\n |      object.bar\n | ...........^\n");
}

TEST(ExpressionCheckTest, CC82_DotsAreAsWideAsTheCharacters) {
  EXPECT_EQ(warning_of("object.foo == \"äöü\" && object.bar == \"日本\""),
            std::string(kPrefix) +
                "ERROR: <input>:1:7: undefined field 'foo'\n"
                " | object.foo == \"äöü\" && object.bar == \"日本\"\n | ......^\n"
                "ERROR: <input>:1:30: undefined field 'bar'\n"
                " | object.foo == \"äöü\" && object.bar == \"日本\"\n"
                " | ...............．．．...........^\n");
}

TEST(ExpressionCheckTest, CC83_ATabIsShownAsABlank) {
  EXPECT_EQ(warning_of("true && \tobject.foo"),
            std::string(kPrefix) +
                "ERROR: <input>:1:16: undefined field 'foo'\n | true &&  object.foo\n"
                " | ...............^\n");
}

TEST(ExpressionCheckTest, CC84_AWarningEndsAfterSixteenKibibytes) {
  std::string text = "true";
  for (int i = 0; i < 120; ++i) text += " && object.wrong" + std::to_string(i) + " == 1";
  const std::string warning = warning_of(text);

  EXPECT_LT(warning.size(), std::size_t{16} * 1024 + 3 * text.size());
  EXPECT_NE(warning.find(" more errors were truncated\n"), std::string::npos);
  EXPECT_NE(warning.find("undefined field 'wrong0'"), std::string::npos);
}

TEST(ExpressionCheckTest, WarningsOfManyExpressionsAndKindsFitIntoAPolicy) {
  // Each error shows its line if that has at most 16 KiB.
  const std::string text = "object.wrong == '" + std::string(15 * 1024, 'x') + "'";
  PolicyExpressions policy;
  for (int i = 0; i < 30; ++i) policy.validations.push_back({text, text});
  std::vector<TypedKind> kinds;
  for (const char* kind : {"Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"}) {
    kinds.push_back(typed({"apps", "v1", kind}));
  }
  std::size_t bytes = 0;
  const std::vector<ExpressionWarning> out = check_expressions(policy, kinds, nullptr);
  for (const ExpressionWarning& each : out) bytes += each.warning.size();
  EXPECT_GT(out.size(), 1U);
  EXPECT_LT(bytes, std::size_t{512} * 1024);
}

TEST(MatchedKindsTest, AResourceOfAVersionWithoutAResponseIsInDoubt) {
  const auto kinds_of = [](const ResourceRule& rule) {
    return served_kinds({rule}, {}, [] {
      ServedCatalog fresh;
      fresh.unknown = {{"metrics.k8s.io", "v1beta1", "503"}};
      return Result<ServedCatalog>(std::move(fresh));
    });
  };
  const Status doubt = kinds_of({{"metrics.k8s.io"}, {"v1beta1"}, {"pods"}}).error();
  EXPECT_EQ(doubt.code(), Code::kUnavailable);
  EXPECT_EQ(doubt.message(), "discovery of metrics.k8s.io/v1beta1 has failed: 503");
  EXPECT_FALSE(kinds_of({{""}, {"v1beta1"}, {"pods"}})) << "no group stands for any";
  EXPECT_TRUE(kinds_of({{"metrics.k8s.io"}, {"v1"}, {"pods"}}));
  EXPECT_TRUE(kinds_of({{"apps"}, {"v1beta1"}, {"nosuch"}}));
}

TEST(ExpressionCheckTest, CC89_AnUnknownFunctionGivesNoWarning) {
  EXPECT_EQ(warning_of("ofNextYear(object.spec.replicas) == 1"), "");
  EXPECT_EQ(errors("ofNextYear(object.foo) == 1"), "1:18: undefined field 'foo'");
}

TEST(ExpressionCheckTest, CC90_WhatCannotBeParsedGivesNoWarning) {
  EXPECT_EQ(warning_of(std::string(10'000, '(') + "object.foo"), "");
  EXPECT_EQ(warning_of("object.foo +"), "");
  EXPECT_EQ(warning_of("object.foo == \"" + std::string(70'000, 'x') + "\""), "");
}

TEST(ExpressionCheckTest, CC91_LibrariesHaveTheirTypes) {
  EXPECT_EQ(errors(kContainers + ".map(c, c.name).sum() == 1"),
            no_overload("1:56", "sum", "list(string).()"));
  EXPECT_EQ(errors("sets.contains(object.metadata.finalizers, [1])"),
            no_overload("1:14", "sets.contains", "(list(string), list(int))"));
  EXPECT_EQ(errors("object.?spec.?replicas.orValue(\"x\") == 1"),
            no_overload("1:31", "orValue", "optional_type(int).(string)"));
  EXPECT_EQ(errors("format.dns1123Label().validate(object.spec.replicas).hasValue()"),
            no_overload("1:31", "validate", "kubernetes.NamedFormat.(int)"));
}

TEST(ExpressionCheckTest, CC92_MacrosOfOptionalsAndMapsKeepTheirTypes) {
  EXPECT_EQ(errors("optional.of(object.spec.replicas).optMap(x, x.foo).hasValue()"),
            "1:46: type 'int' does not support field selection");
  EXPECT_EQ(errors("object.metadata.labels.transformMap(k, v, v == 1).size() == 1"),
            no_overload("1:45", "_==_", "(string, int)"));
}

TEST(KindTypesTest, CC74_FieldsOfACustomKindHaveTheTypesOfItsSchema) {
  const Json definition = json_literal(R"({"spec":{"versions":[{"name":"v1","schema":{
      "openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
        "size":{"type":"integer"},"namespace":{"type":"string"},"a-b":{"type":"string"},
        "port":{"x-kubernetes-int-or-string":true},
        "inner":{"type":"object","x-kubernetes-embedded-resource":true,
                 "x-kubernetes-preserve-unknown-fields":true},
        "when":{"type":"string","format":"date-time"},"raw":{"type":"string","format":"byte"},
        "ratio":{"type":"number"},
        "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}}]}})");
  const GroupVersionKind toy = {"example.com", "v1", "Toy"};
  const auto errors_of = [&](const std::string& text) {
    PolicyExpressions policy;
    policy.validations.push_back({text, ""});
    const auto out = check_expressions(policy, {{toy, custom_type(definition, toy)}}, nullptr);
    return out.empty() ? "" : errors_in(out[0].warning);
  };

  EXPECT_EQ(errors_of("object.spec.size == \"x\""), no_overload("1:18", "_==_", "(int, string)"));
  EXPECT_EQ(errors_of("object.spec.namespace == 1"), no_overload("1:23", "_==_", "(string, int)"));
  EXPECT_EQ(errors_of("object.spec.__namespace__ == 1"),
            no_overload("1:27", "_==_", "(string, int)"));
  EXPECT_EQ(errors_of("object.spec.a__dash__b == 1"), no_overload("1:24", "_==_", "(string, int)"));
  EXPECT_EQ(errors_of("object.spec.port == 1 || object.spec.port == \"a\""), "");
  EXPECT_EQ(errors_of("object.spec.inner.metadata.name == 1"),
            no_overload("1:33", "_==_", "(string, int)"));
  EXPECT_EQ(errors_of("object.spec.when == 1"), no_overload("1:18", "_==_", "(timestamp, int)"));
  EXPECT_EQ(errors_of("object.spec.raw == \"x\""), no_overload("1:17", "_==_", "(bytes, string)"));
  EXPECT_EQ(errors_of("object.spec.ratio == \"x\""),
            no_overload("1:19", "_==_", "(double, string)"));
  EXPECT_EQ(custom_type(definition, {"example.com", "v2", "Toy"}), nullptr);
}

TEST(KindTypesTest, CC75_UnknownFieldsThatAreKeptDoNotExist) {
  const Json definition = json_literal(R"({"spec":{"versions":[{"name":"v1","schema":{
      "openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
        "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}}]}})");
  PolicyExpressions policy;
  policy.validations.push_back({"object.spec.any.foo == 1", ""});
  const GroupVersionKind toy = {"example.com", "v1", "Toy"};
  const auto out = check_expressions(policy, {{toy, custom_type(definition, toy)}}, nullptr);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(errors_in(out[0].warning), "1:16: undefined field 'foo'");
}

TEST(KindTypesTest, ATypeWithinItselfHasNoFields) {
  const GroupVersionKind definition = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"};
  const std::string schema = "object.spec.versions[0].schema.openAPIV3Schema.properties[\"a\"]";
  EXPECT_EQ(errors("size(" + schema + ".type) == 1", definition), "1:68: undefined field 'type'");
}

}  // namespace
}  // namespace davit::admissionpolicy
