#include <algorithm>
#include <unordered_set>

#include "lib/kube/patch/patch.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

using Form = ValueType::Form;

/// Further ones do not help, and each may quote a large value.
constexpr std::size_t kProblemsMax = 10;

class FieldWalk {
 public:
  FieldWalk(const ResetFields& reset, std::vector<std::string>* problems)
      : reset_(reset), problems_(problems) {}

  FieldSet fields(const Json& value, const ValueType& type, Level level) {
    const ValueType seen = type.resolved(&value);
    FieldSet out;
    switch (seen.form) {
      case Form::kLeaf:
      case Form::kDeduced:
        out.member = true;
        break;
      case Form::kStruct:
      case Form::kMap:
        if (!value.is_object() && !value.is_null())
          add_error("expected map, got &{" + go_text(value) + '}');
        members(value, seen, level, out);
        break;
      case Form::kList:
      case Form::kSet:
        if (!value.is_array() && !value.is_null()) {
          add_error("expected list, got &{" + go_text(value) + '}');
        }
        elements(value, seen, out);
        break;
    }
    return out;
  }

 private:
  void add_error(const std::string& what) {
    if (problems_ == nullptr || problems_->size() >= kProblemsMax) return;
    problems_->push_back(path_ + ": " + what);
  }

  void check_scalar(const Json& value, const Field& field) {
    const bool container = value.is_object() || value.is_array();
    if (value.is_null()) return;
    switch (field.type) {
      case FieldType::kInt32:
      case FieldType::kInt64:
        if (!value.is_number()) {
          add_error("expected numeric (int or float), got " +
                    std::string(value.is_string() ? "string" : go_type(value)));
        }
        return;
      case FieldType::kBoolean:
        if (!value.is_boolean()) add_error("expected boolean, got &{" + go_text(value) + '}');
        return;
      case FieldType::kString:
        if (!value.is_string()) {
          add_error("expected string, got &value.valueUnstructured{Value:" + go_literal(value) +
                    '}');
        }
        return;
      case FieldType::kMessage:
      case FieldType::kRaw:
      case FieldType::kSchemaOrArray:
      case FieldType::kSchemaOrBool:
      case FieldType::kSchemaOrStrings:
        return;
      default:
        if (container) add_error("expected scalar, got " + to_text(value));
        return;
    }
  }

  /// The value as Go's %#v prints it.
  static std::string go_literal(const Json& value) {
    std::string inner;
    for (const Json& each : value.items()) inner += (inner.empty() ? "" : ", ") + go_literal(each);
    for (const auto& [name, each] : value.members()) {
      inner += (inner.empty() ? "" : ", ") + to_text(Json(name)) + ':' + go_literal(each);
    }
    const bool container = value.is_array() || value.is_object();
    return container ? std::string(go_type(value)) + '{' + inner + '}' : to_text(value);
  }

  static const char* go_type(const Json& value) {
    if (value.is_boolean()) return "bool";
    return value.is_array() ? "[]interface {}" : "map[string]interface {}";
  }

  void members(const Json& value, const ValueType& type, Level level, FieldSet& out) {
    out.children.reserve(value.size());
    for (const auto& [name, each] : value.members()) {
      if (level != Level::kInner && skipped(name, level)) continue;
      const MemberType known = member_type(type, name, level);
      const std::size_t before = path_.size();
      if (problems_ != nullptr) path_ += '.' + name;
      if (!known.declared && problems_ != nullptr) {
        add_error("field not declared in schema");
        return;  // Upstream looks no further, either.
      }
      if (problems_ != nullptr) check_member(each, type, name);
      FieldSet inner = fields(each, known.type, level_below(name, level));
      // A key of a map belongs to its writer; a field does so only when nothing is in it.
      if (!known.named || each.is_null() || (each.is_object() && each.size() == 0)) {
        inner.member = true;
      }
      out.append("f:" + name, std::move(inner));
      path_.resize(before);
    }
    out.sort();
  }

