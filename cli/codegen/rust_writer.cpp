#include "cli/codegen/rust_writer.hpp"

#include <cstddef>
#include <davit/hex.hpp>
#include <map>
#include <utility>

#include "cli/codegen/cpp_text.hpp"
#include "cli/codegen/identifiers.hpp"
#include "cli/codegen/members.hpp"
#include "lib/base/utf8.hpp"

namespace davit::host::codegen {
namespace {

/// A string literal of any text; bytes that are not UTF-8 become U+FFFD.
std::string rust_literal(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 1 && c >= 0x20 && c < 0x7f) {
      if (c == '"' || c == '\\') out += '\\';
      out += text[0];
    } else {
      // The bits of the character, without the marks of its first byte and of those that follow.
      unsigned point = length == 0 ? 0xfffd : length == 1 ? c : c & (0x7fU >> length);
      for (std::size_t i = 1; i < length; ++i) {
        point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3f);
      }
      std::string digits;
      for (; point > 0 || digits.empty(); point >>= 4)
        digits.insert(0, 1, hex_digits()[point & 15]);
      out += "\\u{" + digits + "}";
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

/// Fences would begin an example that `cargo test` compiles.
std::string rust_comment(std::string text, std::string_view indent) {
  for (std::size_t at = 0; (at = text.find("```", at)) != text.npos;) text.replace(at, 3, "'''");
  return doc_comment(text, indent);
}

const ReservedNames& reserved_names() {
  static const ReservedNames kReserved = {
      .of_kinds = {"new", "raw", "is_there", "named", "metadata"},
      .of_parts = {"new", "raw", "is_there"},
      .is_keyword = is_rust_keyword};
  return kReserved;
}

/// The return type of a view's function, and the expression that it is.
struct RustReading {
  std::string type;
  std::string expression;
  bool optional = false;
};

/// Writes the module of one version.
class RustModuleWriter {
 public:
  explicit RustModuleWriter(const Module& module) : module_(module) {
    for (const KindType& each : module.kinds) kinds_[each.root] = &each;
    Scope types({}, is_rust_keyword);
    for (const EnumType& each : module.enums) enums_.push_back(types.claim(each.name));
    for (const ObjectType& each : module.objects) objects_.push_back(types.claim(each.name));
  }

  [[nodiscard]] std::string write() {
    for (std::size_t i = 0; i < enums_.size(); ++i) write_enum(i);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      write_view(i);
      write_draft(i);
    }
    return std::move(out_);
  }

 private:
  static std::vector<std::string> variants_of(const EnumType& type) {
    Scope scope({"Unrecognized"}, is_rust_keyword);
    std::vector<std::string> out;
    for (const std::string& each : type.values) out.push_back(scope.claim(pascal_case(each)));
    return out;
  }

  void write_enum(std::size_t index) {
    const EnumType& type = module_.enums[index];
    const std::vector<std::string> variants = variants_of(type);
    out_ += "\n::davit::text_enum! {\n" + rust_comment(type.description, "    ") + "    pub enum " +
            enums_[index] + " {\n";
    for (std::size_t i = 0; i < variants.size(); ++i) {
      out_ += "        " + variants[i] + " = " + rust_literal(type.values[i]) + ",\n";
    }
    out_ += "    }\n}\n";
  }

  // ---- Views ------------------------------------------------------------------------------------

  /// The type as which a value is read.
  [[nodiscard]] std::string view_type(const Type& type) const {
    switch (type.kind) {
      case TypeKind::kAny:
        return "::davit::Value<'a>";
      case TypeKind::kText:
        return "&'a str";
      case TypeKind::kInteger:
        return "i64";
      case TypeKind::kNumber:
        return "f64";
      case TypeKind::kBoolean:
        return "bool";
      case TypeKind::kTime:
        return "::davit::Time";
      case TypeKind::kDuration:
        return "::std::time::Duration";
      case TypeKind::kQuantity:
        return "::davit::typed::Quantity";
      case TypeKind::kIntOrString:
        return "::davit::typed::IntOrStringView<'a>";
      case TypeKind::kEnum:
        return enums_[type.target];
      case TypeKind::kObject:
        return objects_[type.target] + "<'a>";
      case TypeKind::kMetadata:
        return "::davit::typed::MetadataView<'a>";
      case TypeKind::kList:
        return "::davit::typed::List<'a, " + view_type(type.element.front()) + ">";
      case TypeKind::kMap:
        return "::davit::typed::Map<'a, " + view_type(type.element.front()) + ">";
      case TypeKind::kConditions:
        return "::davit::typed::Conditions";
    }
    return "";
  }

