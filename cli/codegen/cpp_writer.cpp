#include "cli/codegen/cpp_writer.hpp"

#include <map>
#include <set>
#include <utility>

#include "cli/codegen/cpp_text.hpp"
#include "cli/codegen/identifiers.hpp"

namespace davit::host::codegen {
namespace {

/// The return type of a view's function, and the code that reads it from `value`.
struct Reading {
  std::string type;
  std::string expression;
};

/// Writes the namespace of one module.
class ModuleWriter {
 public:
  explicit ModuleWriter(const Module& module) : module_(module) {
    for (const KindType& each : module.kinds) kinds_[each.root] = &each;
  }

  [[nodiscard]] std::string write() {
    for (std::size_t i = 0; i < module_.objects.size(); ++i) {
      out_ += "class " + name(i) + ";\nstruct " + name(i) + "Draft;\n";
    }
    for (const EnumType& each : module_.enums) write_enum(each);
    for (std::size_t i = 0; i < module_.objects.size(); ++i) {
      write_view(i);
      write_draft(i);
    }
    return out_ + later_;
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t object) const {
    return module_.objects[object].name;
  }

  void write_enum(const EnumType& type) {
    const std::vector<std::string> enumerators = enumerators_of(type);
    std::string texts = "\"\"";
    out_ += "\n" + doc_comment(type.description, "") + "enum class " + type.name + " {\n" +
            "  kUnrecognized,  ///< A text that the schema does not list.\n";
    for (std::size_t i = 0; i < enumerators.size(); ++i) {
      out_ += "  " + enumerators[i] + ",\n";
      texts += ", " + cpp_literal(type.values[i]);
    }
    out_ += "};\n[[nodiscard]] constexpr std::array<std::string_view, " +
            std::to_string(enumerators.size() + 1) + "> texts_of(" + type.name + ") {\n  return {" +
            texts + "};\n}\n";
  }

  // ---- Views ------------------------------------------------------------------------------------

  /// The type of an element of a list or map, as typed::read() gives it.
  [[nodiscard]] std::string element_view(const Type& type) const {
    switch (type.kind) {
      case TypeKind::kAny:
        return "::davit::Value";
      case TypeKind::kText:
        return "std::string_view";
      case TypeKind::kInteger:
        return "std::int64_t";
      case TypeKind::kNumber:
        return "double";
      case TypeKind::kBoolean:
        return "bool";
      case TypeKind::kTime:
        return "::davit::WallTime";
      case TypeKind::kDuration:
        return "::davit::Duration";
      case TypeKind::kQuantity:
        return "::davit::Quantity";
      case TypeKind::kIntOrString:
        return "::davit::typed::IntOrString";
      case TypeKind::kEnum:
        return module_.enums[type.target].name;
      case TypeKind::kObject:
        return name(type.target);
      case TypeKind::kMetadata:
        return "::davit::typed::MetadataPart";
      case TypeKind::kList:
        return "::davit::typed::List<" + element_view(type.element.front()) + ">";
      case TypeKind::kMap:
        return "::davit::typed::Map<" + element_view(type.element.front()) + ">";
      case TypeKind::kConditions:
        return "::davit::typed::List<::davit::ConditionView>";
    }
    return "";
  }

  /// A scalar that is `plain`, with a fallback for its absence, or optional.
  static Reading scalar(const std::string& type, const std::string& read, const Property& property,
                        const std::string& empty, const std::string& fallback) {
    if (property.fallback && !fallback.empty()) return {type, read + ".value_or(" + fallback + ")"};
    if (property.required) return {type, read + ".value_or(" + empty + ")"};
    return {"std::optional<" + type + ">", read};
  }

  [[nodiscard]] Reading reading_of(const Property& property, const std::string& value) const {
    const Type& type = property.type;
    const std::string fallback = property.fallback.value_or("");
    const std::string view = element_view(type);
    switch (type.kind) {
      case TypeKind::kText:
        if (fallback.empty()) return {view, value + ".string()"};
        return {view, value + ".text().value_or(" + cpp_literal(fallback) + ")"};
      case TypeKind::kInteger:
        return scalar(view, value + ".integer()", property, "0", fallback);
      case TypeKind::kNumber:
        return scalar(view, "::davit::typed::number(" + value + ")", property, "0", fallback);
      case TypeKind::kBoolean:
        return scalar(view, value + ".boolean()", property, "false", fallback);
      case TypeKind::kEnum:
        return scalar(view, "::davit::typed::enum_value<" + view + ">(" + value + ")", property,
                      view + "::kUnrecognized", enumerator(type, fallback));
      case TypeKind::kTime:
        return {"std::optional<" + view + ">", "::davit::parse_time(" + value + ".string())"};
      case TypeKind::kDuration:
        return {"std::optional<" + view + ">", "::davit::parse_duration(" + value + ".string())"};
      case TypeKind::kQuantity:
        return {"std::optional<" + view + ">", "::davit::typed::quantity(" + value + ")"};
      case TypeKind::kAny:
        return {view, value};
      default:
        return {view, view + "(" + value + ")"};
    }
  }

