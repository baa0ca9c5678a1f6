#include "cli/codegen/schema_reader.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/codegen/field_paths.hpp"
#include "cli/codegen/identifiers.hpp"
#include "cli/codegen/schema_checks.hpp"

namespace davit::host::codegen {
namespace {

/// Objects inside objects. Built-in kinds need 15; more is a mistake in a schema.
constexpr std::size_t kDepthMax = 48;
/// Types of one group and version. Pods with all they contain have 200.
constexpr std::size_t kTypesMax = 4000;

/// Types of k8s.io/apimachinery with a form of their own in JSON, by the end of their name.
TypeKind special_type(std::string_view reference) {
  const std::pair<std::string_view, TypeKind> kSpecial[] = {
      {".meta.v1.Time", TypeKind::kTime},
      {".meta.v1.MicroTime", TypeKind::kTime},
      {".meta.v1.Duration", TypeKind::kDuration},
      {".meta.v1.ObjectMeta", TypeKind::kMetadata},
      {".api.resource.Quantity", TypeKind::kQuantity},
      {".util.intstr.IntOrString", TypeKind::kIntOrString},
  };
  for (const auto& [suffix, kind] : kSpecial) {
    if (reference.ends_with(suffix)) return kind;
  }
  return TypeKind::kAny;
}

/// The position of a schema.
struct Place {
  std::string path;  ///< The field: "spec.ports[].name".
  std::string name;  ///< The name of a type of this schema.
  std::size_t depth = 0;
};

/// Whether `path` is `above` or inside it.
bool is_within(std::string_view path, std::string_view above) {
  if (!path.starts_with(above)) return false;
  return path.size() == above.size() || path[above.size()] == '.' || path[above.size()] == '[';
}

/// Reads the kinds of one group and version into its module.
class ModuleReader {
 public:
  ModuleReader(Module& module, const Selection& selection, std::set<std::string>& used,
               std::vector<Mistake>& mistakes)
      : module_(module), selection_(selection), used_(used), mistakes_(mistakes) {}

