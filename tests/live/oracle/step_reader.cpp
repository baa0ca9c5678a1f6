#include "tests/live/oracle/step_reader.hpp"

#include <algorithm>
#include <charconv>

#include "lib/kube/patch/patch.hpp"

namespace davit::oracle {

namespace {

constexpr char kPodAnnotations[] = "sandbox.davit.dev/";

/// The annotations of the simulated nodes for a scenario's words.
Json pod_event(const std::string& name, const std::string& value) {
  Json patch;
  patch["metadata"]["annotations"][std::string(kPodAnnotations) + name] = value;
  return patch;
}

/// The containers exit now, however long they were to run.
Json pod_exit(const std::string& code) {
  Json patch = pod_event("exit-code", code);
  patch["metadata"]["annotations"][std::string(kPodAnnotations) + "run-seconds"] = Json();
  return patch;
}

/// A patch of a pod that makes it `state`; null when there is no such state.
Json pod_patch(const std::string& state) {
  if (state == "ready") return pod_event("ready", "true");
  if (state == "unready") return pod_event("ready", "false");
  if (state == "failed") return pod_exit("1");
  if (state == "finished") return pod_exit("0");
  return {};
}

/// A patch of a node that makes it `state`; null when there is no such state.
Json node_patch(const std::string& state) {
  if (state == "cordoned" || state == "uncordoned") {
    return Json::object({{"spec", Json::object({{"unschedulable", state == "cordoned"}})}});
  }
  if (state == "stopped" || state == "running" || state == "not-ready") {
    return pod_event("node", state);
  }
  return {};
}

/// A JSON patch of one operation.
Json replace(const char* path, Json value) {
  return Json::array(
      {Json::object({{"op", "replace"}, {"path", path}, {"value", std::move(value)}})});
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// The place of a metrics API in a scenario.
struct MetricPlace {
  std::string path;
  std::string api_version;
  std::string list;      ///< Its kind.
  std::string resource;  ///< "cpu"; empty: a metric of its own.
  std::string metric;
};

/// `text` is "cpu", "pods/hits", "services/web/hits" or "external/queue".
MetricPlace metric_place(const std::string& text, const std::string& ns) {
  const std::vector<std::string> parts = split(text, '/');
  const auto in_namespace = [&ns](const std::string& group) {
    return "/apis/" + group + "/namespaces/" + ns + '/';
  };
  if (parts.size() < 2) {
    const std::string group = "metrics.k8s.io/v1beta1";
    return {in_namespace(group) + "pods", group, "PodMetricsList", text, ""};
  }
  if (parts.front() == "external") {
    const std::string group = "external.metrics.k8s.io/v1beta1";
    return {in_namespace(group) + parts[1], group, "ExternalMetricValueList", "", parts[1]};
  }
  const std::string group = "custom.metrics.k8s.io/v1beta2";
  const std::string object = parts.size() == 2 ? parts[0] + "/*" : parts[0] + '/' + parts[1];
  return {in_namespace(group) + object + '/' + parts.back(), group, "MetricValueList", "",
          parts.back()};
}

/// The item of `name`: a pod, an object, or any name for an external value.
Json metric_item(const MetricPlace& place, const std::string& name, const std::string& value) {
  Json out = Json::object({{"timestamp", "2026-01-01T00:00:00Z"}});
  if (!place.resource.empty()) {
    out["metadata"] = Json::object({{"name", name}});
    out.set("window", "15s");
    Json container = Json::object({{"name", "c"}});
    container["usage"].set(place.resource, value);
    out["containers"] = Json::array({std::move(container)});
    return out;
  }
  out.set("value", value);
  if (place.list == "ExternalMetricValueList") {
    out.set("metricName", place.metric);
    out["metricLabels"] = Json::object();
    return out;
  }
  out["metric"] = Json::object({{"name", place.metric}});
  out["describedObject"] = Json::object({{"kind", "Pod"}, {"name", name}, {"apiVersion", "/v1"}});
  return out;
}

Json failure(std::int64_t code) {
  return Json::object({{"kind", "Status"},
                       {"apiVersion", "v1"},
                       {"status", "Failure"},
                       {"reason", code == 404 ? "NotFound" : "InternalError"},
                       {"code", code},
                       {"message", "the scenario has it fail"}});
}

}  // namespace

std::string Reader::place(const YamlNode& node) const {
  return file_ + ':' + std::to_string(node.line);
}

void Reader::mistake(const YamlNode& node, const std::string& what) {
  if (first_mistake_.empty()) first_mistake_ = place(node) + ": " + what;
}

void Reader::keys(const YamlNode& node, std::initializer_list<std::string_view> allowed) {
  for (const YamlMember& each : node.members) {
    if (std::find(allowed.begin(), allowed.end(), each.key) != allowed.end()) continue;
    YamlNode at = each.value;
    at.line = each.line;
    mistake(at, "unknown key " + each.key);
  }
}

std::string Reader::expanded(std::string text) const {
  replace_all(text, "$ns", ns_);
  if (turn_ == 0) return text;
  constexpr std::size_t kHosts = 250;
  replace_all(text, "$ip",
              "10.9." + std::to_string(turn_ / kHosts) + '.' + std::to_string(turn_ % kHosts + 1));
  replace_all(text, "$i", std::to_string(turn_));
  return text;
}

std::string Reader::text(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  return found == nullptr ? std::string() : expanded(found->text);
}

std::vector<std::string> Reader::texts(const YamlNode& node, std::string_view key) {
  std::vector<std::string> out;
  const YamlNode* found = node.find(key);
  if (found == nullptr) return out;
  if (found->kind != YamlNode::Kind::kSequence) {
    mistake(*found, std::string(key) + " is a list of \"path op value\"");
  }
  for (const YamlNode& each : found->items) out.push_back(expanded(each.text));
  return out;
}

std::optional<std::size_t> Reader::number(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  if (found == nullptr) return std::nullopt;
  std::size_t out = 0;
  const std::string text = expanded(found->text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) {
    mistake(*found, std::string(key) + " is a number");
  }
  return out;
}

Json Reader::json(const YamlNode& node) {
  const Result<std::string> text = to_json(node);
  if (!text) return mistake(node, text.error().message()), Json();
  return json_literal(expanded(*text));
}

Target Reader::target(const YamlNode& node, std::string_view key) {
  Target out;
  const YamlNode& at = *node.find(key);
  const std::string all = expanded(at.text);
  const std::size_t space = std::min(all.find(' '), all.size());
  const std::string first = all.substr(0, space);
  const std::size_t slash = std::min(first.find('/'), first.size());
  out.kind = find_kind(first.substr(0, slash));
  if (out.kind == nullptr) {
    mistake(at, "\"" + all + "\" names no kind: deployment/web, pods app=web, or nodes everywhere");
  }
  if (slash < first.size()) out.name = first.substr(slash + 1);
  out.labels = split(all.substr(space), ' ');
  out.is_everywhere = std::erase(out.labels, "everywhere") != 0;
  for (const std::string& each : out.labels) {
    if (each.find('=') == std::string::npos) mistake(at, each + " is not a label such as app=web");
  }
  out.where = texts(node, "where");
  return out;
}

Condition Reader::condition(const YamlNode& node, std::string_view key) {
  Condition out;
  out.place = place(node);
  if (node.find(key) == nullptr) {
    mistake(node, std::string(key) + " is missing");
    return out;
  }
  out.target = target(node, key);
  out.holds = texts(node, "holds");
  out.count = number(node, "count");
  if (out.holds.empty() && !out.count) mistake(node, "neither holds nor count");
  return out;
}

void Reader::read_create(Step& step, const YamlNode& node, const Objects& objects) {
  keys(node, {"create", "with"});
  const YamlNode& what = *node.find("create");
  const auto named = objects.find(what.text);
  if (what.kind != YamlNode::Kind::kMapping && named == objects.end()) {
    return mistake(what, "no object named " + what.text);
  }
  step.body = json(named == objects.end() ? what : *named->second);
  if (const YamlNode* with = node.find("with")) {
    if (apply_merge_patch(step.body, json(*with))) mistake(*with, "cannot be merged");
  }
  step.target.kind = find_kind(step.body.text_at({"kind"}));
  if (step.target.kind == nullptr) return mistake(what, "unknown kind");
  const std::string group(step.target.kind->group);
  step.body.set("apiVersion",
                (group.empty() ? "" : group + '/') + std::string(step.target.kind->version));
}

void Reader::read_patch(Step& step, const YamlNode& node) {
  keys(node, {"patch", "where", "first", "type", "subresource", "with"});
  step.target = target(node, "patch");
  step.subresource = text(node, "subresource");
  const std::string type = text(node, "type");
  step.patch_type = type == "strategic" ? host::PatchType::kStrategic
                    : type == "json"    ? host::PatchType::kJson
                                        : host::PatchType::kMerge;
  if (!type.empty() && type != "strategic" && type != "json" && type != "merge") {
    mistake(node, "type: merge, strategic or json");
  }
  if (const YamlNode* with = node.find("with")) {
    step.body = json(*with);
  } else {
    mistake(node, "a patch needs with");
  }
}

void Reader::read_delete(Step& step, const YamlNode& node) {
  keys(node, {"delete", "where", "first", "propagation", "grace"});
  step.target = target(node, "delete");
  const std::string propagation = text(node, "propagation");
  step.deletion.propagation = propagation == "Orphan"       ? host::Propagation::kOrphan
                              : propagation == "Foreground" ? host::Propagation::kForeground
                                                            : host::Propagation::kBackground;
  if (const auto grace = number(node, "grace")) {
    step.deletion.grace_seconds = static_cast<std::int64_t>(*grace);
  }
}

// The response of a metrics API to the paths of this namespace: a rule of type `raw`.
void Reader::read_metrics(Step& step, const YamlNode& node) {
  keys(node, {"metrics", "values", "code"});
  step.action = Step::Action::kMetrics;
  const MetricPlace place = metric_place(text(node, "metrics"), ns_);
  Json list = Json::object({{"kind", place.list}, {"apiVersion", place.api_version}});
  list["metadata"] = Json::object();
  Json items = Json::array();
  const YamlNode* values = node.find("values");
  for (const YamlMember& each : values == nullptr ? std::vector<YamlMember>() : values->members) {
    items.push_back(metric_item(place, expanded(each.key), expanded(each.value.text)));
  }
  list["items"] = std::move(items);
  const std::optional<std::size_t> code = number(node, "code");
  if (!code && values == nullptr) mistake(node, "metrics need values or a code");
  if (code) list = failure(static_cast<std::int64_t>(*code));
  step.body = Json::object({{"type", "raw"},
                            {"path", place.path},
                            {"code", static_cast<std::int64_t>(code.value_or(200))},
                            {"body", std::move(list)}});
}

void Reader::read_short_form(Step& step, const YamlNode& node, const std::string& verb) {
  const bool is_state = verb == "pod" || verb == "node";
  keys(node, {verb, "where", "first", is_state ? "becomes" : "to"});
  step.action = Step::Action::kPatch;
  step.target = target(node, verb);
  if (verb == "pod") step.body = pod_patch(text(node, "becomes"));
  if (verb == "node") step.body = node_patch(text(node, "becomes"));
  if (is_state && step.body.is_null()) mistake(node, "a " + verb + " cannot become that");
  if (verb == "scale") {
    const auto replicas = static_cast<std::int64_t>(number(node, "to").value_or(0));
    step.body = Json::object({{"spec", Json::object({{"replicas", replicas}})}});
  }
  if (verb == "image") {
    step.patch_type = host::PatchType::kJson;
    step.body = replace("/spec/template/spec/containers/0/image", text(node, "to"));
  }
  if (verb == "pause" || verb == "resume") {
    step.body = Json::object({{"spec", Json::object({{"paused", verb == "pause"}})}});
  }
  if (verb == "roll_back") {
    step.action = Step::Action::kRollBack;
    step.revision = text(node, "to");
  }
}

Step Reader::step(const YamlNode& node, const Objects& objects) {
  using Action = Step::Action;
  Step out;
  out.place = place(node);
  if (node.kind == YamlNode::Kind::kString && node.text == "rest") return out;
  const std::string verb = node.members.empty() ? "" : node.members.front().key;
  out.first = number(node, "first");
  if (verb == "create") {
    out.action = Action::kCreate;
    read_create(out, node, objects);
  } else if (verb == "patch") {
    out.action = Action::kPatch;
    read_patch(out, node);
  } else if (verb == "delete") {
    out.action = Action::kDelete;
    read_delete(out, node);
  } else if (verb == "evict") {
    out.action = Action::kEvict;
    keys(node, {"evict", "where", "first", "is"});
    out.target = target(node, "evict");
    const std::string outcome = text(node, "is");
    out.refused = outcome == "refused";
    if (!outcome.empty() && !out.refused) mistake(node, "is: refused");
  } else if (verb == "wait") {
    out.action = Action::kWait;
    keys(node, {"wait", "where", "holds", "count"});
    out.until = condition(node, "wait");
  } else if (verb == "fault") {
    out.action = Action::kFault;
    keys(node, {"fault"});
    const YamlNode& rule = node.members.front().value;
    if (rule.kind == YamlNode::Kind::kMapping) out.body = json(rule);
  } else if (verb == "metrics") {
    read_metrics(out, node);
  } else if (verb == "controllers") {
    out.action = Action::kControllers;
    keys(node, {"controllers"});
    const std::string state = text(node, "controllers");
    out.starts = state == "running";
    if (!out.starts && state != "stopped") mistake(node, "controllers: stopped or running");
  } else if (verb == "pass") {
    out.action = Action::kPass;
    keys(node, {"pass"});
    if (text(node, "pass") != "silence") mistake(node, "pass: silence");
  } else if (verb == "scale" || verb == "image" || verb == "pause" || verb == "resume" ||
             verb == "roll_back" || verb == "pod" || verb == "node") {
    read_short_form(out, node, verb);
  } else {
    mistake(node,
            "a step is rest, or begins with create, patch, delete, evict, wait, pass, fault, "
            "controllers, metrics, scale, image, pause, resume, roll_back, pod or node");
  }
  return out;
}

}  // namespace davit::oracle
