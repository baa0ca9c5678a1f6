#include "lib/kube/patch/field_set.hpp"

#include <algorithm>
#include <utility>

namespace davit {

namespace {

bool by_key(const FieldChild& a, const FieldChild& b) { return a.key < b.key; }

bool known_form(std::string_view key) {
  if (key.size() < 2 || key[1] != ':') return false;
  const std::string_view value = key.substr(2);
  switch (key[0]) {
    case 'f':
      return true;
    case 'k': {
      const Result<Json> parsed = parse_json(value);
      return parsed.has_value() && parsed->is_object();
    }
    case 'v':
      return parse_json(value).has_value();
    case 'i':
      return !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos;
    default:
      return false;
  }
}

Status parse_into(const Json& fields, FieldSet& out) {
  if (!fields.is_object()) return {Code::kInvalid, "a set of fields must be an object"};
  out.children.reserve(fields.size());
  for (const auto& [key, value] : fields.members()) {
    if (key == ".") {
      out.member = true;
      continue;
    }
    if (!known_form(key)) return {Code::kInvalid, "not a path element: " + key};
    FieldChild& child = out.children.emplace_back(FieldChild{key, {}});
    if (Status parsed = parse_into(value, child.set); !parsed.ok()) return parsed;
    if (child.set.children.empty()) child.set.member = true;
  }
  out.sort();
  return {};
}

/// A fieldsV1 node without children is in the set although it has no ".".
bool is_member(const Json& node) { return node.size() == 0 || node.contains("."); }

/// Marks a path that may have children, in the form of to_fields().
void set_member(Json& node) {
  if (node.size() != 0 && !node.contains(".")) {
    Json::Members& members = node.make_object();
    members.insert(members.begin(), Json::Member{".", Json::object()});
  }
}

std::string element_text(std::string_view key) {
  const std::string_view value = key.substr(2);
  switch (key[0]) {
    case 'f':
      return '.' + std::string(value);
    case 'v':
      return "[=" + std::string(value) + ']';
    case 'k':
      break;
    default:
      return '[' + std::string(value) + ']';
  }
  std::string out;
  const Result<Json> parsed = parse_json(value);
  if (!parsed) return '[' + std::string(value) + ']';
  for (const auto& [name, each] : parsed->members()) {
    out += (out.empty() ? '[' : ',') + name + '=' + to_text(each);
  }
  return out + ']';
}

void append_paths(std::vector<std::string>& out, const FieldSet& set, const std::string& prefix) {
  for (const FieldChild& each : set.children) {
    if (each.set.member) out.push_back(prefix + element_text(each.key));
  }
  for (const FieldChild& each : set.children) {
    if (!each.set.children.empty()) append_paths(out, each.set, prefix + element_text(each.key));
  }
}

}  // namespace

const FieldSet* FieldSet::find(std::string_view key) const {
  const auto found = std::lower_bound(
      children.begin(), children.end(), key,
      [](const FieldChild& each, std::string_view wanted) { return each.key < wanted; });
  return found == children.end() || found->key != key ? nullptr : &found->set;
}

FieldSet& FieldSet::child(std::string_view key) {
  const auto found = std::lower_bound(
      children.begin(), children.end(), key,
      [](const FieldChild& each, std::string_view wanted) { return each.key < wanted; });
  if (found != children.end() && found->key == key) return found->set;
  return children.insert(found, FieldChild{std::string(key), {}})->set;
}

void FieldSet::append(std::string key, FieldSet set) {
  if (!set.empty()) children.push_back({std::move(key), std::move(set)});
}

void FieldSet::sort() {
  if (!std::is_sorted(children.begin(), children.end(), by_key)) {
    std::sort(children.begin(), children.end(), by_key);
  }
}

FieldSet union_of(FieldSet a, const FieldSet& b) {
  FieldSet out;
  out.member = a.member || b.member;
  out.children.reserve(std::max(a.children.size(), b.children.size()));
  auto left = a.children.begin();
  auto right = b.children.begin();
  while (left != a.children.end() || right != b.children.end()) {
    if (right == b.children.end() || (left != a.children.end() && left->key < right->key)) {
      out.children.push_back(std::move(*left++));
    } else if (left == a.children.end() || right->key < left->key) {
      out.children.push_back(*right++);
    } else {
      out.children.push_back({std::move(left->key), union_of(std::move(left->set), right->set)});
      ++left;
      ++right;
    }
  }
  return out;
}

FieldSet intersection_of(const FieldSet& a, const FieldSet& b) {
  FieldSet out;
  out.member = a.member && b.member;
  auto right = b.children.begin();
  for (const FieldChild& left : a.children) {
    while (right != b.children.end() && right->key < left.key) ++right;
    if (right == b.children.end()) break;
    if (right->key == left.key) out.append(left.key, intersection_of(left.set, right->set));
  }
  return out;
}

FieldSet difference_of(const FieldSet& a, const FieldSet& b) {
  FieldSet out;
  out.member = a.member && !b.member;
  auto right = b.children.begin();
  for (const FieldChild& left : a.children) {
    while (right != b.children.end() && right->key < left.key) ++right;
    const bool both = right != b.children.end() && right->key == left.key;
    out.append(left.key, both ? difference_of(left.set, right->set) : left.set);
  }
  return out;
}

Result<FieldSet> parse_fields(const Json& fields) {
  FieldSet out;
  if (Status parsed = parse_into(fields, out); !parsed.ok()) return parsed;
  return out;
}

Json to_fields(const FieldSet& set) {
  Json::Members members;
  members.reserve(set.children.size() + 1);
  if (set.member && !set.children.empty()) members.push_back({".", Json::object()});
  for (const FieldChild& each : set.children) members.push_back({each.key, to_fields(each.set)});
  return Json(std::move(members));
}

bool subtract_from_fields(Json& fields, const FieldSet& set) {
  bool changed = false;
  bool member = is_member(fields);
  for (const FieldChild& each : set.children) {
    Json* node = fields.find(each.key);
    if (node == nullptr || !subtract_from_fields(*node, each.set)) continue;
    changed = true;
    if (node->is_null()) fields.erase(each.key);
  }
  if (member && set.member) {
    changed = true;
    member = false;
    fields.erase(".");
  }
  if (changed && fields.size() == (fields.contains(".") ? 1 : 0)) {
    fields = member ? Json::object() : Json();
  }
  return changed;
}

bool add_to_fields(Json& fields, const FieldSet& set) {
  bool changed = false;
  const bool was_member = fields.is_object() && is_member(fields);
  for (const FieldChild& each : set.children) {
    Json* node = fields.find(each.key);
    if (node == nullptr) {
      if (was_member) set_member(fields);
      fields.set(each.key, to_fields(each.set));
      changed = true;
    } else if (add_to_fields(*node, each.set)) {
      changed = true;
    }
  }
  if (was_member && changed) {
    set_member(fields);
  } else if (set.member && !was_member) {
    set_member(fields);
    changed = true;
  }
  return changed;
}

std::vector<std::string> path_texts(const FieldSet& set) {
  std::vector<std::string> out;
  append_paths(out, set, "");
  return out;
}

}  // namespace davit