  void read(const std::vector<Definition>& definitions) {
    // Kinds get their names first, so that no part of another kind takes one.
    for (const Definition& each : definitions) names_.push_back(claim(pascal_case(each.kind)));
    for (std::size_t i = 0; i < definitions.size(); ++i) read_kind(definitions[i], names_[i]);
    put_in_order();
    if (!mistakes_.empty()) return;  // The types may lack what is wrong.
    for (KindType& kind : module_.kinds) {
      const Result<std::vector<std::string>> paths = field_paths(module_, kind.root);
      if (paths) {
        kind.paths = *paths;
      } else {
        mistakes_.push_back({file_, 0, 0, kind.kind + ": " + paths.error().message()});
      }
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// A name that is free, also with "Draft" behind it.
  std::string claim(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; type_names_.contains(name) || type_names_.contains(name + "Draft");
         ++number) {
      name = wanted + std::to_string(number);
    }
    type_names_.insert(name);
    type_names_.insert(name + "Draft");
    return name;
  }

  void mistake(const YamlNode& at, const Place& place, const std::string& text) {
    const std::string path = place.path.empty() ? "the schema" : place.path;
    mistakes_.push_back({file_, at.line, at.column, path + ": " + text});
  }

  void read_kind(const Definition& definition, const std::string& name) {
    file_ = definition.file;
    components_ = definition.components;
    KindType kind{definition.group,
                  definition.version,
                  definition.plural,
                  definition.kind,
                  0,
                  definition.has_status_subresource,
                  {}};
    const Place place{"", name, 0};
    if (!check(*definition.schema, place)) return;
    kind.root = add_object(*definition.schema, place);
    // These belong to every object; the SDK has them.
    std::erase_if(module_.objects[kind.root].properties, [](const Property& each) {
      return each.json == "apiVersion" || each.json == "kind" || each.json == "metadata";
    });
    module_.kinds.push_back(std::move(kind));
  }

  bool check(const YamlNode& schema, const Place& place) {
    const Strictness strictness =
        components_ == nullptr ? Strictness::kStructural : Strictness::kOpenApi;
    const std::optional<SchemaMistake> found = check_schema(schema, strictness);
    if (found) mistake(*found->at, place, found->text);
    return !found;
  }

  /// Whether everything below the field is read.
  [[nodiscard]] bool is_whole(const std::string& path) const {
    return selection_.only.empty() ||
           std::ranges::any_of(selection_.only,
                               [&path](const std::string& each) { return is_within(path, each); });
  }
  /// Whether the field, or something below it, is read.
  [[nodiscard]] bool is_selected(const std::string& path) {
    for (const std::string& each : selection_.only) {
      if (each == path) used_.insert(path);
    }
    return is_whole(path) || std::ranges::any_of(selection_.only, [&path](const std::string& each) {
             return is_within(each, path);
           });
  }

  Type type_of(const YamlNode& schema, const Place& place) {
    const std::vector<std::string>& opaque = selection_.opaque;
    if (std::ranges::find(opaque, place.path) != opaque.end()) {
      used_.insert(place.path);
      return {};
    }
    if (place.depth > kDepthMax || module_.objects.size() + module_.enums.size() > kTypesMax) {
      if (!std::exchange(too_large_, true)) {
        mistake(schema, place,
                "the schema is too large or too deep (more than " + std::to_string(kTypesMax) +
                    " types or " + std::to_string(kDepthMax) +
                    " levels); leave a part untyped with --opaque PATH");
      }
      return {};
    }
    if (!check(schema, place)) return {};
    if (const YamlNode* reference = reference_of(schema)) return referred_type(*reference, place);
    if (is_true(schema, "x-kubernetes-int-or-string")) return {.kind = int_or_string(schema)};
    if (is_true(schema, "x-kubernetes-embedded-resource")) return {};
    const std::string type = schema_type(schema);
    if (type == "string") return string_type(schema, place);
    if (type == "integer") return {.kind = TypeKind::kInteger};
    if (type == "number") return {.kind = TypeKind::kNumber};
    if (type == "boolean") return {.kind = TypeKind::kBoolean};
    if (type == "array") return list_type(schema, place);
    if (type == "object") return object_type(schema, place);
    return {};
  }

  /// Quantities are int-or-string with the pattern that controller-gen gives them.
  static TypeKind int_or_string(const YamlNode& schema) {
    const YamlNode* pattern = schema.find("pattern");
    return pattern != nullptr && pattern->text.starts_with(R"(^(\+|-)?(([0-9]+)")
               ? TypeKind::kQuantity
               : TypeKind::kIntOrString;
  }

  Type string_type(const YamlNode& schema, const Place& place) {
    const YamlNode* format = schema.find("format");
    if (format != nullptr && format->text == "date-time") return {.kind = TypeKind::kTime};
    if (format != nullptr && format->text == "duration") return {.kind = TypeKind::kDuration};
    if (format != nullptr && format->text == "quantity") return {.kind = TypeKind::kQuantity};
    if (format != nullptr && format->text == "int-or-string") {
      return {.kind = TypeKind::kIntOrString};
    }
    const YamlNode* values = schema.find("enum");
    if (values == nullptr) return {.kind = TypeKind::kText};
    EnumType made{claim(place.name), description_of(schema), {}};
    for (const YamlNode& each : values->items) {
      if (!each.is_null()) made.values.push_back(each.text);
    }
    module_.enums.push_back(std::move(made));
    return {.kind = TypeKind::kEnum, .target = module_.enums.size() - 1};
  }

  Type list_type(const YamlNode& schema, const Place& place) {
    const YamlNode* items = schema.find("items");
    if (items == nullptr) return {};
    Type list{.kind = TypeKind::kList};
    const YamlNode* list_type = schema.find("x-kubernetes-list-type");
    const std::string how = list_type != nullptr ? list_type->text : "";
    list.unordered = how == "map" || how == "set";
    const bool conditions = place.path == "conditions" || place.path.ends_with(".conditions");
    if (conditions && is_condition(*items)) {
      list.kind = TypeKind::kConditions;
      return list;
    }
    if (const YamlNode* keys = schema.find("x-kubernetes-list-map-keys"); how == "map" && keys) {
      for (const YamlNode& each : keys->items) list.keys.push_back(each.text);
    }
    list.element.push_back(
        type_of(*items, {place.path + "[]", place.name + "Item", place.depth + 1}));
    return list;
  }

  [[nodiscard]] bool is_condition(const YamlNode& items) const {
    const YamlNode* schema = &items;
    if (const YamlNode* reference = reference_of(items)) schema = component(reference->text);
    const YamlNode* properties = schema != nullptr ? schema->find("properties") : nullptr;
    return properties != nullptr && properties->find("type") != nullptr &&
           properties->find("status") != nullptr;
  }

  Type object_type(const YamlNode& schema, const Place& place) {
    const YamlNode* properties = schema.find("properties");
    const bool empty = properties == nullptr || properties->members.empty();
    const bool like_metadata =
        empty || (properties->find("labels") != nullptr && properties->find("annotations"));
    if (place.path.ends_with(".metadata") && like_metadata) return {.kind = TypeKind::kMetadata};
    if (!empty) return {.kind = TypeKind::kObject, .target = add_object(schema, place)};
    const YamlNode* values = schema.find("additionalProperties");
    if (values == nullptr || values->kind != YamlNode::Kind::kMapping || values->members.empty()) {
      return {};
    }
    Type map{.kind = TypeKind::kMap};
    map.element.push_back(
        type_of(*values, {place.path + "[]", place.name + "Value", place.depth + 1}));
    return map;
  }

  std::size_t add_object(const YamlNode& schema, const Place& place) {
    const std::size_t index = module_.objects.size();
    const bool is_kind = place.path.empty();
    module_.objects.push_back({is_kind ? place.name : claim(place.name),
                               description_of(schema),
                               is_true(schema, "x-kubernetes-preserve-unknown-fields"),
                               {}});
    fill_object(schema, place, index);
    return index;
  }

  /// Reads the properties; the object may be referred to before.
  void fill_object(const YamlNode& schema, const Place& place, std::size_t index) {
    const YamlNode* properties = schema.find("properties");
    if (properties != nullptr) {
      const std::string parent = module_.objects[index].name;
      for (const YamlMember& each : properties->members) {
        const bool of_every_kind = place.path.empty() && each.key == "metadata";
        if (of_every_kind) continue;
        Property property{each.key, description_of(each.value), {}, false, {}};
        const std::string path = place.path.empty() ? each.key : place.path + "." + each.key;
        if (!is_selected(path)) continue;
        property.type =
            type_of(each.value, {path, parent + pascal_case(each.key), place.depth + 1});
        property.required = lists(schema, "required", each.key);
        property.fallback = default_of(each.value);
        module_.objects[index].properties.push_back(std::move(property));
      }
    }
    order_.push_back(index);
  }

  // ---- References -------------------------------------------------------------------------------

  [[nodiscard]] const YamlNode* component(const std::string& reference) const {
    constexpr std::string_view kPrefix = "#/components/schemas/";
    if (components_ == nullptr || !reference.starts_with(kPrefix)) return nullptr;
    return components_->find(reference.substr(kPrefix.size()));
  }

  Type referred_type(const YamlNode& reference, const Place& place) {
    const std::string& text = reference.text;
    if (const TypeKind kind = special_type(text); kind != TypeKind::kAny) return {.kind = kind};
    // A type that is read in part has other fields at other places.
    const std::string memory = is_whole(place.path) ? text : text + " at " + place.path;
    if (const auto known = referred_.find(memory); known != referred_.end()) {
      if (known->second) return *known->second;
      mistake(reference, place, "$ref " + text + " leads back to itself without an object between");
      return {};
    }
    const YamlNode* schema = component(text);
    if (schema == nullptr) {
      mistake(reference, place, "$ref " + text + " leads to no schema of this document");
      return {};
    }
    Place target = place;
    target.name = pascal_case(text.substr(text.find_last_of("./") + 1));
    const YamlNode* properties = schema->find("properties");
    const bool has_properties = properties != nullptr && !properties->members.empty();
    if (has_properties && check(*schema, target)) {
      // Known before its properties are read: they may refer to it.
      const std::size_t index = module_.objects.size();
      module_.objects.push_back({claim(target.name),
                                 description_of(*schema),
                                 is_true(*schema, "x-kubernetes-preserve-unknown-fields"),
                                 {}});
      referred_[memory] = Type{.kind = TypeKind::kObject, .target = index};
      fill_object(*schema, target, index);
      return *referred_[memory];
    }
    referred_[memory] = std::nullopt;
    referred_[memory] = type_of(*schema, target);
    return *referred_[memory];
  }

  // ---- Order ------------------------------------------------------------------------------------

  /// Sorts the objects by when they were complete: what an object contains comes before it.
  void put_in_order() {
    std::vector<std::size_t> position(module_.objects.size(), 0);
    std::vector<ObjectType> sorted;
    for (const std::size_t each : order_) {
      position[each] = sorted.size();
      sorted.push_back(std::move(module_.objects[each]));
    }
    module_.objects = std::move(sorted);
    for (ObjectType& object : module_.objects) {
      for (Property& property : object.properties) renumber(property.type, position);
    }
    for (KindType& kind : module_.kinds) kind.root = position[kind.root];
  }
  static void renumber(Type& type, const std::vector<std::size_t>& position) {
    if (type.kind == TypeKind::kObject) type.target = position[type.target];
    for (Type& element : type.element) renumber(element, position);
  }

  Module& module_;
  const Selection& selection_;
  std::set<std::string>& used_;  // The paths of the selection that a kind has.
  std::vector<Mistake>& mistakes_;

  std::string file_;                      // The kind that is read is from it.
  const YamlNode* components_ = nullptr;  // Likewise.
  std::vector<std::string> names_;
  std::set<std::string> type_names_;
  std::vector<std::size_t> order_;  // Objects by completion.
  std::map<std::string, std::optional<Type>>
      referred_;  // Keyed by $ref, and place if it is not whole; nothing: being read.
  bool too_large_ = false;
};

auto order_of(const Definition& each) { return std::tie(each.group, each.version, each.kind); }

}  // namespace

Modules read_schemas(std::vector<Definition> definitions, const Selection& selection) {
  Modules out;
  std::ranges::stable_sort(definitions,
                           [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  for (std::size_t i = 1; i < definitions.size(); ++i) {
    if (order_of(definitions[i - 1]) != order_of(definitions[i])) continue;
    out.mistakes.push_back(
        {definitions[i].file, definitions[i].schema->line, definitions[i].schema->column,
         definitions[i].kind + " of " + definitions[i].group + "/" + definitions[i].version +
             " is defined twice, also in " + definitions[i - 1].file});
    return out;
  }
  std::set<std::string> used;
  for (std::size_t begin = 0; begin < definitions.size();) {
    std::size_t end = begin;
    while (end < definitions.size() && definitions[end].group == definitions[begin].group &&
           definitions[end].version == definitions[begin].version) {
      ++end;
    }
    Module module{definitions[begin].group, definitions[begin].version, {}, {}, {}};
    ModuleReader reader(module, selection, used, out.mistakes);
    reader.read({definitions.begin() + static_cast<std::ptrdiff_t>(begin),
                 definitions.begin() + static_cast<std::ptrdiff_t>(end)});
    out.modules.push_back(std::move(module));
    begin = end;
  }
  if (!out.mistakes.empty()) return out;
  const auto report_unused = [&](const std::string& flag, const std::vector<std::string>& paths) {
    for (const std::string& each : paths) {
      if (used.contains(each)) continue;
      out.mistakes.push_back({flag + each, 0, 0,
                              "no kind has this field; a path looks like spec.template or "
                              "spec.ports[].name"});
    }
  };
  report_unused("--opaque ", selection.opaque);
  report_unused("--only ", selection.only);
  return out;
}

}  // namespace davit::host::codegen
