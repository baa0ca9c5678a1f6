// Expressions of CRD validation rules, as kube-apiserver v1.36.2 judged them, and to the sandbox.
//
// DAVIT_DIFFERENTIAL_RECORD=1 writes the recording again.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <span>
#include <thread>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/differential/recording.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/http_api.hpp"
#include "tests/live/support/process.hpp"
#include "tests/support/sandbox_api.hpp"

namespace davit::live {
namespace {

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

enum class Use { kRule, kText, kChange, kOptional };

struct Expression {
  Use use = Use::kRule;
  std::string text;
  int line = 0;
  std::string differs;  ///< Why the sandbox's verdict is another; empty if it is to be the same.
};

struct ExpressionPage {
  Json schema;
  Json object;
  Json changed;
  std::vector<Expression> expressions;
};

Json member_of(const YamlDocument& page, std::string_view name) {
  const YamlNode* node = page.root.find(name);
  if (node == nullptr) give_up(std::string(DAVIT_EXPRESSIONS) + " lacks " + std::string(name));
  return *parse_json(*to_json(*node));
}

ExpressionPage read_expressions() {
  const Result<std::string> text = read_text_file(DAVIT_EXPRESSIONS);
  if (!text) give_up(text.error().message());
  const YamlDocument page = parse_yaml(*text, DAVIT_EXPRESSIONS);
  if (!page.mistakes.empty()) give_up(page.mistakes.front().str());
  ExpressionPage out{
      member_of(page, "schema"), member_of(page, "object"), member_of(page, "changed"), {}};
  const std::map<std::string, Use> uses = {{"rule", Use::kRule},
                                           {"text", Use::kText},
                                           {"change", Use::kChange},
                                           {"optional", Use::kOptional}};
  for (const YamlNode& each : page.root.find("expressions")->items) {
    Expression expression;
    expression.line = each.line;
    for (const YamlMember& member : each.members) {
      if (const auto use = uses.find(member.key); use != uses.end()) {
        expression.use = use->second;
        expression.text = member.value.text;
      } else {
        expression.differs = member.value.text;
      }
    }
    out.expressions.push_back(std::move(expression));
  }
  return out;
}

/// Found in each message about the expression.
std::string mark_of(std::size_t number) { return "case-" + std::to_string(number) + "."; }

Json rule_of(const Expression& expression, std::size_t number) {
  Json rule = Json::object({{"rule", expression.text}, {"message", mark_of(number)}});
  if (expression.use == Use::kText) {
    rule.set("rule", "false");
    rule.set("messageExpression", expression.text);
  }
  if (expression.use == Use::kOptional) rule.set("optionalOldSelf", true);
  return rule;
}

Json definition_of(const std::string& plural, const Json& schema, Json rules) {
  Json definition = *parse_json(R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","spec":{"group":"rules.example","scope":"Cluster",
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
      {"type":"object","properties":{}}}}]}})");
  definition["metadata"]["name"] = plural + ".rules.example";
  Json& spec = definition["spec"];
  spec["names"] = Json::object({{"plural", plural}, {"kind", "Kind" + plural}});
  Json judged = schema;
  judged.set("x-kubernetes-validations", std::move(rules));
  spec["versions"].make_array().front()["schema"]["openAPIV3Schema"]["properties"]["spec"] =
      std::move(judged);
  return definition;
}

/// Judges the expressions by one server. Verdicts are texts, in the order of the page.
class Judge {
 public:
  Judge(checks::Server& server, const ExpressionPage& page) : server_(server), page_(page) {}

