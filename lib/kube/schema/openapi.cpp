#include <algorithm>
#include <davit/kube/group_version.hpp>
#include <map>
#include <set>

#include "lib/base/assert.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/schema/build.hpp"
#include "lib/kube/schema/describe.hpp"
#include "lib/kube/schema/packages.hpp"
#include "lib/kube/schema/required_facts.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/kube/schema/value_facts.hpp"

namespace davit {

namespace {

constexpr std::string_view kReference = "#/components/schemas/";
constexpr std::string_view kQuantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity";
constexpr std::string_view kIntOrStringName = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
constexpr std::string_view kMetaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";

const Package* package_of(const Message& message) {
  const std::string_view name = message.name;
  for (const Package& package : packages()) {
    if (package.name == name.substr(0, name.rfind('.'))) return &package;
  }
  return nullptr;
}

std::string_view type_name(const Message& message) {
  return std::string_view(message.name).substr(message.name.rfind('.') + 1);
}

/// "core.v1.PodSpec" as OpenAPI calls it: "io.k8s.api.core.v1.PodSpec".
std::string openapi_name(const Message& message) {
  return std::string(package_of(message)->openapi) + '.' + std::string(type_name(message));
}

Json kind_of(std::string_view api_version, std::string_view kind) {
  const auto [group, version] = split_api_version(api_version);
  return Json::object({{"group", group}, {"version", version}, {"kind", kind}});
}

using RequiredFields = std::map<std::string_view, std::vector<std::string_view>>;

std::string_view take_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(" \n"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \n", begin), rest.size());
  const std::string_view out = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return out;
}

/// Keys are names of messages.
RequiredFields read_required_fields() {
  RequiredFields out;
  std::vector<std::string_view>* fields = nullptr;
  std::string_view rest = required_facts();
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (word.ends_with(':')) {
      fields = &out[word.substr(0, word.size() - 1)];
    } else {
      fields->push_back(word);
    }
  }
  return out;
}

Json required_of(const Message& message) {
  static const RequiredFields kFields = read_required_fields();
  Json out;
  const auto found = kFields.find(message.name);
  if (found == kFields.end()) return out;
  for (const std::string_view name : found->second) out.push_back(Json(name));
  return out;
}

const ValueFact* value_fact(const Message& message, const Field& field) {
  using Key = std::pair<std::string_view, std::string_view>;
  const auto key_of = [](const ValueFact& fact) { return Key(fact.type, fact.field); };
  const Key wanted(message.name, field.name);
  const auto found = std::ranges::lower_bound(value_facts(), wanted, {}, key_of);
  const bool is_there = found != value_facts().end() && key_of(*found) == wanted;
  return is_there ? &*found : nullptr;
}

/// The default of a field without a fact of it: a value that Go always writes has its zero. Null:
/// none.
Json implied_default(const Field& field) {
  if (!field.always || field.pointer || field.shape != FieldShape::kOne) return {};
  switch (field.type) {
    case FieldType::kString:
      return Json("");
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kDouble:
      return Json(0);
    case FieldType::kBoolean:
      return Json(false);
    case FieldType::kMessage:
      return Json::object();
    default:
      return {};
  }
}

Json default_of(const Field& field, const ValueFact* fact) {
  if (fact == nullptr || fact->default_value.empty()) return implied_default(field);
  Result<Json> out = parse_json(fact->default_value);
  DAVIT_ASSERT(out);
  return std::move(*out);
}

Json reference(std::string_view name) {
  // v3 allows nothing beside $ref, so it is wrapped, as upstream does.
  return Json::object(
      {{"allOf",
        Json::array({Json::object({{"$ref", std::string(kReference) + std::string(name)}})})}});
}

Json typed(std::string_view type, std::string_view format = "") {
  Json out = Json::object({{"type", type}});
  if (!format.empty()) out["format"] = format;
  return out;
}

/// The schemas of a group version's kinds and of all that they refer to.
class Collector {
 public:
  Collector(std::string_view api_version, const Descriptions& descriptions)
      : api_version_(api_version), descriptions_(descriptions) {}

  void add(const Message& message) {
    const std::string name = openapi_name(message);
    if (!seen_.insert(name).second) return;
    schemas_[name] = Json::object();  // Its place comes before those that it refers to.
    Json schema = typed("object");
    if (std::string text = descriptions_.of(message); !text.empty()) {
      schema["description"] = std::move(text);
    }
    for (const Field& field : message.fields) {
      Json property = property_of(field);
      add_value_facts(property, field, value_fact(message, field));
      if (std::string text = descriptions_.of(message, field); !text.empty()) {
        property["description"] = std::move(text);
      }
      schema["properties"][field.name] = std::move(property);
    }
    if (Json required = required_of(message); required.is_array()) {
      schema["required"] = std::move(required);
    }
    if (message.apply == ApplyType::kAtomic) schema["x-kubernetes-map-type"] = "atomic";
    if (message.has_kind()) {
      // Options belong to no group: they are the kinds of every one.
      const std::string_view own = package_of(message)->api_version;
      schema["x-kubernetes-group-version-kind"] =
          Json::array({kind_of(own.empty() ? api_version_ : own, type_name(message))});
    }
    schemas_[name] = std::move(schema);
  }
  [[nodiscard]] Json take() { return std::move(schemas_); }

