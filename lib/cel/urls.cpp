// The libraries of URLs and of named formats, and escapes of JSON pointers.
#include <array>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/maps.hpp"
#include "lib/cel/url.hpp"
#include "lib/kube/names.hpp"
#include "lib/kube/validation/formats.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

class UrlValue : public OpaqueValue {
 public:
  explicit UrlValue(Url url) : url_(std::move(url)) {}
  [[nodiscard]] std::string_view type_name() const override { return "kubernetes.URL"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override {
    const auto* url = dynamic_cast<const UrlValue*>(&other);
    return url != nullptr && url->url_.text == url_.text;
  }
  [[nodiscard]] const Url& url() const { return url_; }

 private:
  const Url url_;
};

Value url_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("url", args);
  Result<Url> url = parse_request_url(args[0].text());
  if (!url) {
    return error_value("URL parse error during conversion from string: " + url.error().message());
  }
  return OpaqueRef(std::make_shared<const UrlValue>(std::move(*url)));
}

Value is_url_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("isURL", args);
  return static_cast<bool>(parse_request_url(args[0].text()));
}

Value url_part(Args args, std::string_view name, std::string Url::*part) {
  const auto* value = args.size() == 1 ? opaque_as<UrlValue>(args, 0) : nullptr;
  return value == nullptr ? no_overload(name, args) : text_value(value->url().*part);
}

Value scheme_function(FunctionContext& /*context*/, Args args) {
  return url_part(args, "getScheme", &Url::scheme);
}
Value host_function(FunctionContext& /*context*/, Args args) {
  return url_part(args, "getHost", &Url::host);
}
Value hostname_function(FunctionContext& /*context*/, Args args) {
  return url_part(args, "getHostname", &Url::hostname);
}
Value port_function(FunctionContext& /*context*/, Args args) {
  return url_part(args, "getPort", &Url::port);
}
Value path_function(FunctionContext& /*context*/, Args args) {
  return url_part(args, "getEscapedPath", &Url::escaped_path);
}

Value query_function(FunctionContext& /*context*/, Args args) {
  const auto* value = args.size() == 1 ? opaque_as<UrlValue>(args, 0) : nullptr;
  if (value == nullptr) return no_overload("getQuery", args);
  auto out = std::make_shared<BuiltMap>();
  for (const auto& [key, values] : value->url().query) {
    std::vector<Value> texts;
    for (const std::string& text : values) texts.push_back(text_value(text));
    (void)out->insert(text_value(key), list_value(std::move(texts)));
  }
  return MapRef(std::move(out));
}

/// A named format of the API.
struct Format {
  std::string_view name;
  std::uint64_t size;  ///< The length of its regular expression, which costs count with.
  Violations (*check)(std::string_view text);
};

Violations check_open_api(std::string_view format, std::string_view text,
                          std::string_view refusal) {
  return has_format(format, text) ? Violations() : Violations{std::string(refusal)};
}

Violations check_uri(std::string_view text) {
  const Result<Url> url = parse_request_url(text);
  return url ? Violations() : Violations{url.error().message()};
}

/// A prefix may end with a dash, which the letter stands for that a name adds.
Violations check_dns1035_prefix(std::string_view text) {
  std::string masked(text);
  if (masked.size() > 1 && masked.ends_with('-')) masked.back() = 'a';
  return check_dns1035_label(masked);
}

constexpr std::array<Format, 13> kFormats = {
    {{"dns1123Label", 30, check_dns_label},
     {"dns1123Subdomain", 60, check_dns_subdomain},
     {"dns1035Label", 30, check_dns1035_label},
     {"qualifiedName", 60, check_qualified_name},
     {"dns1123LabelPrefix", 30,
      [](std::string_view text) { return check_generate_name(NameRule::kLabel, text); }},
     {"dns1123SubdomainPrefix", 60,
      [](std::string_view text) { return check_generate_name(NameRule::kSubdomain, text); }},
     {"dns1035LabelPrefix", 30, check_dns1035_prefix},
     {"labelValue", 40, check_label_value},
     {"uri", 1000, check_uri},
     {"uuid", 67,
      [](std::string_view text) {
        return check_open_api("uuid", text, "does not match the UUID format");
      }},
     {"byte", 90,
      [](std::string_view text) { return check_open_api("byte", text, "invalid base64"); }},
     {"date", 73,
      [](std::string_view text) { return check_open_api("date", text, "invalid date"); }},
     {"datetime", 73, [](std::string_view text) {
        return check_open_api("date-time", text, "invalid datetime");
      }}}};

