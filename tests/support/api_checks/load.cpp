// The YAML files beside this one to Checks.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::checks {

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

std::filesystem::path folder() { return DAVIT_API_CHECKS; }

YamlNode read(const std::filesystem::path& file) {
  Result<std::string> text = read_text_file(file);
  if (!text) give_up(file.string() + ": " + text.error().message());
  YamlDocument document = parse_yaml(*text, file.filename());
  if (!document.mistakes.empty()) give_up(document.mistakes.front().str());
  return std::move(document.root);
}

std::string text_of(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  return found == nullptr ? std::string() : found->text;
}

std::vector<std::string> texts_of(const YamlNode& node, std::string_view key) {
  std::vector<std::string> out;
  if (const YamlNode* list = node.find(key)) {
    for (const YamlNode& each : list->items) out.push_back(each.text);
  }
  return out;
}

Headers pairs_of(const YamlNode& node, std::string_view key) {
  Headers out;
  if (const YamlNode* map = node.find(key)) {
    for (const YamlMember& each : map->members) out.emplace_back(each.key, each.value.text);
  }
  return out;
}

std::string from_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

Step step_of(const YamlNode& node) {
  constexpr std::string_view kKeys[] = {
      "send",  "watch",         "type",        "as",   "headers",
      "body",  "hex",           "status",      "text", "response_headers",
      "check", "save",          "save_header", "then", "events",
      "ends",  "within_seconds"};
  for (const YamlMember& each : node.members) {
    if (std::find(std::begin(kKeys), std::end(kKeys), each.key) == std::end(kKeys)) {
      give_up("line " + std::to_string(each.line) + ": unknown key " + each.key);
    }
  }
  Step step;
  step.watch = node.find("watch") != nullptr;
  const std::string request = text_of(node, step.watch ? "watch" : "send");
  const std::size_t space = request.find(' ');
  if (space == std::string::npos) {
    give_up("line " + std::to_string(node.line) + ": no METHOD and path");
  }
  step.method = request.substr(0, space);
  step.target = request.substr(space + 1);
  step.type = text_of(node, "type");
  step.as = text_of(node, "as");
  step.headers = pairs_of(node, "headers");
  step.body = node.find("hex") != nullptr ? from_hex(text_of(node, "hex")) : text_of(node, "body");
  if (node.find("status") != nullptr) step.status = std::stoi(text_of(node, "status"));
  if (node.find("text") != nullptr) step.text = text_of(node, "text");
  step.response_headers = pairs_of(node, "response_headers");
  step.checks = texts_of(node, "check");
  step.saves = pairs_of(node, "save");
  step.saved_headers = pairs_of(node, "save_header");
  if (const YamlNode* then = node.find("then")) {
    for (const YamlNode& each : then->items) step.then.push_back(step_of(each));
  }
  step.events = texts_of(node, "events");
  step.ends = text_of(node, "ends") == "true";
  if (node.find("within_seconds") != nullptr) {
    step.within = std::chrono::seconds(std::stoi(text_of(node, "within_seconds")));
  }
  return step;
}

/// Its own steps, or those of a check before it, all or the first of them.
std::vector<Step> steps_of(const YamlNode& check, const std::vector<Check>& before) {
  std::vector<Step> out;
  if (const YamlNode* own = check.find("steps")) {
    for (const YamlNode& each : own->items) out.push_back(step_of(each));
    return out;
  }
  const std::string id = text_of(check, "steps_of");
  const auto found = std::ranges::find_if(
      before, [&id](const Check& each) { return each.id == id || each.id.starts_with(id + '/'); });
  if (found == before.end()) {
    give_up("line " + std::to_string(check.line) + ": no steps, and no check " + id + " before");
  }
  out = found->steps;
  if (check.find("first") != nullptr) {
    const std::size_t first = std::stoul(text_of(check, "first"));
    if (first >= out.size()) give_up("check " + id + " has no more than that many steps");
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  }
  return out;
}

/// One check, or one for each row of `for_each`, whose members are its variables.
void add_checks(const YamlNode& node, std::vector<Check>& out) {
  const Check common{
      text_of(node, "id"), text_of(node, "title"), text_of(node, "since"), {}, steps_of(node, out)};
  const YamlNode* rows = node.find("for_each");
  if (rows == nullptr) return out.push_back(common);
  for (const YamlNode& row : rows->items) {
    Check check = common;
    for (const YamlMember& each : row.members) {
      check.variables.emplace_back(each.key, each.value.text);
    }
    check.id += '/' + text_of(row, "id");
    if (row.find("since") != nullptr) check.since = text_of(row, "since");
    out.push_back(std::move(check));
  }
}

/// "1.36" as two numbers.
std::pair<int, int> version_of(const std::string& text) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(text.c_str(), "%d.%d", &major, &minor) != 2) give_up("no version: " + text);
  return {major, minor};
}

}  // namespace

bool knows(const std::string& server, const Check& check) {
  if (check.since.empty() || !server.starts_with('v')) return true;
  return version_of(server.substr(1)) >= version_of(check.since);
}

std::vector<Check> load_checks() {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(folder())) {
    const std::string name = each.path().filename();
    if (each.path().extension() == ".yaml" && name.front() >= '0' && name.front() <= '9') {
      files.push_back(each.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Check> out;
  for (const std::filesystem::path& file : files) {
    const YamlNode root = read(file);
    const YamlNode* checks = root.find("checks");
    if (checks == nullptr) give_up(file.string() + ": no list named checks");
    for (const YamlNode& each : checks->items) add_checks(each, out);
  }
  return out;
}

Differences load_differences(const std::string& server) {
  Differences out;
  const YamlNode root = read(folder() / "known_differences.yaml");
  const YamlNode* list = root.find(server);
  if (list == nullptr) return out;
  for (const YamlNode& each : list->items) {
    const std::string reason = text_of(each, "reason");
    if (reason.empty()) give_up("known_differences.yaml: a difference without a reason");
    const Shows shows = text_of(each, "sometimes") == "true" ? Shows::kSometimes : Shows::kAlways;
    for (const std::string& step : texts_of(each, "steps")) out[step] = shows;
  }
  return out;
}

}  // namespace davit::checks