  [[nodiscard]] std::string enumerator(const Type& type, const std::string& text) const {
    const EnumType& found = module_.enums[type.target];
    const std::vector<std::string> enumerators = enumerators_of(found);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      if (found.values[i] == text) return found.name + "::" + enumerators[i];
    }
    return "";
  }

  /// Whether the type holds an object by value that is declared only later.
  [[nodiscard]] bool needs_later(const Type& type, std::size_t object) const {
    return type.kind == TypeKind::kObject && type.target >= object;
  }

  void write_view(std::size_t object) {
    const ObjectType& type = module_.objects[object];
    const auto kind = kinds_.find(object);
    const bool is_kind = kind != kinds_.end();
    const std::string base = is_kind ? "::davit::ObjectView" : "::davit::typed::Part";
    out_ += "\n" + doc_comment(type.description, "") + "class " + type.name + " : public " + base +
            " {\n public:\n";
    if (is_kind) write_constants(*kind->second);
    out_ += "  explicit " + type.name + "(::davit::Value raw) : " + base + "(raw) {}\n";
    const Members members = members_of(module_, type);
    for (std::size_t i = 0; i < type.properties.size(); ++i) {
      const Property& property = type.properties[i];
      const std::string value = (is_kind ? "value()[" : "raw()[") + cpp_index(property.json) + "]";
      const Reading reading = reading_of(property, value);
      std::string about = property.description;
      if (property.fallback) about += "\nDefault: " + *property.fallback + ".";
      out_ += "\n" + doc_comment(about, "  ");
      write_function(type.name, members.names[i] + "() const", reading,
                     needs_later(property.type, object));
      if (property.type.kind == TypeKind::kConditions) {
        write_function(type.name, members.condition_finder + "(std::string_view type) const",
                       {"std::optional<::davit::ConditionView>",
                        "::davit::find_condition(" + value + ", type)"},
                       false);
      }
      if (!members.key_finders[i].empty()) {
        write_key_finder(type.name, property, members.names[i], members.key_finders[i], object);
      }
    }
    out_ += "};\n";
  }

  /// Within the class, or after all classes.
  void write_function(const std::string& owner, const std::string& signature,
                      const Reading& reading, bool later) {
    const std::string head = reading.type + " ";
    if (later) {
      out_ += "  [[nodiscard]] " + head + signature + ";\n";
      later_ += "\ninline " + with_body(head + owner + "::" + signature, reading, "");
    } else {
      out_ += with_body("  [[nodiscard]] " + head + signature, reading, "  ");
    }
  }
  static std::string with_body(const std::string& head, const Reading& reading,
                               const std::string& indent) {
    constexpr std::size_t kWidth = 100;
    const std::string line = head + " { return " + reading.expression + "; }\n";
    if (line.size() <= kWidth + 1) return line;
    return head + " {\n" + indent + "  return " + reading.expression + ";\n" + indent + "}\n";
  }

  void write_key_finder(const std::string& owner, const Property& property, const std::string& list,
                        const std::string& finder, std::size_t object) {
    const std::size_t element = property.type.element.front().target;
    const ObjectType& type = module_.objects[element];
    const Members members = members_of(module_, type);
    std::string parameters;
    std::string condition;
    for (const std::string& key : property.type.keys) {
      for (std::size_t i = 0; i < type.properties.size(); ++i) {
        if (type.properties[i].json != key) continue;
        const std::string parameter = members.names[i] + "_wanted";
        parameters += (parameters.empty() ? "" : ", ") + element_view(type.properties[i].type) +
                      " " + parameter;
        condition +=
            (condition.empty() ? "" : " && ") + ("each." + members.names[i]) + "() == " + parameter;
      }
    }
    write_function(
        owner, finder + "(" + parameters + ") const",
        {"std::optional<" + type.name + ">",
         list + "().find([&](const " + type.name + "& each) { return " + condition + "; })"},
        element >= object);
  }

  void write_constants(const KindType& kind) {
    out_ += "  static constexpr ::davit::Resource kResource{" + cpp_literal(kind.group) + ", " +
            cpp_literal(kind.version) + ", " + cpp_literal(kind.plural) + ", " +
            cpp_literal(kind.kind) + "};\n" +
            "  /// Every field, in the syntax of the note's projections.\n" +
            "  static constexpr std::array<std::string_view, " + std::to_string(kind.paths.size()) +
            "> kFieldPaths = {";
    for (std::size_t i = 0; i < kind.paths.size(); ++i) {
      out_ += (i == 0 ? "\n      " : ",\n      ") + cpp_literal(kind.paths[i]);
    }
    out_ += "};\n\n";
  }

