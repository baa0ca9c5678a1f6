#include "sandbox/metrics/usage_model.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

/// The usage of a node without pods.
constexpr Usage kNodeBase{kNanosPerUnit / 10, kNanosPerUnit * 512 * 1024 * 1024};

const std::string& node_of(const Json& pod) { return pod.text_at({"spec", "nodeName"}); }

}  // namespace

std::optional<UsageSample> UsageModel::of_pod(const VersionPtr& pod) {
  const MeasuredPod& facts = facts_of(pod);
  if (facts.runs == PodRuns::kNot || facts.without_metrics) return std::nullopt;
  const std::vector<const ActiveRule*> rules = rules_for(*pod);
  if (facts.runs == PodRuns::kByHand && rules.empty()) return std::nullopt;
  UsageSample out;
  for (std::size_t i = 0; i < facts.containers.size(); ++i) {
    std::optional<Usage> usage = of_container(rules, pod, i);
    if (!usage) continue;
    if (i == 0) add_loads(pod, *usage);
    out.containers.emplace_back(facts.containers[i].name, *usage);
  }
  if (out.containers.empty()) return std::nullopt;
  bool aged = false;
  bool windowed = false;
  for (const ActiveRule* each : rules) {
    if (!aged && each->rule.source.contains("age")) out.age = each->rule.age;
    aged = aged || each->rule.source.contains("age");
    if (!windowed && each->rule.window) out.window = *each->rule.window;
    windowed = windowed || each->rule.window.has_value();
  }
  return out;
}

std::optional<UsageSample> UsageModel::of_node(const VersionPtr& node) {
  if (state_of(node->name) != NodeState::kRunning) return std::nullopt;
  UsageSample out;
  Usage sum = kNodeBase;
  for (const VersionPtr& pod : facts_.pods) {
    // The text is searched first, because most pods are elsewhere.
    if (pod->text.find('"' + node->name + '"') == std::string::npos) continue;
    if (node_of(pod->json()) != node->name) continue;
    const std::optional<UsageSample> sample = of_pod(pod);
    if (!sample) continue;
    for (const auto& [name, usage] : sample->containers) {
      sum.cpu += usage.cpu;
      sum.memory += usage.memory;
    }
  }
  for (const auto& each : facts_.rules) {
    const MetricRule& rule = each->rule;
    if (rule.type != MetricRuleType::kResource || rule.node != node->name) continue;
    if (rule.absent) return std::nullopt;
    const Duration since = facts_.now - each->added;
    if (rule.cpu) sum.cpu = rule.cpu->at(since, 0);
    if (rule.memory) sum.memory = rule.memory->at(since, 0);
    if (rule.source.contains("age")) out.age = rule.age;
    if (rule.window) out.window = *rule.window;
  }
  out.containers.emplace_back("", sum);
  return out;
}

const MeasuredPod& UsageModel::facts_of(const VersionPtr& pod) {
  const auto known = pods_.find(pod.get());
  if (known != pods_.end()) return known->second;
  const Json json = pod->json();
  return pods_.emplace(pod.get(), measured(json, state_of(node_of(json)), facts_.wall_now))
      .first->second;
}

NodeState UsageModel::state_of(const std::string& node) {
  if (node.empty()) return NodeState::kForeign;
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) return known->second;
  const auto found = std::ranges::lower_bound(
      facts_.nodes, node, {},
      [](const VersionPtr& each) -> const std::string& { return each->name; });
  const bool exists = found != facts_.nodes.end() && (*found)->name == node;
  const NodeState state = exists ? node_state((*found)->json()) : NodeState::kForeign;
  return nodes_.emplace(node, state).first->second;
}

std::vector<const ActiveRule*> UsageModel::rules_for(const Version& pod) const {
  std::vector<const ActiveRule*> out;
  for (const auto& each : facts_.rules) {
    const MetricRule& rule = each->rule;
    if (rule.type != MetricRuleType::kResource || !rule.node.empty()) continue;
    if (rule.is_in(pod.ns) && rule.selects(pod.labels)) out.push_back(each.get());
  }
  std::ranges::reverse(out);
  return out;
}

std::optional<Usage> UsageModel::of_container(const std::vector<const ActiveRule*>& rules,
                                              const VersionPtr& pod, std::size_t container) {
  const RunningContainer& target = facts_of(pod).containers[container];
  std::optional<Nanos> cpu;
  std::optional<Nanos> memory;
  for (const ActiveRule* each : rules) {
    const std::string& named = each->rule.container;
    if (!named.empty() && named != target.name) continue;
    if (each->rule.absent && !cpu && !memory) return std::nullopt;
    if (!cpu) cpu = by_rule(*each, pod, container, Kind::kCpu);
    if (!memory) memory = by_rule(*each, pod, container, Kind::kMemory);
  }
  return Usage{cpu ? *cpu : by_pod(pod, target, Kind::kCpu),
               memory ? *memory : by_pod(pod, target, Kind::kMemory)};
}

