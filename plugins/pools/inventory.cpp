#include "plugins/pools/inventory.hpp"

#include <davit/kube/ip.hpp>
#include <davit/kube/label_syntax.hpp>
#include <davit/options.hpp>
#include <utility>

namespace davit::pools {
namespace {

// The annotations of simulated Nodes; docs/sandbox-cloud.md.
constexpr std::string_view kState = "sandbox.davit.dev/node";
constexpr std::string_view kZone = "sandbox.davit.dev/zone";
constexpr std::string_view kRegion = "sandbox.davit.dev/region";
constexpr std::string_view kInstanceType = "sandbox.davit.dev/instance-type";
constexpr std::string_view kExternalIp = "sandbox.davit.dev/external-ip";

constexpr std::string_view kProvidedIps = "alpha.kubernetes.io/provided-node-ip";

Status wrong_machine(const std::string& place, std::string_view what) {
  return {Code::kInvalid, place + ": " + std::string(what)};
}

// ---- Answers

const std::string& either(const std::string& own, const std::string& fallback) {
  return own.empty() ? fallback : own;
}

/// Those that the Node has already, else those that its kubelet was given.
std::vector<CloudAddress> present_addresses(const Node& node) {
  std::vector<CloudAddress> out;
  for (CloudAddress& each : read_addresses(node.status()["addresses"])) {
    if (each.type == "InternalIP" || each.type == "ExternalIP") out.push_back(std::move(each));
  }
  if (!out.empty()) return out;
  std::string_view rest = node.annotation(kProvidedIps).value_or("");
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    out.push_back({"InternalIP", std::string(rest.substr(0, comma))});
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return out;
}

/// The value of the annotation, if a label can have it.
std::string label_from(const Node& node, std::string_view annotation) {
  const std::string text(node.annotation(annotation).value_or(""));
  return is_label_value(text) ? text : "";
}

/// The machine that the annotations of a simulated Node describe.
Machine simulated_machine(const Node& node) {
  Machine out;
  out.zone = label_from(node, kZone);
  out.region = label_from(node, kRegion);
  out.instance_type = label_from(node, kInstanceType);
  out.is_shut_down = node.annotation(kState) == "stopped";
  const std::string external(node.annotation(kExternalIp).value_or(""));
  for (CloudAddress& each : present_addresses(node)) {
    if (each.type == "InternalIP") out.addresses.push_back(std::move(each));
  }
  if (ip::Address::parse(external)) out.addresses.push_back({"ExternalIP", external});
  return out;
}

// ---- The configuration

Result<std::string> read_text(Value object, const std::string& place, std::string_view name) {
  const Value value = object[name];
  if (value.is_absent()) return std::string();
  if (!value.text()) return wrong_machine(place + "." + std::string(name), "must be a text");
  return std::string(value.string());
}

Status read_places(Value object, const std::string& place, Machine& out) {
  const std::pair<std::string_view, std::string*> kTexts[] = {
      {"zone", &out.zone}, {"region", &out.region}, {"instanceType", &out.instance_type}};
  for (const auto& each : kTexts) {
    Result<std::string> text = read_text(object, place, each.first);
    if (!text) return text.error();
    if (!is_label_value(*text)) {
      return wrong_machine(place + "." + std::string(each.first),
                           "\"" + *text + "\" is not a valid label value");
    }
    *each.second = std::move(*text);
  }
  return {};
}

Status read_machine_addresses(Value list, const std::string& place, Machine& out) {
  if (!list.is_absent() && list.kind() != Kind::kArray) {
    return wrong_machine(place, "must be a list of addresses");
  }
  for (CloudAddress& each : read_addresses(list)) {
    if (each.type.empty() || each.address.empty()) {
      return wrong_machine(place, "each address has a type and an address");
    }
    if (each.type.ends_with("IP") && !ip::Address::parse(each.address)) {
      return wrong_machine(place, "\"" + each.address + "\" is not an address");
    }
    out.addresses.push_back(std::move(each));
  }
  if (out.addresses.size() == list.count()) return {};
  return wrong_machine(place, "must be a list of addresses");
}

Status read_machine_labels(Value labels, const std::string& place, Machine& out) {
  for (const Member& each : labels.members()) {
    const auto text = each.value.text();
    if (!is_label_key(each.key) || !text || !is_label_value(*text)) {
      return wrong_machine(place, "\"" + std::string(each.key) + "\" is not a valid label");
    }
    out.labels.emplace(each.key, *text);
  }
  return {};
}

Status read_machine(Value object, const std::string& place, Inventory& out) {
  Status checked = check_options(
      object, {"name", "zone", "region", "instanceType", "addresses", "labels", "shutdown"});
  if (checked.ok() && object["name"].string().empty()) {
    checked = Status(Code::kInvalid, "it has no name");
  }
  if (!checked.ok()) return checked.with_context(place);
  Machine machine;
  Status read = read_places(object, place, machine);
  if (read.ok()) read = read_machine_addresses(object["addresses"], place + ".addresses", machine);
  if (read.ok()) read = read_machine_labels(object["labels"], place + ".labels", machine);
  const Value shutdown = object["shutdown"];
  if (read.ok() && !shutdown.is_absent() && !shutdown.boolean()) {
    read = wrong_machine(place + ".shutdown", "must be true or false");
  }
  if (!read.ok()) return read;
  machine.is_shut_down = shutdown.is_true();
  if (!out.machines.emplace(object["name"].string(), std::move(machine)).second) {
    return wrong_machine(place, "two Nodes are named " + std::string(object["name"].string()));
  }
  return {};
}

/// The machines are in the cluster: the rest of `instances` would contradict them.
Result<Inventory> read_simulated(Value instances, Inventory out) {
  for (const char* const each : {"defaults", "nodes", "unknown"}) {
    if (!instances[each].is_absent()) {
      return wrong_machine("instances." + std::string(each), "is only for the kind nodes");
    }
  }
  out.unlisted = Unlisted::kDeleted;
  return out;
}

}  // namespace

bool Inventory::is_foreign(const Node& node) const {
  const std::string_view id = node.spec()["providerID"].string();
  if (is_simulated && node.annotation(kState).value_or("").empty()) return true;
  return !id.empty() && !id.starts_with(prefix);
}

bool Inventory::is_deleted(const Node& node) const {
  return is_simulated && node.annotation(kState) == "deleted";
}

std::optional<Machine> Inventory::find(const Node& node) const {
  if (is_deleted(node)) return std::nullopt;
  if (is_simulated) return simulated_machine(node);
  const auto found = machines.find(node.name());
  if (found == machines.end()) return std::nullopt;
  return found->second;
}

CloudReply Inventory::exists(const Node& node) const {
  if (is_foreign(node)) return CloudReply::not_ours();
  if (find(node)) return CloudReply::yes();
  return unlisted == Unlisted::kDeleted ? CloudReply::not_found() : CloudReply::yes();
}

CloudReply Inventory::shutdown(const Node& node) const {
  if (is_foreign(node)) return CloudReply::not_ours();
  const std::optional<Machine> machine = find(node);
  return machine && machine->is_shut_down ? CloudReply::yes() : CloudReply::done();
}

CloudReply Inventory::metadata(const Node& node) const {
  if (is_foreign(node)) return CloudReply::not_ours();
  const std::optional<Machine> found = find(node);
  if (!found && unlisted == Unlisted::kWait) return CloudReply::done();
  if (!found && unlisted == Unlisted::kDeleted) return CloudReply::not_found();
  const Machine machine = found.value_or(Machine());
  const std::string id(node.spec()["providerID"].string());
  CloudMetadata facts;
  facts.provider_id = id.empty() ? prefix + std::string(node.name()) : id;
  facts.zone = either(machine.zone, defaults.zone);
  facts.region = either(machine.region, defaults.region);
  facts.instance_type = either(machine.instance_type, defaults.instance_type);
  facts.labels = machine.labels;
  facts.addresses = machine.addresses.empty() ? present_addresses(node) : machine.addresses;
  if (!facts.addresses.empty()) return CloudReply::with(facts);
  return CloudReply::failed(Status(
      Code::kUnavailable, "node " + std::string(node.name()) +
                              " has no address: start its kubelet with --node-ip, or list one"));
}

Result<Inventory> read_inventory(Value instances) {
  Inventory out;
  if (instances.is_absent()) return out;
  const Status checked =
      check_options(instances, {"kind", "providerIDPrefix", "defaults", "nodes", "unknown"});
  if (!checked.ok()) return checked.with_context("instances");
  const std::string_view kind = instances["kind"].string();
  if (kind != "none" && kind != "nodes" && kind != "sandbox")
    return wrong_machine("instances.kind", "must be none, nodes or sandbox");
  out.is_offered = kind != "none";
  out.is_simulated = kind == "sandbox";
  Result<std::string> prefix = read_text(instances, "instances", "providerIDPrefix");
  if (!prefix) return prefix.error();
  if (!prefix->empty()) out.prefix = std::move(*prefix);
  if (out.is_simulated) return read_simulated(instances, std::move(out));
  const Value defaults = instances["defaults"];
  Status read = check_options(defaults, {"zone", "region", "instanceType"});
  if (read.ok()) read = read_places(defaults, "instances.defaults", out.defaults);
  std::size_t index = 0;
  for (const Value each : instances["nodes"].elements()) {
    if (!read.ok()) break;
    read = read_machine(each, "instances.nodes[" + std::to_string(index++) + "]", out);
  }
  if (!read.ok()) return read;
  const Value unknown = instances["unknown"];
  if (unknown.string() == "wait") out.unlisted = Unlisted::kWait;
  if (unknown.string() == "delete") out.unlisted = Unlisted::kDeleted;
  if (out.unlisted == Unlisted::kAccepted && !unknown.is_absent() && unknown.string() != "accept") {
    return wrong_machine("instances.unknown", "must be accept, wait or delete");
  }
  return out;
}

bool has_other_machine(const Node& before, const Node& now) {
  for (const std::string_view each : {kState, kZone, kRegion, kInstanceType, kExternalIp}) {
    if (before.annotation(each) != now.annotation(each)) return true;
  }
  return false;
}

std::vector<std::string> changed_nodes(const Inventory& before, const Inventory& now) {
  if (before.prefix != now.prefix || before.is_simulated != now.is_simulated ||
      before.defaults != now.defaults || before.unlisted != now.unlisted) {
    return {""};
  }
  std::vector<std::string> out;
  for (const auto& each : now.machines) {
    const auto old = before.machines.find(each.first);
    if (old == before.machines.end() || old->second != each.second) out.push_back(each.first);
  }
  for (const auto& each : before.machines) {
    if (!now.machines.contains(each.first)) out.push_back(each.first);
  }
  return out;
}

}  // namespace davit::pools