 private:
  Json property_of(const Field& field) {
    Json out;
    switch (field.shape) {
      case FieldShape::kOne:
        out = value(field);
        break;
      case FieldShape::kList:
        out = typed("array");
        out["items"] = value(field);
        break;
      case FieldShape::kMap:
        out = typed("object");
        out["additionalProperties"] = value(field);
        break;
    }
    add_merge_facts(out, field);
    return out;
  }

  /// The default of the field, and the texts that are its values or its items.
  static void add_value_facts(Json& out, const Field& field, const ValueFact* fact) {
    if (Json value = default_of(field, fact); !value.is_null()) out["default"] = std::move(value);
    if (fact == nullptr || fact->allowed.empty()) return;
    Json& texts = field.shape == FieldShape::kOne ? out["enum"] : out["items"]["enum"];
    for (std::string_view rest = fact->allowed; !rest.empty();) {
      texts.push_back(Json(take_until(rest, "|")));
    }
  }

  /// The words that strategic merge patches and server-side apply go by.
  static void add_merge_facts(Json& out, const Field& field) {
    if (!field.merge_key.empty()) out["x-kubernetes-patch-merge-key"] = field.merge_key;
    std::string strategy;
    if (!field.merge_key.empty() || field.merge_primitives) strategy = "merge";
    if (field.replace) strategy = "replace";
    if (field.retain_keys) strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
    if (!strategy.empty()) out["x-kubernetes-patch-strategy"] = strategy;
    if (field.shape == FieldShape::kList) {
      const bool keyed = field.apply == ApplyType::kMap;
      const bool set = field.apply == ApplyType::kSet;
      out["x-kubernetes-list-type"] = keyed ? "map" : set ? "set" : "atomic";
      for (const std::string& key : field.apply_keys) {
        out["x-kubernetes-list-map-keys"].push_back(Json(key));
      }
    } else if (field.apply != ApplyType::kDefault) {
      const bool atomic = field.apply == ApplyType::kAtomic;
      out["x-kubernetes-map-type"] = atomic ? "atomic" : "granular";
    }
  }

  Json named(std::string_view name, Json schema) {
    if (seen_.insert(std::string(name)).second) schemas_[name] = std::move(schema);
    return reference(name);
  }

  Json value(const Field& field) {
    switch (field.type) {
      case FieldType::kString:
        return typed("string");
      case FieldType::kInt32:
        return typed("integer", "int32");
      case FieldType::kInt64:
        return typed("integer", "int64");
      case FieldType::kBoolean:
        return typed("boolean");
      case FieldType::kBytes:
        return typed("string", "byte");
      case FieldType::kMessage:
        add(*field.message);
        return reference(openapi_name(*field.message));
      case FieldType::kTime:
        return named(std::string(kMetaPrefix) + "Time", typed("string", "date-time"));
      case FieldType::kMicroTime:
        return named(std::string(kMetaPrefix) + "MicroTime", typed("string", "date-time"));
      case FieldType::kQuantity:
        return named(kQuantityName, typed("string"));
      case FieldType::kIntOrString:
        return named(kIntOrStringName, typed("string", "int-or-string"));
      case FieldType::kDouble:
        return typed("number", "double");
      case FieldType::kRaw:  // The default of a schema may be a text.
      case FieldType::kSchemaOrArray:
      case FieldType::kSchemaOrBool:
      case FieldType::kSchemaOrStrings:
        return Json::object();  // One word cannot name the types.
      case FieldType::kStrings:
        break;
    }
    Json strings = typed("array");
    strings["items"] = typed("string");
    return strings;
  }

  std::string_view api_version_;
  const Descriptions& descriptions_;
  std::set<std::string> seen_;
  Json schemas_ = Json::object();
};

}  // namespace

Json openapi_schemas(std::string_view api_version, const Descriptions& descriptions) {
  Collector out(api_version, descriptions);
  out.add(object_meta_schema());  // Custom resources refer to it.
  for (const auto& message : schemas().all()) {
    if (message->has_kind() && find_schema(api_version, type_name(*message)) == message.get()) {
      out.add(*message);
    }
  }
  return out.take();
}

}  // namespace davit
