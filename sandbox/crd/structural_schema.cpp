#include "sandbox/crd/structural_schema.hpp"

#include <algorithm>
#include <utility>

namespace davit::sandbox {

namespace {

constexpr std::size_t kNodesMax = 20'000;  // Some published definitions have about 10,000.

class SchemaCompiler {
 public:
  std::unique_ptr<SchemaNode> compile(const Json& json) {
    auto node = std::make_unique<SchemaNode>();
    if (++nodes_ > kNodesMax) error_ = "the schema is too large";
    if (!error_.empty()) return node;
    structure(json, *node);
    lists(json, *node);
    limits(json, *node);
    combinations(json, *node);
    return node;
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  static bool flag(const Json& json, std::string_view name) { return json.get(name).boolean(); }

  static std::vector<std::string> texts(const Json& list) {
    std::vector<std::string> out;
    for (const Json& each : list.items()) out.push_back(each.text());
    return out;
  }

  void structure(const Json& json, SchemaNode& node) {
    node.type = json.text_at({"type"});
    node.nullable = flag(json, "nullable");
    node.preserve_unknown = flag(json, "x-kubernetes-preserve-unknown-fields");
    node.int_or_string = flag(json, "x-kubernetes-int-or-string");
    node.embedded_resource = flag(json, "x-kubernetes-embedded-resource");
    for (const auto& [name, value] : json.get("properties").members()) {
      node.properties.push_back({name, compile(value)});
    }
    std::sort(node.properties.begin(), node.properties.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    if (const Json& items = json.get("items"); items.is_object()) node.items = compile(items);
    const Json& additional = json.get("additionalProperties");
    if (additional.is_object()) node.additional = compile(additional);
    node.any_additional = additional.boolean();
    if (const Json* fallback = json.find("default")) {
      if (!fallback->is_null() || node.nullable) node.fallback = *fallback;
    }
  }

  static void lists(const Json& json, SchemaNode& node) {
    node.list_type = json.text_at({"x-kubernetes-list-type"});
    node.list_keys = texts(json.get("x-kubernetes-list-map-keys"));
    node.map_type = json.text_at({"x-kubernetes-map-type"});
  }

  static std::optional<NumberLimit> limit(const Json& json, const char* name,
                                          const char* exclusive) {
    const Json* found = json.find(name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    return NumberLimit{found->text(), number_value(*found), flag(json, exclusive)};
  }
  static std::optional<std::size_t> count(const Json& json, std::string_view name) {
    const auto value = json.get(name).integer();
    if (!value || *value < 0) return std::nullopt;
    return static_cast<std::size_t>(*value);
  }

  void limits(const Json& json, SchemaNode& node) {
    node.required = texts(json.get("required"));
    node.allowed = json.get("enum").items();
    node.format = json.text_at({"format"});
    node.minimum = limit(json, "minimum", "exclusiveMinimum");
    node.maximum = limit(json, "maximum", "exclusiveMaximum");
    node.multiple_of = limit(json, "multipleOf", "");
    node.length_min = count(json, "minLength");
    node.length_max = count(json, "maxLength");
    node.items_min = count(json, "minItems");
    node.items_max = count(json, "maxItems");
    node.members_min = count(json, "minProperties");
    node.members_max = count(json, "maxProperties");
    node.unique_items = flag(json, "uniqueItems");
    node.pattern_text = json.text_at({"pattern"});
    if (node.pattern_text.empty()) return;
    Result<Pattern> pattern = Pattern::compile(node.pattern_text);
    if (pattern) {
      node.pattern = std::move(*pattern);
    } else {
      error_ = pattern.error().message();
    }
  }

  void combinations(const Json& json, SchemaNode& node) {
    const auto all = [this](const Json& list, std::vector<std::unique_ptr<SchemaNode>>& out) {
      for (const Json& each : list.items()) out.push_back(compile(each));
    };
    all(json.get("allOf"), node.all_of);
    all(json.get("anyOf"), node.any_of);
    all(json.get("oneOf"), node.one_of);
    if (const Json* negated = json.find("not")) node.negated = compile(*negated);
  }

  std::size_t nodes_ = 0;
  std::string error_;
};

void prune_value(Json& value, const SchemaNode* node, std::string& path, FieldFindings& findings);

/// Members that belong to an object as such, whatever its schema says.
bool is_type_meta(const SchemaNode& node, std::string_view name, bool root) {
  return (root || node.embedded_resource) &&
         (name == "apiVersion" || name == "kind" || name == "metadata");
}

void prune_members(Json& object, const SchemaNode& node, std::string& path,
                   FieldFindings& findings) {
  const std::size_t parent = path.size();
  const bool root = parent == 0;
  const auto is_unknown = [&](const Json::Member& each) {
    return !is_type_meta(node, each.key, root) && node.member(each.key) == nullptr &&
           !node.preserve_unknown && !node.any_additional;
  };
  // The original names them by key, whatever their order in the body.
  std::vector<Json::Member*> members;
  for (Json::Member& each : object.make_object()) members.push_back(&each);
  std::ranges::sort(members, {}, [](const Json::Member* each) { return each->key; });
  for (Json::Member* each : members) {
    if (is_type_meta(node, each->key, root)) continue;
    const SchemaNode* known = node.member(each->key);
    if (!root) path += '.';
    path += each->key;
    if (known != nullptr) {
      prune_value(each->value, known, path, findings);
    } else if (is_unknown(*each)) {
      findings.unknown.push_back(path);
    }
    path.resize(parent);
  }
  std::erase_if(object.make_object(), is_unknown);
}

void prune_value(Json& value, const SchemaNode* node, std::string& path, FieldFindings& findings) {
  if (value.is_object()) return prune_members(value, *node, path, findings);
  if (!value.is_array() || node->items == nullptr) return;
  const std::size_t parent = path.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    path += '[' + std::to_string(i) + ']';
    prune_value(value.make_array()[i], node->items.get(), path, findings);
    path.resize(parent);
  }
}

bool unwanted_null(const Json& value, const SchemaNode& node) {
  return value.is_null() && !node.nullable;
}

}  // namespace

Result<std::unique_ptr<const SchemaNode>> compile_schema(const Json& schema) {
  SchemaCompiler compiler;
  std::unique_ptr<const SchemaNode> root = compiler.compile(schema);
  if (!compiler.error().empty()) return Status(Code::kInvalid, compiler.error());
  return root;
}

void prune(Json& object, const SchemaNode& schema, FieldFindings& findings) {
  std::string path;
  prune_value(object, &schema, path, findings);
}

void fill_defaults(Json& value, const SchemaNode& schema) {
  if (value.is_object()) {
    std::erase_if(value.make_object(), [&](const Json::Member& each) {
      const SchemaNode* known = schema.member(each.key);
      return known != nullptr && unwanted_null(each.value, *known);
    });
    for (const SchemaNode::Property& each : schema.properties) {
      if (each.node->fallback && !value.contains(each.name)) {
        value.set(each.name, *each.node->fallback);
      }
    }
    for (Json::Member& each : value.make_object()) {
      if (const SchemaNode* known = schema.member(each.key)) fill_defaults(each.value, *known);
    }
  } else if (value.is_array() && schema.items != nullptr) {
    for (Json& each : value.make_array()) {
      if (unwanted_null(each, *schema.items) && schema.items->fallback) {
        each = *schema.items->fallback;
      }
      fill_defaults(each, *schema.items);
    }
  }
}

}  // namespace davit::sandbox
