#include "plugins/garbagecollector/graph_page.hpp"

#include <davit/hex.hpp>
#include <davit/kube/group_version.hpp>
#include <map>
#include <set>
#include <utility>

namespace davit::garbage {
namespace {

using Shown = std::map<std::string, const Node*>;

/// In quotes, with the escapes of C.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char each : text) {
    const auto c = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out.append({'\\', each});
    } else if (each == '\n') {
      out.append("\\n");
    } else if (c < 0x20 || c == 0x7f) {
      out.append("\\x");
      append_hex(out, c);
    } else {
      out.push_back(each);
    }
  }
  return out + '"';
}

std::string label_of(const Node& node, std::string_view group, std::string_view version) {
  const Identity identity = node.identity();
  std::string out = "uid=" + identity.uid + "\nnamespace=" + identity.ns + "\n" + identity.kind;
  out.append(".").append(version);
  if (!group.empty()) out.append(".").append(group);
  out.append("/").append(identity.name).append("\n");
  std::string flags;
  const auto add = [&flags](bool is_set, std::string_view name) {
    if (!is_set) return;
    if (!flags.empty()) flags.push_back(',');
    flags.append(name);
  };
  add(node.is_being_deleted, "beingDeleted");
  add(node.deletes_dependents, "deletingDependents");
  add(node.is_virtual, "virtual");
  if (!flags.empty()) out.append(flags).append("\n");
  return out;
}

void add_node(std::string& out, const Node& node) {
  const Identity identity = node.identity();
  const auto [group, version] = split_api_version(identity.api_version);
  const auto attribute = [&out](std::string_view name, std::string_view value) {
    out.append("    ").append(name).append("=").append(quoted(value)).append("\n");
  };
  const auto flag = [&attribute](std::string_view name, bool is_set) {
    attribute(name, is_set ? "true" : "false");
  };
  out.append("  ").append(quoted(identity.uid)).append(" [\n");
  attribute("label", label_of(node, group, version));
  attribute("group", group);
  attribute("version", version);
  attribute("kind", identity.kind);
  attribute("namespace", identity.ns);
  attribute("name", identity.name);
  attribute("uid", identity.uid);
  flag("missing", false);
  flag("beingDeleted", node.is_being_deleted);
  flag("deletingDependents", node.deletes_dependents);
  flag("virtual", node.is_virtual);
  out.append("  ];\n");
}

Shown all_connected(const Graph& graph) {
  Shown out;
  for (const Node& node : graph.nodes()) {
    if (node.claim_count > 0 || node.dependents != nullptr) out.emplace(node.uid.text(), &node);
  }
  return out;
}

Shown connected_with(const Graph& graph, const std::vector<std::string>& uids) {
  Shown out;
  std::vector<std::string> next = uids;
  while (!next.empty()) {
    const auto found = graph.nodes().find(Uid(next.back()));
    next.pop_back();
    if (found == graph.nodes().end()) continue;
    const Node& node = *found;
    if (!out.emplace(node.uid.text(), &node).second) continue;
    for (const Claim& each : node.owners()) next.push_back(each.uid.text());
    for (const Claim* each = node.dependents; each != nullptr; each = each->next) {
      next.push_back(each->dependent->uid.text());
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> uids_of_query(std::string_view query) {
  constexpr std::string_view kName = "uid=";
  std::vector<std::string> out;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (part.starts_with(kName)) out.emplace_back(part.substr(kName.size()));
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  return out;
}

std::string graph_page(const Graph& graph, const std::vector<std::string>& uids) {
  const Shown shown = uids.empty() ? all_connected(graph) : connected_with(graph, uids);
  std::string out = "strict digraph full {\n";
  if (!shown.empty()) out += "  // Node definitions.\n";
  std::set<std::pair<std::string, std::string>> edges;
  for (const auto& [uid, node] : shown) {
    add_node(out, *node);
    for (const Claim& each : node->owners()) {
      std::string owner = each.uid.text();
      if (shown.contains(owner)) edges.emplace(uid, std::move(owner));
    }
  }
  if (!edges.empty()) out += "  // Edge definitions.\n";
  for (const auto& [from, to] : edges) {
    out.append("  ").append(quoted(from)).append(" -> ").append(quoted(to)).append(";\n");
  }
  return out + "}\n";
}

}  // namespace davit::garbage
