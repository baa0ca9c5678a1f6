#include "lib/cel/checker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cel/declarations.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/parser.hpp"

namespace davit::cel {
namespace {

TypePtr widget_type() {
  FieldTypes ports = {{"name", simple_type(TypeKind::kString)},
                      {"number", simple_type(TypeKind::kInt)}};
  const TypePtr port =
      object_type("selfType.ports.@idx", std::make_shared<const FieldTypes>(ports));
  FieldTypes fields = {{"ports", list_type(port)},
                       {"labels", type_literal("map(string, string)")},
                       {"name", simple_type(TypeKind::kString)},
                       {"size", simple_type(TypeKind::kInt)},
                       {"ratio", simple_type(TypeKind::kDouble)},
                       {"since", simple_type(TypeKind::kTimestamp)},
                       {"limit", simple_type(TypeKind::kDyn)}};
  return object_type("selfType", std::make_shared<const FieldTypes>(fields));
}

Checked checked(const std::string& text) {
  const Parsed parsed = parse(text);
  EXPECT_TRUE(parsed.issues.empty()) << display(text, parsed.issues);
  if (parsed.root == nullptr) return {};
  return check(*parsed.root, {{"self", widget_type()}, {"oldSelf", optional_type(widget_type())}});
}

/// The type of the expression, or the messages of its issues.
std::string type_or_issues(const std::string& text) {
  const Checked result = checked(text);
  if (result.issues.empty()) return result.result ? to_text(*result.result) : "";
  std::string out;
  for (const Issue& each : result.issues) out += (out.empty() ? "" : "; ") + each.message;
  return out;
}

struct CheckCase {
  const char* expression;
  const char* outcome;
};

TEST(CheckerTest, ExpressionsHaveTheTypesOfCelGo) {
  const CheckCase kCases[] = {
      {"1 + 2", "int"},
      {"[1, 2, 3]", "list(int)"},
      {"[]", "list(dyn)"},
      {"{}", "map(dyn, dyn)"},
      {"{'a': 1u}", "map(string, uint)"},
      {"self.ports.map(p, p.number)", "list(int)"},
      {"self.ports.filter(p, p.number > 80)", "list(selfType.ports.@idx)"},
      {"self.ports.all(p, p.name != '')", "bool"},
      {"self.labels.exists(k, v, k == v)", "bool"},
      {"self.ports.transformList(i, p, i + p.number)", "list(int)"},
      {"self.labels.transformMap(k, v, size(v))", "map(string, int)"},
      {"self.labels['a']", "string"},
      {"self.labels.?a", "optional_type(string)"},
      {"self.labels[?'a'].orValue('b')", "string"},
      {"oldSelf.hasValue() && oldSelf.value().size < self.size", "bool"},
      {"oldSelf.optMap(o, o.size)", "optional_type(int)"},
      {"self.limit > 3 || self.limit == '50%'", "bool"},
      {"type(self.limit) == string", "bool"},
      {"size(self.limit)", "int"},
      {"quantity('1Gi').isGreaterThan(quantity('1Mi'))", "bool"},
      {"quantity('1').add(2)", "kubernetes.Quantity"},
      {"url('https://a').getHost()", "string"},
      {"ip('::1').family()", "int"},
      {"ip.isCanonical('::1')", "bool"},
      {"type(ip('::1')) == net.IP", "bool"},
      {"cidr('10.0.0.0/8').containsIP('10.1.2.3')", "bool"},
      {"format.dns1123Label().validate('a')", "optional_type(list(string))"},
      {"semver('1.2.3').major()", "int"},
      {"sets.contains([1], [2])", "bool"},
      {"[3, 1].sort()", "list(int)"},
      {"'%s %d'.format(['a', 1])", "string"},
      {"self.since - timestamp('2026-01-01T00:00:00Z')", "duration"},
      {"1 < 2.5 && 2u > 1", "bool"},
      {"dyn(1) == 'a'", "bool"},
  };
  for (const CheckCase& each : kCases) {
    EXPECT_EQ(type_or_issues(each.expression), each.outcome) << each.expression;
  }
}

TEST(CheckerTest, IssuesHaveTheWordsOfCelGo) {
  const CheckCase kCases[] = {
      {"x", "undeclared reference to 'x' (in container '')"},
      {"self.size.frobnicate()", "undeclared reference to 'frobnicate' (in container '')"},
      {"self.sise > 1", "undefined field 'sise'"},
      {"1 + 'a'", "found no matching overload for '_+_' applied to '(int, string)'"},
      {"self == 1", "found no matching overload for '_==_' applied to '(selfType, int)'"},
      {"self.name.startsWith(1)",
       "found no matching overload for 'startsWith' applied to 'string.(int)'"},
      {"self.size && true", "expected type 'bool' but found 'int'"},
      {"self.size.all(x, true)",
       "expression of type 'int' cannot be range of a comprehension (must be list, map, or "
       "dynamic)"},
      {"self.ports.all(p, p.number)", "expected type 'bool' but found 'int'"},
      {"self.name.first", "type 'string' does not support field selection"},
      {"oldSelf.size > 1",
       "found no matching overload for '_>_' applied to '(optional_type(int), int)'"},
      {"[1, 'a']", "expected type 'int' but found 'string'"},
      {"{'a': 1, 'b': true}", "expected type 'int' but found 'bool'"},
      {"'%s %s'.format([1, 2.0])", "string"},
      {"duration('1y')", "invalid duration argument"},
      {"timestamp('today')", "invalid timestamp argument"},
      {"self.name.matches('(')", "invalid matches argument"},
      {"Widget{}", "undeclared reference to 'Widget' (in container '')"},
      {"self.size == 1 ? 1 : 'a'",
       "found no matching overload for '_?_:_' applied to '(bool, int, string)'"},
      {"has(self.name) ? self.name : null",
       "found no matching overload for '_?_:_' applied to '(bool, string, null)'"},
      {"cel.bind(x, 1, x)",
       "undeclared reference to 'x' (in container ''); "
       "undeclared reference to 'x' (in container ''); "
       "undeclared reference to 'cel' (in container ''); "
       "undeclared reference to 'bind' (in container '')"},
      {"x && y",
       "undeclared reference to 'x' (in container ''); "
       "undeclared reference to 'y' (in container '')"},
  };
  for (const CheckCase& each : kCases) {
    EXPECT_EQ(type_or_issues(each.expression), each.outcome) << each.expression;
  }
}

TEST(CheckerTest, IssuesShowTheirPlaceInTheLine) {
  const std::string text = "self.size > 0 &&\n  self.nane == ''";

  EXPECT_EQ(display(text, checked(text).issues),
            "ERROR: <input>:2:7: undefined field 'nane'\n"
            " |   self.nane == ''\n"
            " | ......^");
}

TEST(CheckerTest, TheVariablesOfAnExpressionAreThoseThatItUses) {
  EXPECT_EQ(checked("self.size > 0").variables, (std::unordered_set<std::string>{"self"}));
  EXPECT_EQ(checked("[1].all(self, self > 0) && oldSelf.hasValue()").variables,
            (std::unordered_set<std::string>{"oldSelf"}));
}

TEST(CheckerTest, ATypeThatGrowsWithoutLimitIsAnIssue) {
  std::string text = "[1]";
  for (int i = 0; i < 30; ++i) text += ".map(x, [{'a': x}.map(k, [{x: x}])])";

  EXPECT_EQ(type_or_issues(text), "the types of the expression are too large");
}

/// The evaluator has the first two. The others belong to the authorizer, a value that only
/// admission policies get.
constexpr std::string_view kElsewhere[] = {
    "or",         "orValue",       "allowed", "check",         "error",
    "errored",    "fieldSelector", "group",   "labelSelector", "name",
    "namespace",  "path",          "reason",  "resource",      "serviceAccount",
    "subresource"};

TEST(DeclarationsTest, EveryDeclaredFunctionCanBeCalled) {
  std::vector<std::string> missing;
  for (const std::string& name : function_names()) {
    const bool is_operator =
        name.find_first_of("_@") != std::string::npos && name != "@sortByAssociatedKeys";
    if (is_operator || std::ranges::find(kElsewhere, name) != std::end(kElsewhere)) continue;
    if (find_function(name, CallStyle::kGlobal) != nullptr) continue;
    if (find_function(name, CallStyle::kMember) == nullptr) missing.push_back(name);
  }
  EXPECT_EQ(missing, std::vector<std::string>());
}

}  // namespace
}  // namespace davit::cel