class FormatValue : public OpaqueValue {
 public:
  explicit FormatValue(const Format& format) : format_(format) {}
  [[nodiscard]] std::string_view type_name() const override { return "kubernetes.NamedFormat"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override {
    const auto* format = dynamic_cast<const FormatValue*>(&other);
    return format != nullptr && format->format_.name == format_.name;
  }
  [[nodiscard]] std::uint64_t cost_size() const override { return format_.size; }
  [[nodiscard]] const Format& format() const { return format_; }

 private:
  const Format& format_;
};

Value format_by_name(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return OpaqueRef(std::make_shared<const FormatValue>(format));
  }
  return {};
}

Value named_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("format.named", args);
  Value format = format_by_name(args[0].text());
  return format.kind() == ValueKind::kNull ? optional_none() : optional_of(std::move(format));
}

template <std::size_t index>
Value constant_format(FunctionContext& /*context*/, Args args) {
  const std::string_view name = kFormats.at(index).name;
  return args.empty() ? format_by_name(name) : no_overload("format." + std::string(name), args);
}

Value validate_function(FunctionContext& /*context*/, Args args) {
  const auto* value = takes(args, "os") ? opaque_as<FormatValue>(args, 0) : nullptr;
  if (value == nullptr) return no_overload("validate", args);
  Violations violations = value->format().check(args[1].text());
  if (violations.empty()) return optional_none();
  std::vector<Value> texts;
  for (std::string& violation : violations) texts.push_back(text_value(std::move(violation)));
  return optional_of(list_value(std::move(texts)));
}

/// RFC 6901: '~' and '/' within a key.
Value escape_key_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("jsonpatch.escapeKey", args);
  std::string out;
  for (const char c : args[0].text()) {
    if (c == '~')
      out.append("~0");
    else if (c == '/')
      out.append("~1");
    else
      out.push_back(c);
  }
  return text_value(std::move(out));
}

}  // namespace

FunctionTable url_functions() {
  static constexpr std::array<NamedFunction, 3> kTable = {
      {{"url", url_function},
       {"isURL", is_url_function},
       {"jsonpatch.escapeKey", escape_key_function}}};
  return kTable;
}

FunctionTable url_members() {
  static constexpr std::array<NamedFunction, 6> kTable = {{{"getScheme", scheme_function},
                                                           {"getHost", host_function},
                                                           {"getHostname", hostname_function},
                                                           {"getPort", port_function},
                                                           {"getEscapedPath", path_function},
                                                           {"getQuery", query_function}}};
  return kTable;
}

FunctionTable format_functions() {
  static constexpr std::array<NamedFunction, 14> kTable = {
      {{"format.named", named_function},
       {"format.dns1123Label", constant_format<0>},
       {"format.dns1123Subdomain", constant_format<1>},
       {"format.dns1035Label", constant_format<2>},
       {"format.qualifiedName", constant_format<3>},
       {"format.dns1123LabelPrefix", constant_format<4>},
       {"format.dns1123SubdomainPrefix", constant_format<5>},
       {"format.dns1035LabelPrefix", constant_format<6>},
       {"format.labelValue", constant_format<7>},
       {"format.uri", constant_format<8>},
       {"format.uuid", constant_format<9>},
       {"format.byte", constant_format<10>},
       {"format.date", constant_format<11>},
       {"format.datetime", constant_format<12>}}};
  return kTable;
}

FunctionTable format_members() {
  static constexpr std::array<NamedFunction, 1> kTable = {{{"validate", validate_function}}};
  return kTable;
}

}  // namespace davit::cel
