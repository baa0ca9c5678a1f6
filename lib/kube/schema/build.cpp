#include "lib/kube/schema/build.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

#include "lib/base/assert.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/kube/schema/merge_facts.hpp"
#include "lib/kube/schema/packages.hpp"

namespace davit {

namespace {

constexpr std::size_t kFieldsMax = 64;  // Message::always has a bit for each.

struct Scalar {
  std::string_view name;
  FieldType type;
};
constexpr Scalar kScalars[] = {
    {"s", FieldType::kString},
    {"i", FieldType::kInt32},
    {"l", FieldType::kInt64},
    {"b", FieldType::kBoolean},
    {"y", FieldType::kBytes},
    {"Time", FieldType::kTime},
    {"MicroTime", FieldType::kMicroTime},
    {"Quantity", FieldType::kQuantity},
    {"IntOrString", FieldType::kIntOrString},
    {"RawExtension", FieldType::kRaw},
    {"FieldsV1", FieldType::kRaw},
    {"JSON", FieldType::kRaw},
    {"ExtraValue", FieldType::kStrings},
    {"d", FieldType::kDouble},
    {"SchemaOrArray", FieldType::kSchemaOrArray},
    {"SchemaOrBool", FieldType::kSchemaOrBool},
    {"SchemaOrStrings", FieldType::kSchemaOrStrings},
};
/// Kinds without a list of their own that a client may send.
constexpr std::string_view kOptionKinds[] = {"CreateOptions", "DeleteOptions"};
/// Types with metadata that are not kinds.
constexpr std::string_view kTemplates[] = {"PodTemplateSpec", "JobTemplateSpec",
                                           "PersistentVolumeClaimTemplate",
                                           "ResourceClaimTemplateSpec"};

std::string_view without_space(std::string_view text) { return trimmed(text, " \n"); }

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::string_view short_name(const Message& message) {
  return std::string_view(message.name).substr(message.name.rfind('.') + 1);
}

std::size_t place_of(std::string_view name, std::size_t places) {
  if (name.empty()) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
  const std::size_t mixed =
      name.size() * 31 + byte(0) * 7u + byte(name.size() / 2) * 61u + byte(name.size() - 1) * 101u;
  return mixed & (places - 1);
}

/// A field as its message declares it, before inlining.
struct Draft {
  Field field;
  const Message* inlined = nullptr;  ///< Its members belong to the parent.
};

class Builder {
 public:
  std::vector<std::unique_ptr<Message>> build() {
    for (const Package& package : packages()) declare(package);
    for (Declared& each : declared_) parse(each);
    for (const MergeFact& fact : merge_facts()) apply(fact);
    for (Declared& each : declared_) finish(each);
    std::vector<std::unique_ptr<Message>> out;
    for (Declared& each : declared_) out.push_back(std::move(each.message));
    return out;
  }

 private:
  struct Declared {
    std::unique_ptr<Message> message;
    std::string_view package;
    std::string_view text;
    std::vector<Draft> drafts;
  };

  void declare(const Package& package) {
    std::string_view rest = without_space(package.fields());
    while (!rest.empty()) {
      std::string_view text = rest;
      std::size_t end = rest.find('\n');
      while (end != rest.npos && rest[end + 1] == ' ') end = rest.find('\n', end + 1);
      if (end != rest.npos) text = rest.substr(0, end);
      rest.remove_prefix(std::min(text.size() + 1, rest.size()));
      const std::string_view name = take_until(text, ":");
      auto message = std::make_unique<Message>();
      message->name = std::string(package.name) + '.' + std::string(name);
      message->go_name =
          std::string(package.name.substr(package.name.rfind('.') + 1)) + '.' + std::string(name);
      places_.emplace(message->name, declared_.size());
      declared_.push_back({std::move(message), package.name, text, {}});
    }
  }

  const Message* find(std::string_view package, std::string_view type) const {
    const auto dot = type.find('.');
    const std::string name =
        dot == type.npos ? std::string(package) + '.' + std::string(type)
                         : std::string(type.substr(0, dot)) + ".v1" + std::string(type.substr(dot));
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : declared_[found->second].message.get();
  }

  void parse(Declared& each) {
    std::string_view rest = each.text;
    while (!rest.empty()) {
      std::string_view text = without_space(take_until(rest, ","));
      Draft draft;
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), draft.field.number);
      DAVIT_ASSERT(error == std::errc());
      text = without_space(text.substr(static_cast<std::size_t>(end - text.data())));
      std::string_view name = take_until(text, ":");
      if (take_suffix(name, "[]")) draft.field.shape = FieldShape::kList;
      draft.field.name = name;
      draft.field.always = take_suffix(text, "!") || name == "metadata";
      draft.field.pointer = take_suffix(text, "?");
      const bool inlined = take_suffix(text, "^");
      if (text.starts_with('{')) {
        draft.field.shape = FieldShape::kMap;
        text = text.substr(1, text.size() - 2);
      }
      resolve(draft, each.package, text);
      if (inlined) draft.inlined = draft.field.message;
      DAVIT_ASSERT(!inlined || draft.inlined != nullptr);
      each.drafts.push_back(std::move(draft));
    }
  }

  void resolve(Draft& draft, std::string_view package, std::string_view type) const {
    const std::string_view bare = type.substr(type.find('.') + 1);  // The whole without a dot.
    for (const Scalar& scalar : kScalars) {
      if (scalar.name != bare) continue;
      draft.field.type = scalar.type;
      if (bare.starts_with("SchemaOr")) draft.field.message = find(package, "JSONSchemaProps");
      return;
    }
    draft.field.message = find(package, type);
    DAVIT_ASSERT(draft.field.message != nullptr);
    draft.field.type = FieldType::kMessage;
  }

