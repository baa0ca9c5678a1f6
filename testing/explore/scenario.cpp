#include "testing/explore/scenario.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <map>
#include <utility>

#include "host/loading/digest.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/names.hpp"
#include "lib/kube/patch/patch.hpp"
#include "lib/kube/yaml.hpp"
#include "testing/explore/plan.hpp"

namespace davit::explore {
namespace {

using Action = Step::Action;
using Objects = std::map<std::string, const YamlNode*>;

struct ActionRow {
  std::string_view name;
  Action action;
};
constexpr ActionRow kActions[] = {{"create", Action::kCreate}, {"add", Action::kAdd},
                                  {"patch", Action::kPatch},   {"delete", Action::kDelete},
                                  {"erase", Action::kErase},   {"wait", Action::kWait},
                                  {"rest", Action::kRest},     {"pass", Action::kPass},
                                  {"syncs", Action::kSyncs},   {"collect", Action::kCollect}};

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Reads the scenarios of one file, and remembers the first mistake.
class FileReader {
 public:
  explicit FileReader(std::string file) : file_(std::move(file)) {}

  Result<std::vector<Scenario>> read(std::string_view text) {
    const YamlDocument document = parse_yaml(text, file_);
    if (!document.mistakes.empty()) return Status(Code::kInvalid, document.mistakes.front().str());
    keys(document.root, {"objects", "plugins", "scenarios", "without"});
    if (const YamlNode* given = document.root.find("objects")) {
      for (const YamlMember& each : given->members) objects_[each.key] = &each.value;
    }
    std::vector<Scenario> out;
    if (const YamlNode* list = document.root.find("scenarios")) {
      for (const YamlNode& each : list->items) {
        out.push_back(scenario(each));
        const auto same = std::ranges::count(out, out.back().name, &Scenario::name);
        if (same > 1) mistake(each, "name: there are two scenarios " + out.back().name);
        if (out.back().plugins.empty()) out.back().plugins = texts(document.root, "plugins");
        read_left_out(document.root, out.back());
        out.back().digest = host::sha256_hex(text);
      }
    }
    if (out.empty()) mistake(document.root, "no scenarios");
    if (!first_mistake_.empty()) return Status(Code::kInvalid, first_mistake_);
    return out;
  }

 private:
  void mistake(const YamlNode& node, const std::string& what) {
    if (first_mistake_.empty()) first_mistake_ = place(node) + ": " + what;
  }
  [[nodiscard]] std::string place(const YamlNode& node) const {
    return file_ + ':' + std::to_string(node.line);
  }
  void keys(const YamlNode& node, std::initializer_list<std::string_view> allowed) {
    for (const YamlMember& each : node.members) {
      if (std::ranges::find(allowed, each.key) != allowed.end()) continue;
      std::string all;
      for (const std::string_view one : allowed)
        all += (all.empty() ? "" : ", ") + std::string(one);
      mistake(each.value, "unknown key " + each.key + "; the keys here are " + all);
    }
  }
  [[nodiscard]] std::string expanded(std::string text) const {
    replace_all(text, "$ns", ns_);
    return text;
  }
  [[nodiscard]] std::string text(const YamlNode& node, std::string_view key) const {
    const YamlNode* found = node.find(key);
    return found == nullptr ? std::string() : expanded(found->text);
  }
  [[nodiscard]] static std::vector<std::string> texts(const YamlNode& node, std::string_view key) {
    std::vector<std::string> out;
    const YamlNode* found = node.find(key);
    if (found == nullptr) return out;
    for (const YamlNode& each : found->items) out.push_back(each.text);
    return out;
  }
  std::optional<std::size_t> number(const YamlNode& node, std::string_view key) {
    const YamlNode* found = node.find(key);
    if (found == nullptr) return std::nullopt;
    std::size_t out = 0;
    const std::string& digits = found->text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error == std::errc() && end == digits.data() + digits.size()) return out;
    mistake(*found, std::string(key) + " is a number");
    return std::nullopt;
  }
  /// One of a few values; the first one where the key is missing.
  template <typename Value>
  Value one_of(const YamlNode& node, std::string_view key,
               std::initializer_list<std::pair<std::string_view, Value>> values) {
    const YamlNode* const found = node.find(key);
    if (found == nullptr) return values.begin()->second;
    std::string all;
    for (const auto& [name, value] : values) {
      if (name == found->text) return value;
      all += (all.empty() ? "" : ", ") + std::string(name);
    }
    mistake(*found, std::string(key) + " is one of " + all);
    return values.begin()->second;
  }
  Json json(const YamlNode& node) {
    const Result<std::string> text = to_json(node);
    if (!text) return mistake(node, text.error().message()), Json();
    return json_literal(expanded(*text));
  }

