#include "lib/kube/json.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace davit {

namespace {

const std::string kNoText;
const Json kNothing;
const Json::Items kNoItems;
const Json::Members kNoMembers;

}  // namespace

Json::Json() = default;
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(bool value) : value_(value) {}
Json::Json(std::int64_t number) : value_(Number{std::to_string(number)}) {}
Json::Json(Items items) : value_(std::move(items)) {}
Json::Json(Members members) : value_(std::move(members)) {}
Json::Json(const Json&) = default;
Json& Json::operator=(const Json&) = default;

void Json::destroy_children() {
  const auto nested = [](const Json& json) { return json.size() != 0; };
  Items later;
  const auto postpone = [&](Json& parent) {
    if (auto* items = std::get_if<Items>(&parent.value_)) {
      for (Json& each : *items) {
        if (nested(each)) later.push_back(std::move(each));
      }
    } else if (auto* members = std::get_if<Members>(&parent.value_)) {
      for (Member& each : *members) {
        if (nested(each.value)) later.push_back(std::move(each.value));
      }
    }
  };
  postpone(*this);
  while (!later.empty()) {
    Json next = std::move(later.back());
    later.pop_back();
    postpone(next);
    next.value_ = std::monostate();
  }
}

Json Json::object(std::initializer_list<std::pair<std::string_view, Json>> members) {
  Members out;
  out.reserve(members.size());
  for (const auto& [key, value] : members) out.push_back({std::string(key), value});
  return Json(std::move(out));
}

Json Json::array(std::initializer_list<Json> items) { return Json(Items(items)); }

Json Json::number(std::string_view text) {
  Json out;
  out.value_ = Number{std::string(text)};
  return out;
}

bool Json::empty() const {
  switch (kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBoolean:
      return !boolean();
    case Kind::kNumber:
      return integer() == 0;
    case Kind::kString:
      return text().empty();
    case Kind::kArray:
    case Kind::kObject:
      return size() == 0;
  }
  return false;
}

const std::string& Json::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* number = std::get_if<Number>(&value_)) return number->text;
  return kNoText;
}

bool Json::boolean() const {
  const bool* value = std::get_if<bool>(&value_);
  return value != nullptr && *value;
}

std::optional<std::int64_t> Json::integer() const {
  const auto* number = std::get_if<Number>(&value_);
  if (number == nullptr) return std::nullopt;
  std::int64_t out = 0;
  const char* end = number->text.data() + number->text.size();
  const auto [last, error] = std::from_chars(number->text.data(), end, out);
  return error == std::errc() && last == end ? std::optional(out) : std::nullopt;
}

const Json::Items& Json::items() const {
  const auto* items = std::get_if<Items>(&value_);
  return items == nullptr ? kNoItems : *items;
}

const Json::Members& Json::members() const {
  const auto* members = std::get_if<Members>(&value_);
  return members == nullptr ? kNoMembers : *members;
}

Json::Items& Json::make_array() {
  if (!is_array()) value_ = Items();
  return std::get<Items>(value_);
}

Json::Members& Json::make_object() {
  if (!is_object()) value_ = Members();
  return std::get<Members>(value_);
}

std::size_t Json::size() const { return items().size() + members().size(); }

const Json* Json::find(std::string_view key) const {
  for (const Member& each : members()) {
    if (each.key == key) return &each.value;
  }
  return nullptr;
}

Json* Json::find(std::string_view key) { return const_cast<Json*>(std::as_const(*this).find(key)); }

Json& Json::operator[](std::string_view key) {
  if (Json* present = find(key)) return *present;
  return make_object().emplace_back(Member{std::string(key), Json()}).value;
}

const Json& Json::get(std::string_view key) const {
  const Json* found = find(key);
  return found == nullptr ? kNothing : *found;
}

const Json* Json::at(std::initializer_list<std::string_view> path) const {
  const Json* json = this;
  for (const std::string_view key : path) {
    json = json->find(key);
    if (json == nullptr) return nullptr;
  }
  return json;
}

Json* Json::at(std::initializer_list<std::string_view> path) {
  return const_cast<Json*>(std::as_const(*this).at(path));
}

const std::string& Json::text_at(std::initializer_list<std::string_view> path) const {
  const Json* json = at(path);
  return json == nullptr ? kNoText : json->text();
}

bool Json::erase(std::string_view key) {
  auto* members = std::get_if<Members>(&value_);
  if (members == nullptr) return false;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [key](const Member& each) { return each.key == key; });
  if (found == members->end()) return false;
  members->erase(found);
  return true;
}

Json& Json::push_back(Json item) { return make_array().emplace_back(std::move(item)); }

bool operator==(const Json& a, const Json& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  switch (a.kind()) {
    case Json::Kind::kNull:
      return true;
    case Json::Kind::kBoolean:
      return a.boolean() == b.boolean();
    case Json::Kind::kNumber:
      return a.integer() && b.integer() ? a.integer() == b.integer() : a.text() == b.text();
    case Json::Kind::kString:
      return a.text() == b.text();
    case Json::Kind::kArray:
      return std::equal(a.items().begin(), a.items().end(), b.items().begin());
    case Json::Kind::kObject:
      break;
  }
  for (std::size_t i = 0; i < a.members().size(); ++i) {
    const Json::Member& each = a.members()[i];
    const Json::Member& same_place = b.members()[i];
    const Json* other = same_place.key == each.key ? &same_place.value : b.find(each.key);
    if (other == nullptr || *other != each.value) return false;
  }
  return true;
}

}  // namespace davit
