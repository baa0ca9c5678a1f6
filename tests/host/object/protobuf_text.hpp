/// Objects in protobuf for tests, by the encoder of the sandbox.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/schema/build.hpp"
#include "lib/kube/schema/packages.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::host {

/// The JSON of an object as a server sends it.
inline std::string served_json(std::string_view text) {
  Json object = parse_json(text).value_or(Json());
  const Message* type =
      find_wire_schema(object.get("apiVersion").text(), object.get("kind").text());
  EXPECT_NE(type, nullptr) << text;
  FieldFindings findings;
  const Status conforms = conform(*type, object, findings);
  EXPECT_TRUE(conforms.ok()) << conforms.message();
  EXPECT_TRUE(findings.unknown.empty()) << findings.unknown.front();
  return to_text(object);
}

/// The same in protobuf, in its envelope.
inline std::string protobuf(std::string_view json) {
  std::string bytes = encode_protobuf(parse_json(json).value_or(Json())).value_or("");
  EXPECT_FALSE(bytes.empty()) << json;
  return bytes;
}

/// A field of a message on the wire.
inline std::string wire_field(std::uint32_t number, const std::string& bytes) {
  std::string out;
  const auto varint = [&out](std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  };
  varint(number << 3 | 2);
  varint(bytes.size());
  return out + bytes;
}

/// A message in an envelope.
inline std::string wire_envelope(const std::string& api_version, const std::string& kind,
                                 const std::string& raw) {
  return std::string("k8s\0", 4) + wire_field(1, wire_field(1, api_version) + wire_field(2, kind)) +
         wire_field(2, raw) + wire_field(3, "") + wire_field(4, "");
}

/// Makes objects that have every field of their kind.
class FilledObjects {
 public:
  /// An object of each kind in the tables.
  static std::vector<Json> of_every_kind() {
    std::vector<Json> out;
    for (const Package& package : packages()) {
      for (const auto& message : schemas().all()) {
        const std::string_view name = message->name;
        if (!name.starts_with(package.name) || package.api_version.empty()) continue;
        const std::string kind(name.substr(name.rfind('.') + 1));
        const bool is_again = std::any_of(out.begin(), out.end(), [&](const Json& each) {
          return each.get("kind").text() == kind &&
                 each.get("apiVersion").text() == package.api_version;
        });
        if (is_again || find_schema(package.api_version, kind) != message.get()) continue;
        Json object =
            Json::object({{"kind", kind}, {"apiVersion", std::string(package.api_version)}});
        FilledObjects().fill(*message, object);
        out.push_back(std::move(object));
      }
    }
    return out;
  }

 private:
  void fill(const Message& type, Json& object) {
    object.make_object();
    inside_.insert(&type);
    for (const Field& field : type.fields) {
      if (field.number == 0) continue;  // kind and apiVersion
      if (field.message != nullptr && inside_.contains(field.message)) continue;
      if (field.shape == FieldShape::kList) {
        object[field.name].push_back(value(field));
        object[field.name].push_back(value(field));
      } else if (field.shape == FieldShape::kMap) {
        object[field.name]["a.b/c"] = value(field);
        object[field.name]["x"] = value(field);
      } else {
        object[field.name] = value(field);
      }
    }
    inside_.erase(&type);
  }

  Json value(const Field& field) {
    ++number_;
    Json out;
    switch (field.type) {
      case FieldType::kString:
        return Json("text " + std::to_string(number_) + " ü\n");
      case FieldType::kInt32:
        return Json(number_ % 2 == 0 ? number_ : -number_);
      case FieldType::kInt64:
        return Json(std::int64_t{-9'000'000'000'000'000'000} + number_);
      case FieldType::kBoolean:
        return Json(true);
      case FieldType::kBytes:
        return Json("AP8H");
      case FieldType::kMessage:
        fill(*field.message, out);
        return out;
      case FieldType::kTime:
        return Json("2026-11-24T06:00:0" + std::to_string(number_ % 10) + "Z");
      case FieldType::kMicroTime:
        return Json("2026-11-24T06:00:00.00012" + std::to_string(number_ % 10) + "Z");
      case FieldType::kQuantity:
        return Json(std::to_string(number_) + "m");
      case FieldType::kIntOrString:
        return number_ % 2 == 0 ? Json(number_) : Json("50%");
      case FieldType::kRaw:
        return *parse_json(R"({"b":[1,{"x":null}],"a":1.5e3})");
      case FieldType::kStrings:
        out.push_back(Json("one"));
        out.push_back(Json("two"));
        return out;
      case FieldType::kDouble:
        return *parse_json(number_ % 2 == 0 ? "2.5" : "-100000");
      case FieldType::kSchemaOrArray:
      case FieldType::kSchemaOrBool:
      case FieldType::kSchemaOrStrings:
        return *parse_json(R"({"type":"object"})");
    }
    return out;
  }

  std::set<const Message*> inside_;
  std::int64_t number_ = 0;
};

}  // namespace davit::host
