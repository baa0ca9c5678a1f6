// The keywords of k8s.io/kube-openapi/pkg/validation. Errors of custom resources have its texts,
// those of built-in kinds the texts of pkg/apis/*/validation.
#include "lib/kube/validation/schema_node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <davit/mutant.hpp>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/kube/schema/build.hpp"
#include "lib/kube/validation/list_types.hpp"

namespace davit {

namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// Whether a number that was no integer of 64 bits counts as one.
/// k8s: IsFloat64AJSONInteger of github.com/go-openapi/swag.
bool is_whole(double number) {
  constexpr double kMax = 0x1p53 - 1;
  constexpr double kEpsilon = 1e-9;
  const double whole = std::round(number);
  if (std::fabs(number) > kMax) return false;
  return whole == number || std::fabs(number - whole) < kEpsilon * std::fabs(whole);
}

/// Whose words the errors have.
enum class Words : std::uint8_t { kOpenApi, kBuiltIn };

/// "must be between 1 and 65535, inclusive"
std::string range_text(const SchemaNode& node) {
  if (!node.maximum) return "must be greater than or equal to " + node.minimum->text;
  if (!node.minimum) return "must be less than or equal to " + node.maximum->text;
  return "must be between " + node.minimum->text + " and " + node.maximum->text + ", inclusive";
}

/// The value that another one replaces, and the schema that names its parts.
struct Former {
  const Json* value = nullptr;  ///< Null if it is missing or unknown.
  const SchemaNode* structure = nullptr;

  /// Nothing where a half is missing.
  [[nodiscard]] Former known() const {
    return value == nullptr || structure == nullptr ? Former{} : *this;
  }
  [[nodiscard]] Former member(std::string_view name) const {
    if (value == nullptr) return {};
    return Former{value->find(name), structure->member(name)}.known();
  }
};

class ValueCheck {
 public:
  ValueCheck(Words words, FieldErrors& errors) : words_(words), errors_(errors) {}

  /// Checks a field of a built-in kind. Decoding has given the value its type; it may be missing.
  void check_field(const Json& value, const SchemaNode& node, const FieldPath& path) {
    switch (node.presence) {
      case Presence::kUnlessEmpty:
        if (value.empty()) return;
        break;
      case Presence::kUnlessMissing:
        if (value.is_null()) return;
        break;
      case Presence::kFilled:
        if (value.is_null()) return;
        [[fallthrough]];
      case Presence::kRequired:
        if (!value.empty()) break;
        errors_.push_back(field_required(path.text(), node.required_detail));
        return;
      case Presence::kAlways:
        break;
    }
    check(value.is_null() ? node.zero : value, node, path);
  }

  /// Checks what replaces another value.
  void check_update(const Json& value, const SchemaNode& node, const Former& former,
                    const FieldPath& path) {
    const Former outer = std::exchange(former_, former);
    check(value, node, path);
    former_ = outer;
  }

  void check(const Json& value, const SchemaNode& node, const FieldPath& path) {
    const std::size_t before = errors_.size();
    check_keywords(value, node, path);
    if (errors_.size() == before || former_.value == nullptr) return;
    if (!is_unchanged(value, *former_.value, *former_.structure)) return;
    if (!mutant("unchanged-values")) {
      errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(before), errors_.end());
    }
  }

 private:
  void check_keywords(const Json& value, const SchemaNode& node, const FieldPath& path) {
    matches_ += matches_of(value, node);
    if (!fits_type(value, node)) {
      if (!value.is_null() || !node.nullable) wrong_type(value, node, path);
      // Upstream also checks the keywords for the type that the value has.
      if (words_ == Words::kBuiltIn) return;
    }
    if (!value.is_null()) combinations(value, node, path);
    if (value.is_string()) text(value, node, path);
    if (value.is_number()) number(value, node, path);
    if (value.is_array()) elements(value, node, path);
    if (!node.allowed.empty()) allowed(value, node, path);
    for (const FormatCheck each : node.formats) format(value, each, path);
    if (value.is_object()) members(value, node, path);
  }

