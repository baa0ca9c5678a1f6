#include "lib/cel/evaluate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/cel/parser.hpp"
#include "lib/kube/json.hpp"

namespace davit::cel {
namespace {

const Json& object() {
  static const Json kObject = json_literal(
      R"({"name":"web","replicas":3,"ratio":1.5,"ready":true,"labels":{"a":"1","b":"2"},)"
      R"("ports":[80,443],"text":"0123456789","nothing":null})");
  return kObject;
}

/// An evaluation and the tree that its value borrows from.
struct Outcome {
  Parsed parsed;
  Evaluation evaluation;
};

Outcome run(const std::string& text, std::uint64_t limit = 10'000'000) {
  Outcome out{parse(text), {}};
  EXPECT_TRUE(out.parsed.root) << display(text, out.parsed.issues);
  if (!out.parsed.root) return out;
  const VariableList variables({{"self", json_value(object())}});
  out.evaluation = evaluate(*out.parsed.root, variables, limit);
  return out;
}

std::string result(const std::string& text) {
  const Outcome ran = run(text);
  const Value& value = ran.evaluation.value;
  if (value.is_error()) return "error: " + std::string(value.error());
  const Result<Json> json = to_json(value);
  return json ? to_text(*json) : json.error().message();
}

using Cases = std::vector<std::pair<std::string, std::string>>;

void expect(const Cases& cases) {
  for (const auto& [text, value] : cases) EXPECT_EQ(result(text), value) << text;
}

TEST(CelEvaluate, JsonIsReadInPlace) {
  expect({{"self.replicas + 1", "4"},
          {"self.ratio * 2.0", "3"},
          {"self.labels['a'] + self.labels.b", "\"12\""},
          {"self.ports.map(p, p + 1)", "[81,444]"},
          {"self.labels.all(k, k in ['a', 'b'])", "true"},
          {"has(self.name) && !has(self.absent)", "true"},
          {"self.absent", "error: no such key: absent"},
          {"self.ports[2]", "error: index out of bounds: 2"},
          {"self.nothing == null", "true"},
          {"self.?absent.?deep.orValue('x')", "\"x\""},
          {"unknown", "error: no such attribute(s): unknown"}});
}

TEST(CelEvaluate, ErrorsCommuteInLogic) {
  expect({{"1 / 0 == 1 || true", "true"},
          {"true || 1 / 0 == 1", "true"},
          {"1 / 0 == 1 && false", "false"},
          {"1 / 0 == 1 || false", "error: division by zero"},
          {"[0, 1].exists(x, 1 / x == 1)", "true"},
          {"[0, 2].all(x, 1 / x == 1)", "false"},
          {"9223372036854775807 + 1", "error: integer overflow"},
          {"0u - 1u", "error: unsigned integer overflow"},
          {"1 % 0", "error: modulus by zero"},
          {"dyn(1) + dyn('a')", "error: no such overload"}});
}

TEST(CelEvaluate, LibrariesAnswerAsTheServer) {
  expect(
      {{"'abc'.charAt(1) + 'tacocat'.substring(4)", "\"bcat\""},
       {"'hello mellow'.lastIndexOf('ello', 6)", "1"},
       {"'a,b,c'.split(',', 2)", "[\"a\",\"b,c\"]"},
       {"'%s has %d of %.2f'.format(['x', 3, 1.5])", "\"x has 3 of 1.50\""},
       {"[3, 1, 2].max() + [1, 2].sum()", "6"},
       {"[].min()", "error: min called on empty list"},
       {"'abc 123 45'.findAll('[0-9]+')", "[\"123\",\"45\"]"},
       {"'abc'.find('^b')", "\"\""},
       {"url('https://a.b:80/p q?x=1&x=2').getEscapedPath()", "\"/p%20q\""},
       {"url('https://a.b:80/?x=1&x=2').getQuery()", R"({"x":["1","2"]})"},
       {"url('https://[::1]:80/').getHostname()", "\"::1\""},
       {"isURL('x')", "false"},
       {"quantity('1.5G').isGreaterThan(quantity('1Gi'))", "true"},
       {"quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", "true"},
       {"quantity('9999999999999999999999999999999999999G').isInteger()", "false"},
       {"quantity('9999999999999999999G').asInteger()", "error: cannot convert value to integer"},
       {"isQuantity('200K')", "false"},
       {"ip('::ffff:1.2.3.4')",
        "error: IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed"},
       {"string(ip('2001:db8:0:0:0:0:0:1'))", "\"2001:db8::1\""},
       {"ip.isCanonical('2001:DB8::1')", "false"},
       {"cidr('192.168.0.0/16').containsIP('192.168.7.1')", "true"},
       {"cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/23'))", "false"},
       {"string(cidr('10.1.2.3/8').masked())", "\"10.0.0.0/8\""},
       {"format.dns1123Label().validate('a-b').hasValue()", "false"},
       {"format.named('uuid').value().validate('x').value()",
        "[\"does not match the UUID format\"]"},
       {"semver('v1.02', true) == semver('1.2.0')", "true"},
       {"semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))", "true"},
       {"isSemver('01.0.0')", "false"},
       {"sets.equivalent([1, 2], [2, 1u, 1.0])", "true"},
       {"[optional.of(1), optional.none()].unwrapOpt()", "[1]"},
       {"['a', 'b'].transformMap(i, v, v + string(i))", "type conversion error from 'int' to JSON"},
       {"{'a': 1}.transformMapEntry(k, v, {string(v): k})", R"({"1":"a"})"},
       {"JSONPatch{op: 'add', path: '/' + jsonpatch.escapeKey('a/b~'), value: 1}",
        R"({"op":"add","path":"/a~1b~0","value":1})"},
       {"timestamp('2024-03-31T01:30:00Z').getHours('Europe/Berlin')", "3"},
       {"timestamp('2024-03-31T01:30:00Z').getHours('-02:30')", "23"},
       {"duration('90m') + duration('30s')", "\"5430s\""},
       {"'aXbXc'.matches('(a|b|X)+c$')", "true"},
       {"[2.0, double('NaN'), 1.0].sort().slice(1, 3) == [1.0, 2.0]", "true"},
       {"lists.range(3).sortBy(i, -i)", "[2,1,0]"},
       {"lists.range(10000001).size()", "error: lists.range() is limited to 10000000 elements"},
       {"'a'.matches('(')", "error: error parsing regexp: missing closing ): `(`"}});
}

TEST(CelEvaluate, CostsAreThoseOfTheServer) {
  const std::vector<std::pair<std::string, std::uint64_t>> costs = {
      {"true", 0},
      {"self.replicas", 2},
      {"self.replicas == 3", 3},
      {"has(self.name)", 1},
      {"self.ports[0]", 3},
      {"[1, 2, 3]", 0},
      {"[self.replicas]", 12},
      {"{'a': self.replicas}", 32},
      {"self.name in ['a', 'b']", 2},
      {"self.replicas in self.ports", 6},
      {"self.ready ? self.replicas : 0", 3},
      // all: 2 for the condition, 1 for the accumulator, 2 for x > 0; and 1 for the result.
      {"self.ports.all(x, x > 0)", 2 + 2 * (2 + 1 + 2) + 1},
      {"self.text.startsWith('0')", 3},
      {"self.text.matches('[0-9]*')", 2 + 2 * 2},
      {"self.text + self.text", 6},
      {"self.text.contains('1')", 3},
      {"quantity('1Gi').isGreaterThan(quantity('1'))", 3},
      {"sets.contains([1, 2], [1])", 3},
  };
  for (const auto& [text, cost] : costs) EXPECT_EQ(run(text).evaluation.cost, cost) << text;
}

TEST(CelEvaluate, TheLimitOfCostsEndsTowersOfLoops) {
  std::string tower = "true";
  for (int i = 0; i < 12; ++i)
    tower = "[1,2,3,4,5,6,7,8,9,10].all(x" + std::to_string(i) + ", " + tower + ")";
  const Outcome ran = run(tower, 1'000'000);
  const Evaluation& evaluation = ran.evaluation;
  EXPECT_TRUE(evaluation.cost_exceeded);
  EXPECT_EQ(evaluation.value.error(), "operation cancelled: actual cost limit exceeded");
  EXPECT_LT(evaluation.cost, 1'000'100U);
}

TEST(CelEvaluate, TextsThatDoubleStayWithinTheirCost) {
  std::string text = "'0123456789'";
  for (int i = 0; i < 12; ++i) text = "[" + text + "].map(x, x + x + x + x)[0]";
  const Outcome ran = run(text, 1'000'000);
  const Evaluation& evaluation = ran.evaluation;
  EXPECT_TRUE(evaluation.cost_exceeded || evaluation.value.text().size() < 200'000'000U);
}

}  // namespace
}  // namespace davit::cel
