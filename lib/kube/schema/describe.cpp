#include "lib/kube/schema/describe.hpp"

#include <algorithm>
#include <tuple>

#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kContinued = "    ";

bool before(const Descriptions::Entry& a, const Descriptions::Entry& b) {
  return std::tie(a.type, a.field) < std::tie(b.type, b.field);
}

/// The first line of `rest` with its continuation lines.
std::string_view take_entry(std::string_view& rest) {
  std::size_t end = rest.find('\n');
  while (end != rest.npos && rest.substr(end + 1).starts_with(kContinued)) {
    end = rest.find('\n', end + 1);
  }
  const std::string_view out = rest.substr(0, end);
  rest.remove_prefix(std::min(out.size() + 1, rest.size()));
  return out;
}

/// One entry for each of the types that `types` names.
void append(std::string_view types, std::string_view field, std::string_view text,
            std::vector<Descriptions::Entry>& out) {
  constexpr std::string_view kBlank = " \n";
  for (std::size_t at = 0; (at = types.find_first_not_of(kBlank, at)) != types.npos;) {
    const std::size_t end = std::min(types.find_first_of(kBlank, at), types.size());
    out.push_back({types.substr(at, end - at), field, text});
    at = end;
  }
}

void read(std::string_view table, std::vector<Descriptions::Entry>& out) {
  table.remove_prefix(std::min(table.find_first_not_of('\n'), table.size()));
  std::string_view types;
  while (!table.empty()) {
    const std::string_view entry = take_entry(table);
    const std::size_t colon = entry.find(':');
    const std::string_view name = entry.substr(0, colon);
    const std::string_view text = entry.substr(std::min(colon + 2, entry.size()));
    const std::size_t indent = name.find_first_not_of(' ');
    if (indent == 0) types = name;
    if (text.empty()) continue;
    append(types, indent == 0 ? std::string_view() : name.substr(indent), text, out);
  }
}

/// On one line.
std::string joined(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!out.empty()) out += ' ';
    out += text.substr(0, end);
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of("\n "), text.size()));
  }
  return out;
}

}  // namespace

Descriptions::Descriptions() {
  for (const auto table :
       {meta_descriptions, core_descriptions, core_pod_descriptions, core_volumes_descriptions,
        workloads_descriptions, access_descriptions, devices_descriptions, extensions_descriptions,
        other_groups_descriptions}) {
    read(table(), entries_);
  }
  std::sort(entries_.begin(), entries_.end(), before);
}

std::string Descriptions::find(std::string_view type, std::string_view field) const {
  const Entry wanted{type, field, {}};
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted, before);
  if (found == entries_.end() || before(wanted, *found)) return {};
  return joined(found->text);
}

std::string Descriptions::of(const Message& type) const { return find(type.name, ""); }

std::string Descriptions::of(const Message& type, const Field& field) const {
  std::string out = find(type.name, field.name);
  for (const WireField& each : type.wire) {
    if (out.empty() && each.inlined != nullptr && each.inlined->find(field.name) != nullptr) {
      out = of(*each.inlined, field);
    }
  }
  if (out.empty() && type.has_kind()) out = find("(kinds)", field.name);
  if (out.empty() && type.name.ends_with("Condition")) out = find("(conditions)", field.name);
  if (out.empty() && type.name.ends_with("VolumeSource")) out = find("(volumes)", field.name);
  return out.empty() ? find("(all)", field.name) : out;
}

}  // namespace davit