  static bool fits_type(const Json& value, const SchemaNode& node) {
    const std::string_view actual = json_type(value);
    if (node.int_or_string) return actual == "integer" || actual == "string";
    if (node.type.empty() || node.type == actual) return true;
    return node.type == "number" && actual == "integer";
  }

  void wrong_type(const Json& value, const SchemaNode& node, const FieldPath& path) {
    const std::string actual(json_type(value));
    const std::string field = path.text();
    FieldError error = field_invalid(field, Json(actual),
                                     field + " in body must be of type " +
                                         (node.int_or_string ? "integer,string" : node.type) +
                                         ": " + to_text(Json(actual)));
    error.reason = "FieldValueTypeInvalid";
    errors_.push_back(std::move(error));
  }

  void invalid(const FieldPath& path, const Json& value, const std::string& what) {
    const std::string field = path.text();
    errors_.push_back(field_invalid(field, value, field + " in body " + what));
  }

  void format(const Json& value, FormatCheck violations, const FieldPath& path) {
    for (const std::string& each : violations(value)) {
      errors_.push_back(field_invalid(path.text(), value, each));
    }
  }

  void allowed(const Json& value, const SchemaNode& node, const FieldPath& path) {
    // Upstream finds no null among the values that are allowed.
    const bool is_allowed =
        std::find(node.allowed.begin(), node.allowed.end(), value) != node.allowed.end();
    if (is_allowed && !value.is_null()) return;
    if (!node.detail.empty()) {
      errors_.push_back(field_invalid(path.text(), value, node.detail));
      return;
    }
    std::vector<std::string> supported;
    for (const Json& each : node.allowed) {
      supported.push_back(each.is_string() ? each.text() : to_text(each));
    }
    errors_.push_back(field_not_supported(path.text(), value, supported));
  }

  void text(const Json& value, const SchemaNode& node, const FieldPath& path) {
    const std::string& actual = value.text();
    const std::size_t length = node.length_max || node.length_min ? characters(actual) : 0;
    if (node.length_max && length > *node.length_max) {
      errors_.push_back(field_too_long(path.text(), *node.length_max));
    }
    if (node.length_min && length < *node.length_min) {
      invalid(path, value,
              "should be at least " + std::to_string(*node.length_min) + " chars long");
    }
    if (node.pattern && !node.pattern->matches(actual)) {
      invalid(path, value, "should match '" + node.pattern_text + "'");
    }
    if (!node.format.empty() && !has_format(node.format, actual)) {
      invalid(path, value, "must be of type " + node.format + ": " + to_text(value));
      errors_.back().reason = "FieldValueTypeInvalid";
    }
  }

  /// k8s.io/kube-openapi/pkg/validation/validate, IsValueValidAgainstRange. The error has no field.
  void representable(const Json& value, const SchemaNode& node, const FieldPath& path) {
    const bool is_float = node.type == "number" && node.format == "float";
    if (node.type != "integer" && !is_float) return;
    const bool is_short = node.format == "int32";
    const long double number = number_value(value);
    long double limit = is_short ? 0x1p31L : 0x1p63L;
    if (is_float) limit = std::numeric_limits<float>::max();
    const bool fits = is_float ? std::fabs(number) <= limit
                               : std::floor(number) == number && number >= -limit && number < limit;
    if (fits) return;
    const bool is_named = is_float || is_short || node.format == "int64";
    combination("Checked value must be of type " + node.type +
                (is_named ? " with format " + node.format : " (default format)") + " in " +
                path.text());
  }