  std::vector<std::string> verdicts() {
    const std::size_t count = page_.expressions.size();
    std::vector<std::string> out(count);
    std::vector<std::size_t> sound;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = mistake(i);
      if (out[i].empty()) sound.push_back(i);
    }
    for (const Use use : {Use::kRule, Use::kText}) {
      const std::vector<std::size_t> numbers = of_use(sound, {use});
      constexpr std::size_t kPerDefinition = 40;
      for (std::size_t first = 0; first < numbers.size(); first += kPerDefinition) {
        const std::size_t end = std::min(first + kPerDefinition, numbers.size());
        judge(std::span(numbers).subspan(first, end - first), out);
      }
    }
    judge_changes(of_use(sound, {Use::kChange, Use::kOptional}), out);
    return out;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> of_use(const std::vector<std::size_t>& numbers,
                                                std::initializer_list<Use> uses) const {
    std::vector<std::size_t> out;
    for (const std::size_t each : numbers) {
      if (std::ranges::find(uses, page_.expressions[each].use) != uses.end()) out.push_back(each);
    }
    return out;
  }

  checks::Reply send(const char* method, const std::string& target, const Json& body) {
    return server_.send(
        method, target,
        {{"Authorization", "Bearer admin-token"}, {"Content-Type", "application/json"}},
        to_text(body));
  }

  checks::Reply get(const std::string& target) {
    return server_.send("GET", target, {{"Authorization", "Bearer admin-token"}}, "");
  }

  /// The server's words on an expression that it does not compile; empty if it does.
  std::string mistake(std::size_t number) {
    Json rules = Json::array();
    rules.make_array().push_back(rule_of(page_.expressions[number], number));
    const checks::Reply reply = send("POST", std::string(kDefinitions) + "?dryRun=All",
                                     definition_of("tries", page_.schema, std::move(rules)));
    if (reply.status == 201) return {};
    std::string out = "refused:";
    for (const Json& cause : causes_of(reply)) {
      out += ' ' + cause.text_at({"field"}) + ": " + cause.text_at({"message"});
    }
    return out;
  }

  static Json::Items causes_of(const checks::Reply& reply) {
    const Result<Json> body = parse_json(reply.body);
    const Json* causes = body ? body->at({"details", "causes"}) : nullptr;
    if (causes != nullptr) return causes->items();
    return {Json::object({{"field", std::to_string(reply.status)}, {"message", reply.body}})};
  }

  Json rules_of(std::span<const std::size_t> numbers) const {
    Json rules = Json::array();
    for (const std::size_t each : numbers) {
      rules.make_array().push_back(rule_of(page_.expressions[each], each));
    }
    return rules;
  }

  void judge(std::span<const std::size_t> numbers, std::vector<std::string>& out) {
    const std::string plural = "set" + std::to_string(numbers.front());
    const std::string target = "/apis/rules.example/v1/" + plural;
    ASSERT_EQ(send("POST", std::string(kDefinitions),
                   definition_of(plural, page_.schema, rules_of(numbers)))
                  .status,
              201);
    await([&] { return get(target).status == 200; });
    note("", numbers, send("POST", target + "?dryRun=All", object_of(plural)), out);
  }

  /// The object is older than the rules.
  void judge_changes(std::span<const std::size_t> numbers, std::vector<std::string>& out) {
    const std::string target = "/apis/rules.example/v1/changes";
    Json definition = definition_of("changes", page_.schema, Json::array());
    ASSERT_EQ(send("POST", std::string(kDefinitions), definition).status, 201);
    await([&] { return get(target).status == 200; });
    ASSERT_EQ(send("POST", target, object_of("changes")).status, 201);
    Json rules = rules_of(numbers);
    // It refuses everything as soon as the server knows the rules.
    rules.make_array().push_back(Json::object({{"rule", "false"}}));
    const Json judged = definition_of("changes", page_.schema, std::move(rules));
    ASSERT_EQ(server_
                  .send("PATCH", std::string(kDefinitions) + "/changes.rules.example",
                        {{"Authorization", "Bearer admin-token"},
                         {"Content-Type", "application/merge-patch+json"}},
                        to_text(Json::object({{"spec", judged.get("spec")}})))
                  .status,
              200);
    note("created: ", numbers, refusal("POST", target, object_of("changes", "two")), out);
    const checks::Reply made = get(target + "/one");
    ASSERT_EQ(made.status, 200) << made.body;
    Json object = *parse_json(made.body);
    object["spec"] = page_.changed;
    note("changed: ", numbers, refusal("PUT", target + "/one", object), out);
  }