std::optional<Nanos> UsageModel::by_rule(const ActiveRule& rule, const VersionPtr& pod,
                                         std::size_t container, Kind kind) {
  const std::optional<LoadShape>& amount = kind == Kind::kCpu ? rule.rule.cpu : rule.rule.memory;
  if (!amount) return std::nullopt;
  const RunningContainer& target = facts_of(pod).containers[container];
  const Duration since = facts_.now - rule.added;
  if (rule.rule.share == UsageShare::kEach) {
    return amount->at(since, kind == Kind::kCpu ? target.cpu_request : target.memory_request);
  }
  if (rule.rule.container.empty() && container > 0) return std::nullopt;
  const std::string key = "rule " + std::to_string(rule.id) + (kind == Kind::kCpu ? 'c' : 'm');
  const auto pods = [&] { return selected(rule.rule.ns, rule.rule.selector); };
  const Shares& parts = shares(key, pods, amount->at(since, 0));
  const auto part = parts.find(pod.get());
  return part == parts.end() ? 0 : part->second;
}

Nanos UsageModel::by_pod(const VersionPtr& pod, const RunningContainer& container, Kind kind) {
  const MeasuredPod& facts = facts_of(pod);
  const bool cpu = kind == Kind::kCpu;
  const std::string& text = cpu ? facts.cpu : facts.memory;
  const Result<LoadShape> annotated = LoadShape::parse(text);
  // A text that is none has no effect, like every annotation of the nodes.
  const bool has_effect = annotated && !annotated->has_negative();
  const LoadShape& otherwise = cpu ? facts_.options.cpu : facts_.options.memory;
  const LoadShape& amount = has_effect ? *annotated : otherwise;
  const Nanos own = amount.at(facts.age, cpu ? container.cpu_request : container.memory_request);
  if (!amount.is_shared() || facts.controller.empty()) return own;
  if (&container != facts.containers.data()) return 0;
  const Shares& parts = shares(
      "of " + facts.controller + (cpu ? 'c' : 'm') + text, [&] { return siblings(pod); }, own);
  const auto part = parts.find(pod.get());
  return part == parts.end() ? 0 : part->second;
}

void UsageModel::add_loads(const VersionPtr& pod, Usage& first) {
  for (std::size_t i = 0; i < facts_.loads.size(); ++i) {
    const PlacedLoad& each = facts_.loads[i];
    if (each.load.ns != pod->ns || !each.load.metric.empty()) continue;
    const std::string key = "load " + std::to_string(i);
    const auto pods = [&] { return carriers(each); };
    const Shares& cpu = shares(key + 'c', pods, each.load.cpu);
    const auto part = cpu.find(pod.get());
    if (part == cpu.end()) continue;
    first.cpu += part->second;
    first.memory += shares(key + 'm', pods, each.load.memory).at(pod.get());
  }
}

std::vector<VersionPtr> UsageModel::carriers(const PlacedLoad& load) const {
  std::vector<VersionPtr> out;
  for (const VersionPtr& each : facts_.pods) {
    if (each->ns != load.load.ns) continue;
    const bool carries =
        load.load.pod.empty() ? load.selector.matches(each->labels) : each->name == load.load.pod;
    if (carries) out.push_back(each);
  }
  return out;
}

UsageModel::Shares UsageModel::share_out(const std::vector<VersionPtr>& pods, Nanos total) {
  std::vector<const Version*> running;
  std::vector<const Version*> ready;
  for (const VersionPtr& each : pods) {
    const MeasuredPod& facts = facts_of(each);
    if (facts.runs == PodRuns::kNot) continue;
    running.push_back(each.get());
    if (facts.ready) ready.push_back(each.get());
  }
  const std::vector<const Version*>& chosen = ready.empty() ? running : ready;
  Shares out;
  if (chosen.empty()) return out;
  const auto count = static_cast<Nanos>(chosen.size());
  for (const Version* each : chosen) out.emplace(each, total / count);
  out[chosen.front()] += total % count;
  return out;
}

const UsageModel::Shares& UsageModel::shares(const std::string& key, const FindPods& pods,
                                             Nanos total) {
  const auto known = shares_.find(key);
  if (known != shares_.end()) return known->second;
  return shares_.emplace(key, share_out(pods(), total)).first->second;
}

std::vector<VersionPtr> UsageModel::selected(std::string_view ns,
                                             const std::optional<LabelSelector>& selector) const {
  std::vector<VersionPtr> out;
  for (const VersionPtr& each : facts_.pods) {
    if (ns != "*" && each->ns != ns) continue;
    if (!selector || selector->matches(each->labels)) out.push_back(each);
  }
  return out;
}

std::vector<VersionPtr> UsageModel::siblings(const VersionPtr& pod) {
  const std::string controller = facts_of(pod).controller;
  std::vector<VersionPtr> out;
  for (const VersionPtr& each : facts_.pods) {
    if (each->ns != pod->ns || each->text.find(controller) == std::string::npos) continue;
    if (facts_of(each).controller == controller) out.push_back(each);
  }
  return out;
}

}  // namespace davit::sandbox
