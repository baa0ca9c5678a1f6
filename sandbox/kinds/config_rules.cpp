#include "sandbox/kinds/config_rules.hpp"

#include <davit/base64.hpp>
#include <string>

#include "lib/net/key_pair.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {

namespace {

/// The limit on all values of a ConfigMap or Secret together.
constexpr std::size_t kDataBytesMax = 1'048'576;

constexpr std::string_view kTlsType = "kubernetes.io/tls";
constexpr std::string_view kTlsCertificate = "tls.crt";
constexpr std::string_view kTlsKey = "tls.key";

constexpr FieldPath kData("data");

enum class Coding : std::uint8_t { kText, kBase64 };

std::size_t bytes_of(const Json& value, Coding coding) {
  if (coding == Coding::kText) return value.text().size();
  const auto bytes = decode_base64(value.text());
  return bytes ? bytes->size() : 0;
}

/// Checks the keys of a map and returns the size of its values.
std::size_t check_keys(const Json& data, Coding coding, const FieldPath& path,
                       FieldErrors& errors) {
  std::size_t bytes = 0;
  for (const Json::Member& each : data.members()) {
    add_invalid(check_config_key(each.key), each.key, path.key(each.key), errors);
    bytes += bytes_of(each.value, coding);
  }
  return bytes;
}

/// Checks the members that `immutable: true` freezes.
void check_frozen(const Json& object, const Json& old,
                  std::initializer_list<std::string_view> fields, FieldErrors& errors) {
  if (!old.get("immutable").boolean()) return;
  constexpr std::string_view kFrozen = "field is immutable when `immutable` is set";
  if (!object.get("immutable").boolean()) {
    errors.push_back(field_forbidden("immutable", kFrozen));
  }
  for (const std::string_view field : fields) {
    const Json& now = object.get(field);
    const Json& before = old.get(field);
    if (now.empty() && before.empty()) continue;
    if (now != before) errors.push_back(field_forbidden(std::string(field), kFrozen));
  }
}

class ConfigMapRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& data = object.get("data");
    const Json& binary = object.get("binaryData");
    std::size_t bytes = 0;
    for (const Json::Member& each : data.members()) {
      add_invalid(check_config_key(each.key), each.key, kData.key(each.key), errors);
      if (binary.contains(each.key)) {
        errors.push_back(field_invalid(kData.key(each.key).text(), each.key,
                                       "duplicate of key present in binaryData"));
      }
      bytes += each.value.text().size();
    }
    bytes += check_keys(binary, Coding::kBase64, FieldPath("binaryData"), errors);
    if (bytes > kDataBytesMax) errors.push_back(field_too_long("[]", kDataBytesMax));
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_frozen(object, old, {"data", "binaryData"}, errors);
    check_create(object, errors);
  }
};

constexpr std::string_view kAccountAnnotation = "kubernetes.io/service-account.name";

void require_key(const Json& data, std::string_view key, FieldErrors& errors) {
  if (!data.contains(key)) errors.push_back(field_required(kData.key(key).text()));
}

void require_json(const Json& data, std::string_view key, FieldErrors& errors) {
  if (!data.contains(key)) {
    errors.push_back(field_required(kData.key(key).text()));
    return;
  }
  const std::string bytes = decode_base64(data.get(key).text()).value_or("");
  const auto parsed = parse_json(bytes);
  if (parsed && parsed->is_object()) return;
  // The words of Go's decoder, as far as the first byte decides.
  const bool starts = bytes.find_first_of("{[\"-0123456789tfn") == 0;
  const std::string why =
      bytes.empty() || starts
          ? "unexpected end of JSON input"
          : std::string("invalid character '") + bytes.front() + "' looking for beginning of value";
  errors.push_back(field_invalid(kData.key(key).text(), "<secret contents redacted>", why));
}

/// Checks the members that each type of Secret requires.
void check_secret_type(const Json& object, FieldErrors& errors) {
  const std::string& type = object.get("type").text();
  const Json& data = object.get("data");
  if (type == "kubernetes.io/service-account-token") {
    if (object.text_at({"metadata", "annotations", kAccountAnnotation}).empty()) {
      const FieldPath path("metadata.annotations");
      errors.push_back(field_required(path.key(kAccountAnnotation).text()));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    require_json(data, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    require_json(data, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    if (!data.contains("username") && !data.contains("password")) {
      errors.push_back(field_required(kData.key("username").text()));
      errors.push_back(field_required(kData.key("password").text()));
    }
  } else if (type == "kubernetes.io/ssh-auth") {
    if (data.get("ssh-privatekey").text().empty()) {
      errors.push_back(field_required(kData.key("ssh-privatekey").text()));
    }
  } else if (type == kTlsType) {
    require_key(data, kTlsCertificate, errors);
    require_key(data, kTlsKey, errors);
  }
}

/// A value of a Secret; empty if it has none.
std::string value_of(const Json& secret, std::string_view key) {
  return decode_base64(secret.get("data").get(key).text()).value_or("");
}

class SecretRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    replace_empty(object, "type", "Opaque");
    const Json texts = object.get("stringData");
    object.erase("stringData");
    for (const Json::Member& each : texts.members()) {
      object["data"].set(each.key, encode_base64(each.value.text()));
    }
  }

  /// k8s: pkg/registry/core/secret, warningsForSecret.
  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    if (object.get("type").text() != kTlsType) return {};
    std::string problem =
        key_pair_problem({value_of(object, kTlsCertificate), value_of(object, kTlsKey)});
    if (problem.empty()) return {};
    return {std::move(problem)};
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    return {{"type", object.get("type").text()}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override { return field == "type"; }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    if (check_keys(object.get("data"), Coding::kBase64, kData, errors) > kDataBytesMax) {
      errors.push_back(field_too_long("data", kDataBytesMax));
    }
    check_secret_type(object, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_immutable_fields("core.v1.Secret", object, old, FieldPath(), errors);
    check_frozen(object, old, {"data"}, errors);
    check_create(object, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> config_map_rules(const KindFacts& facts) {
  return std::make_shared<ConfigMapRules>(facts);
}

std::shared_ptr<const KindRules> secret_rules(const KindFacts& facts) {
  return std::make_shared<SecretRules>(facts);
}

}  // namespace davit::sandbox