  void check_member(const Json& value, const ValueType& type, std::string_view name) {
    if (type.form == Form::kMap && type.field != nullptr) check_scalar(value, *type.field);
    if (type.form != Form::kStruct) return;
    const Field* field = find_field(*type.message, name);
    if (field != nullptr && field->shape == FieldShape::kOne) check_scalar(value, *field);
  }

  void elements(const Json& value, const ValueType& type, FieldSet& out) {
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      const Json& each = value.items()[i];
      if (problems_ != nullptr) {
        if (const std::string fault = element_fault(type, each); !fault.empty()) {
          add_error("element " + std::to_string(i) + ": " + fault);
          return;  // Upstream looks no further, either.
        }
      }
      std::optional<std::string> key = element_key(type, each);
      if (!key) key = "i:" + std::to_string(i);
      const bool fresh = seen.insert(*key).second;
      FieldSet named;
      named.append(*key, FieldSet{true, {}});
      const std::size_t before = path_.size();
      if (problems_ != nullptr) {
        const std::string text = path_texts(named).front();
        if (!fresh) add_error("duplicate entries for key " + text);
        path_ += text;
        if (type.form == Form::kSet) check_scalar(each, *type.field);
      }
      FieldSet inner = fields(each, type.element(), Level::kInner);
      inner.member = true;
      if (fresh) out.append(std::move(*key), std::move(inner));
      path_.resize(before);
    }
    out.sort();
  }

  /// Why a value is no element of the list; empty: it is one.
  static std::string element_fault(const ValueType& type, const Json& element) {
    if (type.form == Form::kSet) {
      if (element.is_object())
        return "associative list without keys has an element that's a map type";
      if (element.is_array()) return "not supported: associative list with lists as elements";
      if (!element.is_null()) return "";
      return "associative list without keys has an element that's an explicit null";
    }
    if (element.is_null()) return "associative list with keys may not have a null element";
    if (!element.is_object()) return "associative list with keys may not have non-map elements";
    if (element_key(type, element)) return "";
    std::string keys;
    for (const std::string& each : type.field->apply_keys) {
      keys += (keys.empty() ? "" : " ") + to_text(Json(each));
    }
    return "associative list with keys has an element that omits all key fields [" + keys +
           "] (and doesn't have default values for any key fields)";
  }

  [[nodiscard]] bool skipped(std::string_view name, Level level) const {
    if (never_tracked(name, level)) return true;
    return level == Level::kObject && std::find(reset_.begin(), reset_.end(), name) != reset_.end();
  }

  const ResetFields& reset_;
  std::vector<std::string>* problems_;
  std::string path_;
};

FieldSet named(const FieldSet& set, const ValueType& type, Level level) {
  FieldSet out;
  out.member = set.member;
  out.children.reserve(set.children.size());
  for (const FieldChild& each : set.children) {
    const bool field = each.key.starts_with("f:");
    const std::string_view name = std::string_view(each.key).substr(2);
    const MemberType known =
        field ? member_type(type, name, level) : MemberType{.type = type.element()};
    FieldSet inner = named(each.set, known.type, field ? level_below(name, level) : Level::kInner);
    if (field && known.named) inner.member = true;
    out.append(each.key, std::move(inner));
  }
  return out;
}

}  // namespace

FieldSet fields_of(const Json& object, const Message* schema, const ResetFields& reset,
                   std::vector<std::string>* problems) {
  FieldSet out =
      FieldWalk(reset, problems).fields(object, ValueType::of_object(schema), Level::kObject);
  out.member = false;
  return out;
}

std::string joined_problems(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return problems.front();
  std::string out = "errors:";
  for (const std::string& each : problems) out += "\n  " + each;
  return out;
}

FieldSet with_named_fields(const FieldSet& set, const Message* schema) {
  return named(set, ValueType::of_object(schema), Level::kObject);
}

}  // namespace davit