  void apply(const MergeFact& fact) {
    const auto found = places_.find(fact.type);
    DAVIT_ASSERT(found != places_.end());
    Declared& each = declared_[found->second];
    if (fact.fields.empty()) {
      each.message->apply = ApplyType::kAtomic;
      return;
    }
    std::string_view names = fact.fields;
    while (!names.empty()) {
      const std::string_view name = take_until(names, " ");
      const auto draft = std::find_if(each.drafts.begin(), each.drafts.end(),
                                      [name](const Draft& one) { return one.field.name == name; });
      DAVIT_ASSERT(draft != each.drafts.end());
      apply(draft->field, fact);
    }
  }

  static void apply(Field& field, const MergeFact& fact) {
    std::string_view words = fact.strategic;
    while (!words.empty()) {
      const std::string_view word = take_until(words, " ");
      if (word == "primitives") {
        field.merge_primitives = true;
      } else if (word == "replace") {
        field.replace = true;
      } else if (word == "retainKeys") {
        field.retain_keys = true;
      } else {
        field.merge_key = word;
      }
    }
    words = fact.apply;
    const std::string_view type = take_until(words, " ");
    if (type == "atomic") field.apply = ApplyType::kAtomic;
    if (type == "set") field.apply = ApplyType::kSet;
    if (type == "granular") field.apply = ApplyType::kGranular;
    if (type == "map") field.apply = ApplyType::kMap;
    while (!words.empty()) field.apply_keys.emplace_back(take_until(words, " "));
  }

  void finish(Declared& each) {
    Message& message = *each.message;
    if (carries_kind(each)) {
      for (const std::string_view name : {"kind", "apiVersion"}) {
        message.fields.emplace_back().name = name;
      }
    }
    append_fields(message, each);
    message.fields.shrink_to_fit();  // Before `wire` points into them.
    message.wire.reserve(each.drafts.size());
    DAVIT_ASSERT(message.fields.size() <= kFieldsMax);
    for (const Draft& draft : each.drafts) {
      WireField wire{draft.field.number, nullptr, draft.inlined};
      for (const Field& field : message.fields) {
        if (draft.inlined == nullptr && field.name == draft.field.name) wire.field = &field;
      }
      message.wire.push_back(wire);
    }
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
      if (message.fields[i].always) message.always |= std::uint64_t{1} << i;
    }
    index(message);
  }

  static bool carries_kind(const Declared& each) {
    const std::string_view name = short_name(*each.message);
    const auto is_name = [name](std::string_view other) { return other == name; };
    if (std::any_of(std::begin(kOptionKinds), std::end(kOptionKinds), is_name)) return true;
    return !each.drafts.empty() && each.drafts.front().field.name == "metadata" &&
           std::none_of(std::begin(kTemplates), std::end(kTemplates), is_name);
  }

  void append_fields(Message& message, const Declared& from) const {
    for (const Draft& draft : from.drafts) {
      if (draft.inlined == nullptr) {
        message.fields.push_back(draft.field);
      } else {
        append_fields(message, declared_[places_.find(draft.inlined->name)->second]);
      }
    }
  }

  static void index(Message& message) {
    // Four places for each name keep collisions rare.
    message.places.resize(std::bit_ceil(message.fields.size() * 4 + 1));
    for (std::size_t i = 0; i < message.fields.size(); ++i) {
      std::size_t place = place_of(message.fields[i].name, message.places.size());
      while (message.places[place] != 0) place = (place + 1) & (message.places.size() - 1);
      message.places[place] = static_cast<std::uint8_t>(i + 1);
    }
  }

  std::vector<Declared> declared_;
  std::map<std::string, std::size_t, std::less<>> places_;  // In declared_, by full name.
};

}  // namespace

const Field* Message::find(std::string_view json_name) const {
  std::size_t place = place_of(json_name, places.size());
  while (places[place] != 0) {
    const Field& field = fields[places[place] - 1u];
    if (field.name == json_name) return &field;
    place = (place + 1) & (places.size() - 1);
  }
  return nullptr;
}

Schemas::Schemas() : messages_(Builder().build()) {
  for (const auto& message : messages_) by_name_.emplace(message->name, message.get());
}

const Message* Schemas::find(std::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Schemas& schemas() {
  static const Schemas kSchemas;
  return kSchemas;
}

const Message* find_schema(std::string_view api_version, std::string_view kind) {
  for (const std::string_view option : kOptionKinds) {
    if (kind == option) return schemas().find("meta.v1." + std::string(kind));
  }
  for (const Package& package : packages()) {
    if (package.api_version.empty() || package.api_version != api_version) continue;
    const Message* found = schemas().find(std::string(package.name) + '.' + std::string(kind));
    return found != nullptr && found->has_kind() ? found : nullptr;
  }
  return nullptr;
}

const Message* find_wire_schema(std::string_view api_version, std::string_view kind) {
  if (kind == "Status" && api_version == "v1") return schemas().find("meta.v1.Status");
  if (kind == "PartialObjectMetadata" && api_version.starts_with("meta.k8s.io/")) {
    return schemas().find("meta.v1.PartialObjectMetadata");
  }
  return find_schema(api_version, kind);
}

bool has_schemas(std::string_view api_version) {
  const auto has = [api_version](const Package& each) { return each.api_version == api_version; };
  return !api_version.empty() && std::ranges::any_of(packages(), has);
}

const Message& object_meta_schema() { return *schemas().find("meta.v1.ObjectMeta"); }

}  // namespace davit