  checks::Reply refusal(const char* method, const std::string& target, const Json& object) {
    checks::Reply reply;
    await([&] {
      reply = send(method, target + "?dryRun=All", object);
      return reply.status == 422;
    });
    EXPECT_EQ(reply.status, 422) << reply.body;
    return reply;
  }

  Json object_of(const std::string& plural, const char* name = "one") const {
    Json object = Json::object({{"apiVersion", "rules.example/v1"}, {"kind", "Kind" + plural}});
    object["metadata"]["name"] = name;
    object["spec"] = page_.object;
    return object;
  }

  void note(const std::string& when, std::span<const std::size_t> numbers,
            const checks::Reply& reply, std::vector<std::string>& out) {
    Json::Items causes;
    if (reply.status >= 400) causes = causes_of(reply);
    const bool texts = page_.expressions[numbers.front()].use == Use::kText;
    // The causes of texts have no marks, but each rule has one, in the order of the rules.
    if (texts && causes.size() != numbers.size()) give_up(reply.body);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::string verdict;
      for (std::size_t k = 0; k < causes.size(); ++k) {
        const std::string& message = causes[k].text_at({"message"});
        if (texts ? k != i : message.find(mark_of(numbers[i])) == std::string::npos) continue;
        verdict += causes[k].text_at({"reason"}) + ' ' + causes[k].text_at({"field"}) + ": ";
        verdict += message;
      }
      std::string& out_of = out[numbers[i]];
      if (!out_of.empty()) out_of += '\n';
      out_of += when + (verdict.empty() ? "holds" : verdict);
    }
  }

  template <typename Condition>
  static void await(const Condition& condition) {
    for (int i = 0; i < 200 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  checks::Server& server_;
  const ExpressionPage& page_;
};

void compare(const std::vector<std::string>& given, const ExpressionPage& page, bool differences) {
  const Result<std::vector<Exchange>> recorded = read_exchanges(DAVIT_EXPRESSION_RECORDING);
  ASSERT_TRUE(recorded) << recorded.error().message();
  const char* const kAdvice =
      "expressions.yaml has changed; record it: docs/TESTING.md, \"Recordings\"";
  ASSERT_EQ(recorded->size(), page.expressions.size()) << kAdvice;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Expression& each = page.expressions[i];
    const auto& [operation, answer] = (*recorded)[i];
    ASSERT_EQ(operation.body, each.text) << kAdvice;
    if ((given[i] == answer) == (!differences || each.differs.empty())) continue;
    ADD_FAILURE_AT(DAVIT_EXPRESSIONS, each.line)
        << each.text << "\n recorded: " << answer << "\n given:    " << given[i]
        << (given[i] == answer ? "\n It differs no longer: remove the mark." : "");
  }
}

TEST(RecordedExpressions, SandboxJudgesAsRecorded) {
  const ExpressionPage page = read_expressions();
  test::SandboxApi sandbox;
  compare(Judge(sandbox, page).verdicts(), page, true);
}

TEST(RecordedExpressions, RealServerStillJudgesAsRecorded) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const ExpressionPage page = read_expressions();
  ControlPlane plane;
  HttpApi server(plane.server(), plane.ca_file(), [] {});
  const std::vector<std::string> verdicts = Judge(server, page).verdicts();
  if (std::getenv("DAVIT_DIFFERENTIAL_RECORD") == nullptr) return compare(verdicts, page, false);
  std::vector<Exchange> exchanges;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    exchanges.push_back({{"", "", "", page.expressions[i].text, ""}, verdicts[i]});
  }
  write_exchanges(DAVIT_EXPRESSION_RECORDING, exchanges);
}

}  // namespace
}  // namespace davit::live
