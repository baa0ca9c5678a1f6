#include "sandbox/kinds/checks.hpp"

#include <algorithm>
#include <charconv>

namespace davit::sandbox {

namespace {

constexpr std::int64_t kPortMax = 65535;
constexpr std::string_view kPercentText =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
    "'93%', regex used for validation is '[0-9]+%')";

bool is_percent(std::string_view text) {
  if (text.size() < 2 || text.back() != '%') return false;
  text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool missing(const Json& object, std::string_view key) { return object.get(key).is_null(); }

}  // namespace

void add_invalid(const Complaints& complaints, std::string_view value, const FieldPath& path,
                 FieldErrors& errors) {
  for (const std::string& each : complaints) {
    errors.push_back(field_invalid(path.text(), value, each));
  }
}

bool require_text(const Json& object, std::string_view field, const FieldPath& path,
                  FieldErrors& errors) {
  if (!object.get(field).text().empty()) return true;
  errors.push_back(field_required(path.text(field)));
  return false;
}

void check_not_negative(const Json& object, std::string_view field, const FieldPath& path,
                        FieldErrors& errors) {
  const Json& value = object.get(field);
  if (value.integer_or(0) >= 0) return;
  errors.push_back(field_invalid(path.text(field), value, kNotNegative));
}

void check_not_negative(const Json& object, std::initializer_list<std::string_view> fields,
                        const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view each : fields) check_not_negative(object, each, path, errors);
}

void check_choice(const Json& object, std::string_view field,
                  std::initializer_list<std::string_view> choices, const FieldPath& path,
                  FieldErrors& errors) {
  if (!require_text(object, field, path, errors)) return;
  const Json& value = object.get(field);
  if (std::find(choices.begin(), choices.end(), value.text()) != choices.end()) return;
  errors.push_back(field_not_supported(path.text(field), value, {choices.begin(), choices.end()}));
}

int check_union(const Json& object, std::span<const UnionMember> members, std::string_view what,
                const FieldPath& path, FieldErrors& errors) {
  int count = 0;
  for (const UnionMember& each : members) {
    if (!is_set(object, each.name)) continue;
    if (count++ == 0) {
      each.check(object.get(each.name), path.child(each.name), errors);
    } else {
      errors.push_back(more_than_one(what, path.text(each.name)));
    }
  }
  return count;
}

FieldError more_than_one(std::string_view what, std::string field) {
  return field_forbidden(std::move(field), "may not specify more than 1 " + std::string(what));
}

void check_immutable(const Json& object, const Json& old, std::string_view field,
                     const FieldPath& path, FieldErrors& errors) {
  const Json& value = object.get(field);
  if (value == old.get(field)) return;
  errors.push_back(field_invalid(path.text(field), value, kFieldImmutable));
}

void check_port(const Json& port, const FieldPath& path, FieldErrors& errors) {
  const std::int64_t number = port.integer_or(0);
  if (number >= 1 && number <= kPortMax) return;
  errors.push_back(field_invalid(path.text(), number, range_text(1, kPortMax)));
}

void check_port_or_name(const Json& port, const FieldPath& path, FieldErrors& errors) {
  if (port.is_string()) {
    add_invalid(check_port_name(port.text()), port.text(), path, errors);
  } else {
    check_port(port, path, errors);
  }
}

std::string range_text(std::int64_t low, std::int64_t high) {
  return "must be between " + std::to_string(low) + " and " + std::to_string(high) + ", inclusive";
}

void check_int_or_percent(const Json& value, const FieldPath& path, FieldErrors& errors) {
  if (value.is_string()) {
    if (!is_percent(value.text())) {
      errors.push_back(field_invalid(path.text(), value, kPercentText));
    }
  } else if (value.integer_or(0) < 0) {
    errors.push_back(field_invalid(path.text(), value, kNotNegative));
  }
}

void check_at_most_100_percent(const Json& value, const FieldPath& path, FieldErrors& errors) {
  if (!value.is_string() || !is_percent(value.text())) return;
  if (int_or_percent_value(value) > 100) {
    errors.push_back(field_invalid(path.text(), value, "must not be greater than 100%"));
  }
}

std::int64_t int_or_percent_value(const Json& value) {
  if (!value.is_string()) return value.integer_or(0);
  if (!is_percent(value.text())) return 0;
  std::int64_t number = 0;
  const char* end = value.text().data() + value.text().size() - 1;
  std::from_chars(value.text().data(), end, number);
  return number;
}

void set_default(Json& object, std::string_view key, std::string_view text) {
  if (missing(object, key)) object.set(key, text);
}

void set_default(Json& object, std::string_view key, std::int64_t number) {
  if (missing(object, key)) object.set(key, number);
}

void replace_empty(Json& object, std::string_view key, std::string_view text) {
  if (object.get(key).empty()) object.set(key, text);
}

void replace_empty(Json& object, std::string_view key, std::int64_t number) {
  if (object.get(key).empty()) object.set(key, number);
}

Json& object_member(Json& object, std::string_view key) {
  Json& out = object[key];
  if (out.is_null()) out = Json::object();
  return out;
}

}  // namespace davit::sandbox