  void number(const Json& value, const SchemaNode& node, const FieldPath& path) {
    if (words_ == Words::kOpenApi) representable(value, node, path);
    if (!node.minimum && !node.maximum && !node.multiple_of) return;
    const long double actual = number_value(value);
    if (words_ == Words::kBuiltIn) return range(value, actual, node, path);
    if (const auto& most = node.maximum) {
      if (most->exclusive && actual >= most->value) {
        invalid(path, value, "should be less than " + most->text);
      } else if (actual > most->value) {
        invalid(path, value, "should be less than or equal to " + most->text);
      }
    }
    if (const auto& least = node.minimum) {
      if (least->exclusive && actual <= least->value) {
        invalid(path, value, "should be greater than " + least->text);
      } else if (actual < least->value) {
        invalid(path, value, "should be greater than or equal to " + least->text);
      }
    }
    if (const auto& step = node.multiple_of; step && step->value > 0) {
      const long double times = actual / step->value;
      if (std::fabs(times - std::round(times)) > 1e-9L) {
        invalid(path, value, "should be a multiple of " + step->text);
      }
    }
  }

  void range(const Json& value, long double actual, const SchemaNode& node, const FieldPath& path) {
    const bool high = node.maximum && actual > node.maximum->value;
    const bool low = node.minimum && actual < node.minimum->value;
    if (!high && !low) return;
    errors_.push_back(
        field_invalid(path.text(), value, node.detail.empty() ? range_text(node) : node.detail));
  }

  void elements(const Json& value, const SchemaNode& node, const FieldPath& path) {
    if (node.items_max && value.size() > *node.items_max) {
      errors_.push_back(node.detail.empty()
                            ? field_too_many(path.text(), value.size(), *node.items_max)
                            : field_invalid(path.text(), value, node.detail));
    }
    if (node.items_min && value.size() < *node.items_min) {
      invalid(path, value, "should have at least " + std::to_string(*node.items_min) + " items");
    }
    if (node.unique_items && has_duplicates(value)) {
      invalid(path, value, "shouldn't contain duplicates");
    }
    if (node.items == nullptr) return;
    std::optional<Counterparts> counterparts;
    if (former_.value != nullptr) counterparts.emplace(*former_.structure, former_.value);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Json& element = value.items()[i];
      Former former;
      if (counterparts) former = {counterparts->of(element), former_.structure->items.get()};
      check_update(element, *node.items, former.known(), path.index(i));
    }
  }

  static bool has_duplicates(const Json& list) {
    std::unordered_set<std::string> seen;
    return std::any_of(list.items().begin(), list.items().end(), [&](const Json& each) {
      return !seen.insert(to_canonical_text(each)).second;
    });
  }

  void members(const Json& value, const SchemaNode& node, const FieldPath& path) {
    if (words_ == Words::kBuiltIn) {
      for (const SchemaNode::Property& each : node.properties) {
        check_field(value.get(each.name), *each.node, path.child(each.name));
      }
      return;
    }
    if (node.members_max && value.size() > *node.members_max) {
      errors_.push_back(field_too_many(path.text(), value.size(), *node.members_max));
    }
    if (node.members_min && value.size() < *node.members_min) {
      invalid(path, value,
              "should have at least " + std::to_string(*node.members_min) + " properties");
    }
    for (const auto& [name, each] : value.members()) {
      const SchemaNode* known = node.member(name);
      if (known == nullptr) continue;
      // Nothing shows that these have changed: both objects are of the version of the request.
      const bool is_type = path.is_root() && (name == "apiVersion" || name == "kind");
      check_update(each, *known, is_type ? Former{} : former_.member(name), path.child(name));
    }
    for (const std::string& name : node.required) {
      if (!value.contains(name)) errors_.push_back(field_required(path.text(name)));
    }
  }

  /// The result of one schema.
  struct Outcome {
    FieldErrors errors;
    std::size_t matches = 0;
  };
  /// The results of several schemas for one value.
  struct Trial {
    std::size_t valid = 0;
    /// That of the first valid schema, else of the one with the most matches.
    Outcome closest;
  };

  [[nodiscard]] Outcome outcome_of(const Json& value, const SchemaNode& node,
                                   const FieldPath& path) const {
    Outcome out;
    ValueCheck check(words_, out.errors);
    check.check_update(value, node, former_, path);
    out.matches = check.matches_;
    return out;
  }

  [[nodiscard]] Trial try_all(const Json& value,
                              const std::vector<std::unique_ptr<SchemaNode>>& nodes,
                              const FieldPath& path) const {
    Trial out;
    bool first = true;
    for (const auto& each : nodes) {
      Outcome found = outcome_of(value, *each, path);
      const bool valid = found.errors.empty();
      if (out.valid == 0 && (first || valid || found.matches > out.closest.matches)) {
        out.closest = std::move(found);
      }
      if (valid) ++out.valid;
      first = false;
    }
    return out;
  }

  void take(const Outcome& outcome) {
    matches_ += outcome.matches;
    errors_.insert(errors_.end(), outcome.errors.begin(), outcome.errors.end());
  }

  /// These violations have no field of their own.
  void combination(const std::string& what) {
    errors_.push_back(field_invalid("<nil>", Json(""), what));
  }

  void combinations(const Json& value, const SchemaNode& node, const FieldPath& path) {
    if (node.any_of.empty() && node.one_of.empty() && node.all_of.empty() && !node.negated) return;
    const std::string quoted = to_text(Json(path.text()));
    const Trial any = try_all(value, node.any_of, path);
    if (!node.any_of.empty() && any.valid == 0) {
      combination(quoted + " must validate at least one schema (anyOf)");
    }
    take(any.closest);
    const Trial one = try_all(value, node.one_of, path);
    if (!node.one_of.empty() && one.valid != 1) {
      combination(quoted + " must validate one and only one schema (oneOf). " +
                  (one.valid == 0 ? "Found none valid"
                                  : "Found " + std::to_string(one.valid) + " valid alternatives"));
    }
    if (one.valid <= 1) take(one.closest);
    std::size_t valid = 0;
    for (const auto& each : node.all_of) {
      const Outcome found = outcome_of(value, *each, path);
      if (found.errors.empty()) ++valid;
      take(found);
    }
    if (valid != node.all_of.size()) {
      combination(quoted + " must validate all the schemas (allOf)" +
                  (valid == 0 ? ". None validated" : ""));
    }
    if (node.negated && outcome_of(value, *node.negated, path).errors.empty()) {
      combination(quoted + " must not validate the schema (not)");
    }
  }

  /// The checks that upstream counts for one node and one value: its MatchCount, by which it finds
  /// the closest of several schemas. Those of parts are counted where they are checked.
  static std::size_t matches_of(const Json& value, const SchemaNode& node) {
    constexpr std::size_t kOfEachNode = 4;
    if (value.is_null()) return fits_type(value, node) ? 1 : 0;
    std::size_t out = kOfEachNode;
    if (!node.type.empty() || !node.format.empty()) out += fits_type(value, node) ? 2 : 1;
    if (value.is_number() || value.is_array()) out += 2;
    if (value.is_object() || value.is_string()) out += 1;
    if (value.is_string() && !node.format.empty()) out += 1;
    return out;
  }

  const Words words_;
  FieldErrors& errors_;
  std::size_t matches_ = 0;
  Former former_;  // The one of the value that is being checked.
};

