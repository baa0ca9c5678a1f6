#include "sandbox/rest/field_selector.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

constexpr std::string_view kName = "metadata.name";
constexpr std::string_view kNamespace = "metadata.namespace";

/// Splits at commas that no backslash escapes.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      out.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  out.push_back(text.substr(begin));
  return out;
}

/// "\\", "\," and "\=" only.
Result<std::string> unescape_value(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      if (++i == text.size() || std::string_view("\\,=").find(text[i]) == std::string_view::npos) {
        return Status(Code::kInvalid, "invalid field selector: invalid escape sequence: \\" +
                                          std::string(text.substr(std::min(i, text.size()), 1)));
      }
      out += text[i];
    } else if (c == ',' || c == '=') {
      return Status(Code::kInvalid,
                    std::string("invalid field selector: unescaped rune in value: ") + c);
    } else {
      out += c;
    }
  }
  return out;
}

struct Split {
  std::string_view field;
  FieldSelector::Operator op;
  std::string_view value;
};

/// At the first operator that no backslash escapes.
std::optional<Split> split_term(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] == '\\') {
      ++i;
      continue;
    }
    const std::string_view rest = term.substr(i);
    using Operator = FieldSelector::Operator;
    if (rest.starts_with("!="))
      return Split{term.substr(0, i), Operator::kNotEquals, rest.substr(2)};
    if (rest.starts_with("==")) return Split{term.substr(0, i), Operator::kEquals, rest.substr(2)};
    if (rest.starts_with("=")) return Split{term.substr(0, i), Operator::kEquals, rest.substr(1)};
  }
  return std::nullopt;
}

/// Kinds with fields of their own say it in other words than those without.
bool has_own_fields(const Resource& resource) {
  return resource.custom ||
         (resource.rules != nullptr && !resource.rules->fields(Json::object()).empty());
}

Status check_field(const std::string& field, const Resource& resource) {
  if (field == kName) return {};
  if (field == kNamespace && resource.namespaced) return {};
  if (resource.rules != nullptr && resource.rules->knows_field(field)) return {};
  if (has_own_fields(resource)) return {Code::kInvalid, "field label not supported: " + field};
  return {Code::kInvalid,
          '"' + field +
              "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""};
}

std::string_view value_in(const Pairs& fields, const std::string& field) {
  const auto found = std::ranges::find(fields, field, &Pairs::value_type::first);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text, const Resource& resource) {
  FieldSelector out;
  for (const std::string_view part : split_terms(text)) {
    if (part.empty()) continue;
    const std::optional<Split> split = split_term(part);
    if (!split) {
      return Status(Code::kInvalid, "invalid selector: '" + std::string(text) +
                                        "'; can't understand '" + std::string(part) + "'");
    }
    Result<std::string> value = unescape_value(split->value);
    if (!value) return value.error();
    Term term{std::string(split->field), split->op, std::move(*value)};
    if (Status status = check_field(term.field, resource); !status.ok()) return status;
    out.terms_.push_back(std::move(term));
  }
  return out;
}

FieldSelector FieldSelector::of_name(std::string name) {
  FieldSelector out;
  out.terms_.push_back({std::string(kName), Operator::kEquals, std::move(name)});
  return out;
}

bool FieldSelector::selects_one() const {
  return std::ranges::any_of(
      terms_, [](const Term& term) { return term.field == kName && term.op == Operator::kEquals; });
}

bool FieldSelector::reads_content() const {
  return std::ranges::any_of(
      terms_, [](const Term& term) { return term.field != kName && term.field != kNamespace; });
}

bool FieldSelector::matches(std::string_view ns, std::string_view name, const Pairs& fields) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    const std::string_view value = term.field == kName        ? name
                                   : term.field == kNamespace ? ns
                                                              : value_in(fields, term.field);
    return (value == term.value) == (term.op == Operator::kEquals);
  });
}

}  // namespace davit::sandbox