  // ---- Drafts -----------------------------------------------------------------------------------

  [[nodiscard]] std::string element_draft(const Type& type) const {
    switch (type.kind) {
      case TypeKind::kAny:
        return "::davit::draft::Raw";
      case TypeKind::kText:
        return "::davit::draft::Text";
      case TypeKind::kDuration:
        return "::davit::draft::DurationText";
      case TypeKind::kQuantity:
        return "::davit::draft::QuantityText";
      case TypeKind::kIntOrString:
        return "::davit::draft::IntOrString";
      case TypeKind::kObject:
        return name(type.target) + "Draft";
      case TypeKind::kMetadata:
        return "::davit::draft::Metadata";
      case TypeKind::kList:
        return "::davit::draft::List<" + element_draft(type.element.front()) + ">";
      case TypeKind::kMap:
        return "::davit::draft::Map<" + element_draft(type.element.front()) + ">";
      case TypeKind::kConditions:
        return "::davit::ConditionList";
      default:
        return element_view(type);
    }
  }

  [[nodiscard]] std::string member_draft(const Property& property, std::size_t object) const {
    const std::string type = element_draft(property.type);
    switch (property.type.kind) {
      case TypeKind::kObject: {
        const bool always =
            property.required || (kinds_.contains(object) && property.json == "spec");
        return always && property.type.target < object ? type
                                                       : "::davit::draft::Optional<" + type + ">";
      }
      case TypeKind::kMetadata:
        return "::davit::draft::Optional<" + type + ">";
      case TypeKind::kInteger:
      case TypeKind::kNumber:
      case TypeKind::kBoolean:
      case TypeKind::kTime:
      case TypeKind::kEnum:
      case TypeKind::kConditions:
        return "std::optional<" + type + ">";
      default:
        return type;
    }
  }

  void write_draft(std::size_t object) {
    const ObjectType& type = module_.objects[object];
    const auto kind = kinds_.find(object);
    const bool is_kind = kind != kinds_.end();
    const Members members = members_of(module_, type);
    std::string visits;
    out_ += "\n/// What a " + type.name + " shall be.\nstruct " + type.name + "Draft {\n";
    if (is_kind) {
      out_ += "  using View = " + type.name + ";\n\n  ::davit::draft::Metadata metadata = {};\n";
      visits += "    visitor(\"metadata\", metadata);\n";
    }
    for (std::size_t i = 0; i < type.properties.size(); ++i) {
      const Property& property = type.properties[i];
      // Written through the subresource, on its own.
      if (is_kind && property.json == "status" && kind->second->has_status_subresource) continue;
      out_ += "  " + member_draft(property, object) + " " + members.names[i] + " = {};\n";
      const std::string call = property.type.unordered && property.type.kind == TypeKind::kList
                                   ? "visitor.keyed("
                                   : "visitor(";
      visits += "    " + call + cpp_literal(property.json) + ", " + members.names[i] + ");\n";
    }
    if (type.open) {
      out_ +=
          "  /// Members that the schema does not name.\n  "
          "::davit::draft::Map<::davit::draft::Raw> " +
          members.others + " = {};\n";
      visits += "    visitor.others(" + members.others + ");\n";
    }
    out_ += "\n  template <typename Visitor>\n  void each_field(Visitor& visitor) const {\n" +
            visits + "  }\n};\n";
  }

  const Module& module_;
  std::map<std::size_t, const KindType*> kinds_;  // Keyed by their root.
  std::string out_;
  std::string later_;  // Code that needs all classes.
};

}  // namespace

std::string write_cpp(const std::vector<Module>& modules, const CppOptions& options) {
  std::string sources;
  for (const std::string& each : options.sources) sources += (sources.empty() ? "" : ", ") + each;
  std::string out = doc_comment("Generated by davit codegen from " + sources +
                                    ". Do not edit: change the schema and generate again.",
                                "");
  out +=
      "#pragma once\n\n#include <array>\n#include <cstdint>\n#include <davit/kube/draft.hpp>\n"
      "#include <davit/kube/typed.hpp>\n#include <optional>\n#include <string_view>\n";
  for (const Module& each : modules) {
    Scope scope({"std"});
    const std::string group =
        options.ns.empty() ? scope.claim(group_name(each, modules)) : options.ns;
    const std::string ns = group + "::" + scope.claim(snake_case(each.version));
    ModuleWriter writer(each);
    out += "\nnamespace " + ns + " {\n\n" + writer.write() + "\n}  // namespace " + ns + "\n";
  }
  return out;
}

}  // namespace davit::host::codegen