/// Compiles the table of constraints, one node a type.
class BuiltInCompiler {
 public:
  static SchemaNode type(std::string_view name) {
    const Message* message = schemas().find(name);
    DAVIT_ASSERT(message != nullptr);
    SchemaNode out;
    for (const FieldConstraints& each : constraints_of(name)) {
      out.properties.push_back({std::string(each.field), field(each, *message->find(each.field))});
    }
    return out;
  }

 private:
  static std::unique_ptr<SchemaNode> field(const FieldConstraints& from, const Field& field) {
    auto out = value(from.value, field);
    if (from.elements) out->items = value(*from.elements, field);
    return out;
  }

  static std::unique_ptr<SchemaNode> value(const Constraint& from, const Field& field) {
    auto out = std::make_unique<SchemaNode>();
    if (from.fields) *out = type(field.message->name);
    out->zero = zero(from, field);
    out->presence = from.presence;
    out->immutable = from.immutable;
    out->minimum = limit(from.minimum);
    out->maximum = limit(from.maximum);
    for (const std::string_view each : from.allowed) out->allowed.emplace_back(each);
    out->items_max = from.items_max;
    for (const std::string_view each : from.formats) out->formats.push_back(format(each));
    out->required_detail = from.required_detail;
    out->detail = from.detail;
    return out;
  }

