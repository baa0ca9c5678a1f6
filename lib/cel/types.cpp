#include "lib/cel/types.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/assert.hpp"

namespace davit::cel {

namespace {

constexpr std::string_view kOptionalName = "optional_type";

struct NamedKind {
  std::string_view name;
  TypeKind kind;
};

/// Types that are known by one word. "null_type" is the identifier of the type that messages call
/// "null".
constexpr std::array kSimpleTypes = {
    NamedKind{"!error!", TypeKind::kError},     NamedKind{"dyn", TypeKind::kDyn},
    NamedKind{"null", TypeKind::kNull},         NamedKind{"bool", TypeKind::kBool},
    NamedKind{"int", TypeKind::kInt},           NamedKind{"uint", TypeKind::kUint},
    NamedKind{"double", TypeKind::kDouble},     NamedKind{"string", TypeKind::kString},
    NamedKind{"bytes", TypeKind::kBytes},       NamedKind{"timestamp", TypeKind::kTimestamp},
    NamedKind{"duration", TypeKind::kDuration}, NamedKind{"type", TypeKind::kType},
};

constexpr std::array<std::string_view, 4> kKubernetesTypes = {"URL", "Quantity", "Semver",
                                                              "NamedFormat"};
constexpr std::array<std::string_view, 5> kAuthorizationTypes = {
    "Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"};

std::string_view head_of(const Type& type) {
  if (type.kind == TypeKind::kList) return "list";
  if (type.kind == TypeKind::kMap) return "map";
  for (const NamedKind& each : kSimpleTypes) {
    if (each.kind == type.kind) return each.name;
  }
  return type.name;
}

/// Reads type_literal()s.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  TypePtr read() {
    const std::string_view name = word();
    const std::vector<TypePtr> parameters = arguments();
    if (name == "list") return list_type(parameters.at(0));
    if (name == "map") return map_type(parameters.at(0), parameters.at(1));
    if (name == "optional") return optional_type(parameters.at(0));
    if (name == "type")
      return parameters.empty() ? simple_type(TypeKind::kType) : type_type(parameters.at(0));
    for (const NamedKind& each : kSimpleTypes) {
      if (each.name == name) return simple_type(each.kind);
    }
    if (name.size() == 1) return param_type(std::string(name));
    if (name == "IP" || name == "CIDR") return opaque_type(std::string("net.").append(name));
    for (const std::string_view each : kAuthorizationTypes) {
      if (each == name) return named("kubernetes.authorization.", name);
    }
    for (const std::string_view each : kKubernetesTypes) {
      if (each == name) return named("kubernetes.", name);
    }
    DAVIT_ASSERT(false);
    return nullptr;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  static TypePtr named(std::string package, std::string_view name) {
    return object_type(package.append(name), nullptr);
  }

  std::string_view word() {
    const std::size_t end = std::min(rest_.size(), rest_.find_first_of("(), "));
    DAVIT_ASSERT(end != 0);
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }

  std::vector<TypePtr> arguments() {
    std::vector<TypePtr> out;
    if (!rest_.starts_with('(')) return out;
    do {
      rest_.remove_prefix(rest_.starts_with(", ") ? 2 : 1);
      out.push_back(read());
    } while (rest_.starts_with(", "));
    DAVIT_ASSERT(rest_.starts_with(')'));
    rest_.remove_prefix(1);
    return out;
  }

  std::string_view rest_;
};

}  // namespace

TypePtr make_type(Type type) {
  type.nodes = 1;
  type.has_error = type.kind == TypeKind::kError;
  for (const TypePtr& each : type.parameters) {
    type.nodes += each->nodes;
    type.has_error = type.has_error || each->has_error;
  }
  if (type.nodes > kTypeNodesMax) return simple_type(TypeKind::kError);
  return std::make_shared<const Type>(std::move(type));
}

TypePtr simple_type(TypeKind kind) {
  // Most types of an expression are simple, so they are made once.
  static const auto kTypes = [] {
    std::array<TypePtr, static_cast<std::size_t>(TypeKind::kParam) + 1> out;
    for (const NamedKind& each : kSimpleTypes) {
      Type type;
      type.kind = each.kind;
      out.at(static_cast<std::size_t>(each.kind)) = make_type(std::move(type));
    }
    return out;
  }();
  const TypePtr& out = kTypes.at(static_cast<std::size_t>(kind));
  DAVIT_ASSERT(out != nullptr);
  return out;
}

TypePtr list_type(TypePtr element) {
  Type out;
  out.kind = TypeKind::kList;
  out.parameters.push_back(std::move(element));
  return make_type(std::move(out));
}

TypePtr map_type(TypePtr key, TypePtr value) {
  Type out;
  out.kind = TypeKind::kMap;
  out.parameters.push_back(std::move(key));
  out.parameters.push_back(std::move(value));
  return make_type(std::move(out));
}

TypePtr optional_type(TypePtr value) {
  return opaque_type(std::string(kOptionalName), {std::move(value)});
}

TypePtr type_type(TypePtr of) {
  Type out;
  out.kind = TypeKind::kType;
  out.parameters.push_back(std::move(of));
  return make_type(std::move(out));
}

TypePtr object_type(std::string name, std::shared_ptr<const FieldTypes> fields) {
  Type out;
  out.kind = TypeKind::kObject;
  out.name = std::move(name);
  out.fields = std::move(fields);
  return make_type(std::move(out));
}

TypePtr opaque_type(std::string name, std::vector<TypePtr> parameters) {
  Type out;
  out.kind = TypeKind::kOpaque;
  out.name = std::move(name);
  out.parameters = std::move(parameters);
  return make_type(std::move(out));
}

TypePtr param_type(std::string name) {
  Type out;
  out.kind = TypeKind::kParam;
  out.name = std::move(name);
  return make_type(std::move(out));
}

TypePtr type_literal(std::string_view text) {
  LiteralReader reader(text);
  TypePtr out = reader.read();
  DAVIT_ASSERT(reader.at_end());
  return out;
}

std::string to_text(const Type& type) {
  std::string out(head_of(type));
  if (type.parameters.empty()) return out;
  out += '(';
  for (std::size_t i = 0; i < type.parameters.size(); ++i) {
    if (i != 0) out += ", ";
    out += to_text(*type.parameters[i]);
  }
  return out + ')';
}

bool same_type(const Type& a, const Type& b) {
  if (&a == &b) return true;
  return a.kind == b.kind && a.name == b.name &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(),
                    [](const TypePtr& x, const TypePtr& y) { return same_type(*x, *y); });
}

bool is_optional(const Type& type) {
  return type.kind == TypeKind::kOpaque && type.name == kOptionalName &&
         type.parameters.size() == 1;
}

}  // namespace davit::cel