  [[nodiscard]] std::string variant(const Type& type, const std::string& text) const {
    const EnumType& found = module_.enums[type.target];
    const std::vector<std::string> variants = variants_of(found);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      if (found.values[i] == text) return enums_[type.target] + "::" + variants[i];
    }
    return enums_[type.target] + "::Unrecognized";
  }

  /// The value of a field that is absent, as an expression; empty: the field is optional.
  [[nodiscard]] std::string absent_value(const Property& property) const {
    const bool known = property.fallback.has_value();
    if (!known && !property.required) return "";
    const std::string text = property.fallback.value_or("");
    switch (property.type.kind) {
      case TypeKind::kText:
        return rust_literal(text);
      case TypeKind::kInteger:
        return known ? text : "0";
      case TypeKind::kNumber:
        return !known ? "0.0" : text.find_first_of(".eE") == text.npos ? text + ".0" : text;
      case TypeKind::kBoolean:
        return known ? text : "false";
      case TypeKind::kEnum:
        return known ? variant(property.type, text)
                     : enums_[property.type.target] + "::Unrecognized";
      default:
        return "";
    }
  }

  [[nodiscard]] RustReading reading_of(const Property& property) const {
    const std::string type = view_type(property.type);
    const std::string name = rust_literal(property.json);
    const std::string absent = absent_value(property);
    if (!absent.empty())
      return {type, "::davit::typed::or(self.raw, " + name + ", " + absent + ")"};
    switch (property.type.kind) {
      case TypeKind::kAny:
        return {type, "self.raw.get(" + name + ")"};
      case TypeKind::kIntOrString:
      case TypeKind::kObject:
      case TypeKind::kMetadata:
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kConditions:
        return {type, "::davit::typed::part(self.raw, " + name + ")"};
      default:
        return {"::std::option::Option<" + type + ">",
                "::davit::typed::get(self.raw, " + name + ")", true};
    }
  }

  void write_function(const std::string& signature, const RustReading& reading) {
    out_ += "    pub fn " + signature + " -> " + reading.type + " {\n        " +
            reading.expression + "\n    }\n";
  }

  void write_view(std::size_t object) {
    const ObjectType& type = module_.objects[object];
    const auto kind = kinds_.find(object);
    out_ += "\n::davit::view! {\n" + rust_comment(type.description, "    ") + "    pub struct " +
            objects_[object] + ";\n}\nimpl<'a> " + objects_[object] + "<'a> {\n";
    if (kind != kinds_.end()) write_constants(*kind->second);
    const Members members = members_of(module_, type, reserved_names());
    for (std::size_t i = 0; i < type.properties.size(); ++i) {
      const Property& property = type.properties[i];
      std::string about = property.description;
      if (property.fallback) about += "\nDefault: " + *property.fallback + ".";
      out_ += rust_comment(about, "    ");
      write_function(members.names[i] + "(&self)", reading_of(property));
      if (property.type.kind == TypeKind::kConditions) {
        write_function(members.condition_finder + "(&self, kind: &str)",
                       {"::std::option::Option<::davit::typed::Condition>",
                        "self." + members.names[i] + "().find(kind).cloned()"});
      }
      if (!members.key_finders[i].empty()) {
        write_key_finder(property, members.names[i], members.key_finders[i]);
      }
    }
    out_ += "}\n";
  }

  void write_key_finder(const Property& property, const std::string& list,
                        const std::string& finder) {
    const ObjectType& type = module_.objects[property.type.element.front().target];
    const Members members = members_of(module_, type, reserved_names());
    std::string parameters;
    std::string condition;
    for (const std::string& key : property.type.keys) {
      for (std::size_t i = 0; i < type.properties.size(); ++i) {
        if (type.properties[i].json != key) continue;
        const std::string parameter = members.names[i] + "_wanted";
        const bool text = type.properties[i].type.kind == TypeKind::kText;
        const bool optional = reading_of(type.properties[i]).optional;
        parameters +=
            ", " + parameter + ": " + (text ? "&str" : view_type(type.properties[i].type));
        condition += (condition.empty() ? "" : " && ") + ("each." + members.names[i]) + "() == " +
                     (optional ? "::std::option::Option::Some(" + parameter + ")" : parameter);
      }
    }
    write_function(finder + "(&self" + parameters + ")",
                   {"::std::option::Option<" + view_type(property.type.element.front()) + ">",
                    "self." + list + "().iter().find(|each| " + condition + ")"});
  }