  static Json zero(const Constraint& from, const Field& field) {
    if (from.fields) return Json::object();
    return field.type == FieldType::kString ? Json("") : Json(0);
  }

  static std::optional<NumberLimit> limit(std::optional<std::int64_t> number) {
    if (!number) return std::nullopt;
    return NumberLimit{std::to_string(*number), static_cast<long double>(*number), false};
  }

  static FormatCheck format(std::string_view name) {
    const FormatCheck out = find_format(name);
    DAVIT_ASSERT(out != nullptr);
    return out;
  }
};

using BuiltInSchemas = std::map<std::string_view, SchemaNode>;

BuiltInSchemas compile_built_in() {
  BuiltInSchemas out;
  for (const auto& message : schemas().all()) {
    SchemaNode node = BuiltInCompiler::type(message->name);
    if (!node.properties.empty()) out.emplace(message->name, std::move(node));
  }
  return out;
}

const SchemaNode& schema_of(std::string_view type) {
  static const BuiltInSchemas kSchemas = compile_built_in();
  const auto found = kSchemas.find(type);
  DAVIT_ASSERT(found != kSchemas.end());
  return found->second;
}

}  // namespace

const SchemaNode* SchemaNode::property(std::string_view name) const {
  const auto found = std::lower_bound(
      properties.begin(), properties.end(), name,
      [](const Property& each, std::string_view wanted) { return each.name < wanted; });
  return found == properties.end() || found->name != name ? nullptr : found->node.get();
}

const SchemaNode* SchemaNode::member(std::string_view name) const {
  const SchemaNode* own = property(name);
  return own != nullptr ? own : additional.get();
}

void check_value(const Json& object, const SchemaNode& schema, FieldErrors& errors) {
  ValueCheck(Words::kOpenApi, errors).check(object, schema, FieldPath());
}

void check_update(const Json& object, const Json* old, const SchemaNode& schema,
                  FieldErrors& errors) {
  ValueCheck(Words::kOpenApi, errors)
      .check_update(object, schema, Former{old, &schema}.known(), FieldPath());
}

void check_fields(std::string_view type, const Json& object, const FieldPath& path,
                  FieldErrors& errors) {
  ValueCheck check(Words::kBuiltIn, errors);
  for (const SchemaNode::Property& each : schema_of(type).properties) {
    check.check_field(object.get(each.name), *each.node, path.child(each.name));
  }
}

void check_fields(std::string_view type, const Json& object,
                  std::initializer_list<std::string_view> fields, const FieldPath& path,
                  FieldErrors& errors) {
  const std::vector<SchemaNode::Property>& all = schema_of(type).properties;
  ValueCheck check(Words::kBuiltIn, errors);
  for (const std::string_view field : fields) {
    const auto found = std::ranges::find(all, field, &SchemaNode::Property::name);
    DAVIT_ASSERT(found != all.end());
    check.check_field(object.get(field), *found->node, path.child(field));
  }
}

void check_immutable_fields(std::string_view type, const Json& object, const Json& old,
                            const FieldPath& path, FieldErrors& errors) {
  for (const SchemaNode::Property& each : schema_of(type).properties) {
    const Json& value = object.get(each.name);
    if (!each.node->immutable || value == old.get(each.name)) continue;
    errors.push_back(field_invalid(path.text(each.name), value, kFieldImmutable));
  }
}

std::string_view json_type(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBoolean:
      return "boolean";
    case Json::Kind::kNumber:
      return value.integer() || is_whole(static_cast<double>(number_value(value))) ? "integer"
                                                                                   : "number";
    case Json::Kind::kString:
      return "string";
    case Json::Kind::kArray:
      return "array";
    case Json::Kind::kObject:
      return "object";
  }
  return "null";
}

long double number_value(const Json& number) {
  long double out = 0;
  const std::string& text = number.text();
  (void)std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace davit
