// Plays one scenario and judges the responses.
#include <algorithm>
#include <cctype>

#include "tests/support/api_checks/api_checks.hpp"

namespace davit::checks {

namespace {

constexpr std::size_t kBigLetters = 3'200'000;

std::map<std::string, std::string> first_variables() {
  const std::string containers = R"([{"name":"c","image":"nginx"}])";
  const std::string meta = ";g=meta.k8s.io;v=v1";
  const std::string as = "application/json;as=";
  return {
      {"N", "/api/v1/namespaces/conf"},
      {"A", "/apis/apps/v1/namespaces/conf"},
      {"RBAC", "/apis/rbac.authorization.k8s.io/v1"},
      {"B", "/apis/batch/v1/namespaces/conf"},
      {"L", "/apis/coordination.k8s.io/v1/namespaces/conf/leases"},
      {"E", "/apis/discovery.k8s.io/v1/namespaces/conf/endpointslices"},
      {"V", "/apis/events.k8s.io/v1/namespaces/conf/events"},
      {"Q", "/apis/policy/v1/namespaces/conf"},
      {"X", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"},
      {"W", "/apis/conf.example.com/v1/namespaces/conf/widgets"},
      {"TABLE", as + "Table;v=v1;g=meta.k8s.io"},
      {"POM", as + "PartialObjectMetadata" + meta},
      {"POML", as + "PartialObjectMetadataList" + meta},
      {"AGG", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
      {"CT", containers},
      {"TPL", R"({"metadata":{"labels":{"app":"x"}},"spec":{"containers":)" + containers + "}}"},
      {"BIG", std::string(kBigLetters, 'x')},
  };
}

std::string content_type(const std::string& type) {
  if (type == "merge") return "application/merge-patch+json";
  if (type == "strategic") return "application/strategic-merge-patch+json";
  if (type == "json-patch") return "application/json-patch+json";
  if (type == "apply") return "application/apply-patch+yaml";
  if (type == "yaml") return "application/yaml";
  if (type == "protobuf") return "application/vnd.kubernetes.protobuf";
  if (type.find('/') != std::string::npos) return type;
  return "application/json";
}

bool word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// "ADDED w", "ERROR 410", "BOOKMARK".
std::string short_form(const Json& event) {
  const std::string& type = event.text_at({"type"});
  const Json& object = event.get("object");
  if (type == "BOOKMARK") return type;
  if (type == "ERROR") return type + ' ' + object.get("code").text();
  std::optional<Json> name = value_at(object, "metadata.name");
  if (object.text_at({"kind"}) == "Table") name = value_at(object, "rows[0].object.metadata.name");
  return type + ' ' + (name ? name->text() : "?");
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& each : parts) out += (out.empty() ? "" : ", ") + each;
  return out;
}

}  // namespace

Runner::Runner(Server& server, Differences known)
    : server_(server), known_(std::move(known)), variables_(first_variables()) {}

std::vector<std::string> Runner::play(const Check& check) {
  std::vector<std::string> out;
  if (check.id == "W7") server_.forget_history();
  for (const auto& [name, value] : check.variables) variables_[name] = value;
  for (std::size_t i = 0; i < check.steps.size(); ++i) {
    const Step& step = check.steps[i];
    const std::string place = check.id + '.' + std::to_string(i + 1);
    const auto known = known_.find(place);
    // A known difference would be waited for in vain.
    const auto limit = step.within > std::chrono::seconds(0) && known == known_.end()
                           ? server_.time_limit(step.within)
                           : step.within;
    std::vector<std::string> failures = attempt(step, limit);
    const auto tries_max = step.watch ? 0 : limit.count() * 10;
    for (std::int64_t tries = 0; !failures.empty() && tries < tries_max; ++tries) {
      server_.pass_time();
      failures = attempt(step, limit);
    }
    if (known == known_.end()) {
      for (std::string& each : failures) out.push_back(place + ": " + std::move(each));
    } else if (failures.empty() && known->second == Shows::kAlways) {
      out.push_back(place + ": listed as a known difference, but it holds");
    }
  }
  return out;
}

std::string Runner::expand(const std::string& text) const {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i + 1;
    while (text[i] == '$' && end < text.size() && word(text[end])) ++end;
    const auto found = variables_.find(text.substr(i + 1, end - i - 1));
    if (text[i] != '$' || found == variables_.end()) {
      out += text[i];
      continue;
    }
    if (text.compare(end, 2, "+1") == 0) {
      out += std::to_string(std::stoll(found->second) + 1);
      end += 2;
    } else {
      out += found->second;
    }
    i = end - 1;
  }
  return out;
}

Headers Runner::headers_of(const Step& step) const {
  Headers out;
  const std::string user = step.as.empty() ? "admin" : step.as;
  if (user != "anonymous") out.emplace_back("Authorization", "Bearer " + user + "-token");
  if (!step.body.empty()) out.emplace_back("Content-Type", content_type(step.type));
  for (const auto& [name, value] : step.headers) out.emplace_back(name, expand(value));
  return out;
}

std::vector<std::string> Runner::attempt(const Step& step, std::chrono::seconds limit) {
  if (step.watch) return attempt_watch(step, limit);
  return judge(step,
               server_.send(step.method, expand(step.target), headers_of(step), expand(step.body)));
}

std::vector<std::string> Runner::attempt_watch(const Step& step, std::chrono::seconds limit) {
  std::vector<std::string> failures;
  const auto then = [&] {
    for (const Step& each : step.then) {
      for (std::string& failure : attempt(each, each.within)) {
        failures.push_back(std::move(failure));
      }
    }
  };
  const Watched watched = server_.watch(expand(step.target), headers_of(step), then,
                                        step.events.size(), step.ends, limit);
  if (watched.reply.status != 200) {
    failures.push_back("status " + std::to_string(watched.reply.status) + ": " +
                       watched.reply.body.substr(0, 300));
    return failures;
  }
  Json events = Json::array();
  std::vector<std::string> names;
  for (Json& each : watched.reply.events()) {
    names.push_back(short_form(each));
    events.push_back(std::move(each));
  }
  std::vector<std::string> wanted;
  for (const std::string& each : step.events) wanted.push_back(expand(each));
  if (names != wanted) failures.push_back("events are: " + joined(names));
  if (step.ends && !watched.ended) failures.push_back("the stream did not end");
  for (const std::string& each : step.checks) {
    if (std::string why = why_not(events, expand(each)); !why.empty()) failures.push_back(why);
  }
  return failures;
}

std::vector<std::string> Runner::judge(const Step& step, const Reply& reply) {
  std::vector<std::string> failures;
  if (step.status && reply.status != *step.status) {
    failures.push_back(step.method + ' ' + step.target + ": status " +
                       std::to_string(reply.status) + ", wanted " + std::to_string(*step.status) +
                       ": " + reply.body.substr(0, 400));
    return failures;
  }
  if (step.text && reply.body.substr(0, step.text->size()) != *step.text) {
    failures.push_back("body: " + reply.body.substr(0, 200));
  }
  for (const auto& [name, value] : step.response_headers) {
    if (reply.header(name) != expand(value)) {
      failures.push_back("header " + name + ": " + reply.header(name));
    }
  }
  for (const auto& [variable, name] : step.saved_headers) variables_[variable] = reply.header(name);
  const Json body = reply.json();
  std::vector<std::string> checks = step.checks;
  if (reply.status >= 400 && !step.text && !checks.empty()) {
    checks.insert(checks.begin(), {R"(kind = "Status")", R"(status = "Failure")",
                                   "code = " + std::to_string(reply.status)});
  }
  for (const std::string& each : checks) {
    if (std::string why = why_not(body, expand(each)); !why.empty()) failures.push_back(why);
  }
  for (const auto& [variable, path] : step.saves) {
    const std::optional<Json> value = value_at(body, path);
    variables_[variable] = value ? (value->is_string() ? value->text() : to_text(*value)) : "";
  }
  return failures;
}

}  // namespace davit::checks