  void write_constants(const KindType& kind) {
    out_ += "    pub const RESOURCE: ::davit::Resource = ::davit::Resource {\n        group: " +
            rust_literal(kind.group) + ",\n        version: " + rust_literal(kind.version) +
            ",\n        resource: " + rust_literal(kind.plural) +
            ",\n        kind: " + rust_literal(kind.kind) +
            ",\n    };\n    /// Every field, in the syntax of the note's projections.\n"
            "    pub const FIELD_PATHS: &'static [&'static str] = &[\n";
    for (const std::string& each : kind.paths) out_ += "        " + rust_literal(each) + ",\n";
    out_ += "    ];\n";
  }

  // ---- Drafts -----------------------------------------------------------------------------------

  [[nodiscard]] std::string draft_type(const Type& type, std::size_t object) const {
    switch (type.kind) {
      case TypeKind::kAny:
        return "::davit::typed::Raw";
      case TypeKind::kText:
        return "::std::string::String";
      case TypeKind::kDuration:
        return "::davit::typed::WantedDuration";
      case TypeKind::kQuantity:
        return "::davit::typed::QuantityText";
      case TypeKind::kIntOrString:
        return "::davit::typed::IntOrString";
      case TypeKind::kObject: {
        const std::string name = objects_[type.target] + "Draft";
        // An object that is declared later may contain this one.
        return type.target < object ? name : "::std::boxed::Box<" + name + ">";
      }
      case TypeKind::kMetadata:
        return "::davit::typed::Metadata";
      case TypeKind::kList:
        return "::std::vec::Vec<" + draft_type(type.element.front(), object) + ">";
      case TypeKind::kMap:
        return "::std::collections::BTreeMap<::std::string::String, " +
               draft_type(type.element.front(), object) + ">";
      default:
        return view_type(type);
    }
  }

  void write_draft(std::size_t object) {
    const ObjectType& type = module_.objects[object];
    const auto kind = kinds_.find(object);
    const bool is_kind = kind != kinds_.end();
    const Members members = members_of(module_, type, reserved_names());
    out_ += "\n::davit::draft! {\n    /// What a " + objects_[object] +
            " shall be.\n    pub struct " + objects_[object] + "Draft " +
            (is_kind ? "for " + objects_[object] + " " : "") + "{\n";
    for (std::size_t i = 0; i < type.properties.size(); ++i) {
      const Property& property = type.properties[i];
      // Written through the subresource, on its own.
      if (is_kind && property.json == "status" && kind->second->has_status_subresource) continue;
      const bool keyed = property.type.unordered && property.type.kind == TypeKind::kList;
      out_ += std::string("        ") + (keyed ? "Keyed " : "Field ") + members.names[i] + ": " +
              draft_type(property.type, object) + " = " + rust_literal(property.json) + ",\n";
    }
    if (type.open) {
      out_ += "        /// Members that the schema does not name.\n        Others " +
              members.others +
              ": ::std::collections::BTreeMap<::std::string::String, ::davit::typed::Raw>"
              " = \"\",\n";
    }
    out_ += "    }\n}\n";
  }

  const Module& module_;
  std::map<std::size_t, const KindType*> kinds_;  // Keyed by their root.
  std::vector<std::string> enums_;                // Their names in Rust.
  std::vector<std::string> objects_;
  std::string out_;
};

}  // namespace

bool is_rust_module(std::string_view text) {
  constexpr std::string_view kWord =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  const bool digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
  return !text.empty() && text != "_" && !digit && text.find_first_not_of(kWord) == text.npos &&
         !is_rust_keyword(text);
}

std::string write_rust(const std::vector<Module>& modules, const RustOptions& options) {
  std::string sources;
  for (const std::string& each : options.sources) sources += (sources.empty() ? "" : ", ") + each;
  std::map<std::string, std::string> groups;
  for (const Module& each : modules) {
    Scope scope({}, is_rust_keyword);
    const std::string group = scope.claim(group_name(each, modules));
    groups[options.module.empty() ? group : options.module] +=
        "\npub mod " + scope.claim(snake_case(each.version)) + " {\n" +
        RustModuleWriter(each).write() + "}\n";
  }
  std::string out = rust_comment("Generated by davit codegen from " + sources +
                                     ". Do not edit: change the schema and generate again.",
                                 "");
  for (std::size_t at = 0; (at = out.find("///", at)) != out.npos; at += 2)
    out.replace(at, 3, "//");
  for (const auto& [name, text] : groups) {
    out += "\n#[allow(dead_code, non_camel_case_types, clippy::all)]\npub mod " + name + " {\n" +
           text + "}\n";
  }
  return out;
}

}  // namespace davit::host::codegen
