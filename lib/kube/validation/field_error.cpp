#include "lib/kube/validation/field_error.hpp"

#include <utility>

namespace davit {

namespace {

/// As Go shows the value: its JSON encoder escapes what could end a script element in HTML, and
/// serves everything but plain strings.
std::string shown(const Json& value) {
  std::string text = to_text(value);
  if (value.is_string()) return text;
  constexpr std::pair<std::string_view, const char*> kEscapes[] = {{"<", "\\u003c"},
                                                                   {">", "\\u003e"},
                                                                   {"&", "\\u0026"},
                                                                   {"\u2028", "\\u2028"},
                                                                   {"\u2029", "\\u2029"}};
  for (const auto& [from, to] : kEscapes) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

/// "Invalid value: 5"; `detail` follows when there is one.
std::string with_value(std::string_view what, const Json& value, std::string_view detail = "") {
  std::string out = std::string(what) + ": " + shown(value);
  if (!detail.empty()) out.append(": ").append(detail);
  return out;
}

}  // namespace

FieldError field_required(std::string field, std::string_view detail) {
  std::string message = "Required value";
  if (!detail.empty()) message.append(": ").append(detail);
  return {"FieldValueRequired", std::move(field), std::move(message)};
}

FieldError field_invalid(std::string field, const Json& value, std::string_view detail) {
  return {"FieldValueInvalid", std::move(field), with_value("Invalid value", value, detail)};
}

FieldError field_duplicate(std::string field, const Json& value) {
  return {"FieldValueDuplicate", std::move(field), with_value("Duplicate value", value)};
}

FieldError field_not_found(std::string field, const Json& value) {
  return {"FieldValueNotFound", std::move(field), with_value("Not found", value)};
}

FieldError field_not_supported(std::string field, const Json& value,
                               const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& each : supported) {
    detail += (detail.empty() ? "supported values: " : ", ") + to_text(Json(each));
  }
  return {"FieldValueNotSupported", std::move(field),
          with_value("Unsupported value", value, detail)};
}

FieldError field_forbidden(std::string field, std::string_view detail) {
  return {"FieldValueForbidden", std::move(field), std::string("Forbidden: ").append(detail)};
}

FieldError field_too_long(std::string field, std::size_t bytes_max) {
  return {"FieldValueTooLong", std::move(field),
          "Too long: may not be more than " + std::to_string(bytes_max) +
              (bytes_max == 1 ? " byte" : " bytes")};
}

FieldError field_too_many(std::string field, std::size_t count, std::size_t max) {
  return {"FieldValueTooMany", std::move(field),
          "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(max) +
              (max == 1 ? " item" : " items")};
}

}  // namespace davit