  Scenario scenario(const YamlNode& node);
  void read_left_out(const YamlNode& node, Scenario& out);
  Step step(const YamlNode& node);
  void read_object(Step& step, const YamlNode& node, const YamlNode& what);
  void read_deletion(Step& step, const YamlNode& node);
  Target target(const YamlNode& at);

  const std::string file_;
  std::string ns_;
  std::string first_mistake_;
  Objects objects_;  // Those that the file names; the nodes belong to its document.
};

Scenario FileReader::scenario(const YamlNode& node) {
  Scenario out;
  keys(node, {"name", "plugins", "controllers", "config", "cluster", "steps", "allow", "differ",
              "keep", "prompt", "without"});
  out.name = text(node, "name");
  out.place = place(node);
  if (out.name.empty()) {
    mistake(node, "a scenario needs a name");
  } else if (const Violations wrong = check_dns_label(out.name); !wrong.empty()) {
    mistake(*node.find("name"), "name, which is also a namespace: " + wrong.front());
  }
  ns_ = out.name;
  out.plugins = texts(node, "plugins");
  out.controllers = texts(node, "controllers");
  if (const YamlNode* config = node.find("config")) {
    for (const YamlMember& each : config->members) {
      out.configs[each.key] = to_text(json(each.value));
    }
  }
  if (const YamlNode* cluster = node.find("cluster")) {
    for (const YamlNode& each : cluster->items) out.cluster.push_back(step(each));
  }
  const YamlNode* steps = node.find("steps");
  if (steps == nullptr || steps->items.empty()) mistake(node, "a scenario needs steps");
  if (steps != nullptr) {
    for (const YamlNode& each : steps->items) out.steps.push_back(step(each));
  }
  if (const YamlNode* keep = node.find("keep")) {
    for (const YamlNode& each : keep->items) {
      out.kept.push_back(target(each));
      if (!out.kept.back().labels.empty()) mistake(each, "what is kept has a name, or no labels");
    }
  }
  if (const YamlNode* differ = node.find("differ")) {
    for (const YamlNode& each : differ->items) {
      keys(each, {"member", "reason"});
      out.differing.push_back(text(each, "member"));
      if (text(each, "reason").empty()) mistake(each, "what may differ needs a reason");
    }
  }
  out.prompt = text(node, "prompt");
  const YamlNode* const prompt = node.find("prompt");
  if (prompt != nullptr && out.prompt.empty()) mistake(*prompt, "prompt needs a reason");
  read_left_out(node, out);
  if (const YamlNode* allow = node.find("allow")) {
    for (const YamlNode& each : allow->items) {
      keys(each, {"oracle", "of", "reason"});
      out.allowed.push_back({text(each, "oracle"), text(each, "of"), text(each, "reason")});
      constexpr std::string_view kOracles[] = {"surplus", "deletion", "end", "resync", "requests"};
      if (std::ranges::find(kOracles, out.allowed.back().oracle) == std::end(kOracles)) {
        mistake(each, "oracle is surplus, deletion, end, resync or requests");
      }
      if (out.allowed.back().reason.empty()) mistake(each, "what is allowed needs a reason");
    }
  }
  return out;
}

void FileReader::read_left_out(const YamlNode& node, Scenario& out) {
  const YamlNode* without = node.find("without");
  if (without == nullptr) return;
  for (const YamlNode& each : without->items) {
    keys(each, {"choice", "reason"});
    out.left_out.push_back(text(each, "choice"));
    if (!find_choice(out.left_out.back())) {
      mistake(each, "choice: there is no choice \"" + out.left_out.back() + '"');
    }
    if (text(each, "reason").empty()) mistake(each, "a choice that is left out needs a reason");
  }
}

Target FileReader::target(const YamlNode& at) {
  Target out;
  const std::string all = expanded(at.text);
  std::string_view rest = all;
  std::string_view first = take_until(rest, " ");
  out.resource = take_until(first, "/");
  const std::string_view one = take_until(first, "/");
  out.ns = first.empty() ? "" : std::string(one);
  out.name = first.empty() ? one : first;
  if (out.resource.empty()) mistake(at, "a target is deployment/web, or pods app=web");
  while (!rest.empty()) {
    out.labels.emplace_back(take_until(rest, " "));
    if (out.labels.back().find('=') == std::string::npos) {
      mistake(at, out.labels.back() + " is not a label: app=web");
    }
  }
  return out;
}

void FileReader::read_object(Step& step, const YamlNode& node, const YamlNode& what) {
  keys(node, {"create", "add", "with"});
  const auto named = objects_.find(what.text);
  if (what.kind != YamlNode::Kind::kMapping && named == objects_.end()) {
    return mistake(what, "no object named " + what.text);
  }
  step.body = json(named == objects_.end() ? what : *named->second);
  if (const YamlNode* with = node.find("with")) {
    if (apply_merge_patch(step.body, json(*with))) mistake(*with, "cannot be merged");
  }
  step.target.resource = step.body.text_at({"kind"});
  step.target.name = step.body.text_at({"metadata", "name"});
  if (step.target.resource.empty() || step.target.name.empty()) {
    mistake(what, "an object needs kind and metadata.name");
  }
}

void FileReader::read_deletion(Step& step, const YamlNode& node) {
  keys(node, {"delete", "first", "propagation", "grace"});
  using host::Propagation;
  step.deletion.propagation = one_of<Propagation>(node, "propagation",
                                                  {{"Background", Propagation::kBackground},
                                                   {"Orphan", Propagation::kOrphan},
                                                   {"Foreground", Propagation::kForeground}});
  if (const auto grace = number(node, "grace")) {
    step.deletion.grace_seconds = static_cast<std::int64_t>(*grace);
  }
}

Step FileReader::step(const YamlNode& node) {
  Step out;
  out.place = place(node);
  const bool is_word = node.kind == YamlNode::Kind::kString;
  if (is_word && node.text == "collect") out.action = Action::kCollect;
  if (is_word && (node.text == "rest" || node.text == "collect")) return out;
  const std::string verb = node.members.empty() ? "" : node.members.front().key;
  const auto* const row = std::ranges::find(kActions, verb, &ActionRow::name);
  if (row == std::end(kActions)) {
    mistake(node,
            "a step is rest or collect, or begins with create, add, patch, delete, erase, wait, "
            "pass or syncs");
    return out;
  }
  out.action = row->action;
  if (out.action == Action::kRest || out.action == Action::kCollect) {
    mistake(node, verb + " stands alone");
    return out;
  }
  const YamlNode& what = node.members.front().value;
  const bool has_object = out.action == Action::kCreate || out.action == Action::kAdd;
  const bool has_number = out.action == Action::kPass || out.action == Action::kSyncs;
  if (has_object) {
    read_object(out, node, what);
  } else if (has_number) {
    keys(node, {verb});
    out.count = number(node, verb).value_or(0);
    out.time = std::chrono::seconds(out.count);
  } else {
    out.target = target(what);
    out.first = number(node, "first");
    if (out.action == Action::kDelete) read_deletion(out, node);
    if (out.action == Action::kErase) keys(node, {"erase", "first"});
    if (out.action == Action::kWait) {
      keys(node, {"wait", "count"});
      out.count = number(node, "count").value_or(0);
    }
    if (out.action != Action::kPatch) return out;
    keys(node, {"patch", "first", "type", "subresource", "with"});
    out.subresource = text(node, "subresource");
    using host::PatchType;
    out.patch_type = one_of<PatchType>(node, "type",
                                       {{"merge", PatchType::kMerge},
                                        {"strategic", PatchType::kStrategic},
                                        {"json", PatchType::kJson}});
    const YamlNode* with = node.find("with");
    if (with == nullptr) mistake(node, "a patch needs with");
    if (with != nullptr) out.body = json(*with);
  }
  return out;
}

}  // namespace

std::string Step::text() const {
  const auto* const row = std::ranges::find(kActions, action, &ActionRow::action);
  std::string out(row->name);
  if (action == Action::kPass || action == Action::kSyncs) return out + " " + std::to_string(count);
  if (action == Action::kRest || action == Action::kCollect) return out;
  out += " " + target.resource;
  if (!target.ns.empty()) out += "/" + target.ns;
  if (!target.name.empty()) out += "/" + target.name;
  for (const std::string& each : target.labels) out += " " + each;
  return out;
}

bool Scenario::allows(std::string_view oracle, std::string_view resource) const {
  return std::ranges::any_of(allowed, [&](const Allowance& each) {
    return each.oracle == oracle && (each.of.empty() || each.of == resource);
  });
}

Result<std::vector<Scenario>> read_scenarios(std::string_view text, const std::string& file) {
  return FileReader(file).read(text);
}

}  // namespace davit::explore
