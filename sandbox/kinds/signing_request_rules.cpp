#include <algorithm>
#include <array>
#include <davit/base64.hpp>
#include <optional>
#include <set>
#include <string>

#include "lib/net/signing_request.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/cluster_rules.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kSpecType = "certificates.v1.CertificateSigningRequestSpec";
constexpr std::string_view kLegacySigner = "kubernetes.io/legacy-unknown";
constexpr std::int64_t kSecondsMin = 600;
constexpr std::size_t kDomainBytesMax = 253;
/// A domain, a slash, and a path of 253 characters with one more label.
constexpr std::size_t kSignerBytesMax = kDomainBytesMax + 1 + kDomainBytesMax + 1 + 63;

/// Sorted, as the error lists them.
constexpr std::array<std::string_view, 23> kUsages = {"any",
                                                      "cert sign",
                                                      "client auth",
                                                      "code signing",
                                                      "content commitment",
                                                      "crl sign",
                                                      "data encipherment",
                                                      "decipher only",
                                                      "digital signature",
                                                      "email protection",
                                                      "encipher only",
                                                      "ipsec end system",
                                                      "ipsec tunnel",
                                                      "ipsec user",
                                                      "key agreement",
                                                      "key encipherment",
                                                      "microsoft sgc",
                                                      "netscape sgc",
                                                      "ocsp signing",
                                                      "s/mime",
                                                      "server auth",
                                                      "signing",
                                                      "timestamping"};
/// Conditions that are never taken back.
constexpr std::array<std::string_view, 3> kFinal = {"Approved", "Denied", "Failed"};

constexpr FieldPath kStatus("status");

bool is_final(std::string_view type) { return std::ranges::find(kFinal, type) != kFinal.end(); }

void check_request(const Json& spec, FieldErrors& errors) {
  const Json& value = spec.get("request");
  const std::optional<std::string> pem = decode_base64(value.text());
  const Result<SigningRequest> request = read_signing_request(pem.value_or(""));
  const Status verdict = request ? request->signature : request.error();
  if (verdict.ok()) return;
  errors.push_back(field_invalid(kSpec.text("request"), value, verdict.message()));
}

void check_usages(const Json& usages, FieldErrors& errors) {
  const FieldPath path = kSpec.child("usages");
  std::set<std::string_view> seen;
  std::size_t at = 0;
  for (const Json& each : usages.items()) {
    const std::string place = path.index(at++).text();
    if (std::ranges::find(kUsages, each.text()) == kUsages.end()) {
      errors.push_back(field_not_supported(place, each, {kUsages.begin(), kUsages.end()}));
    }
    if (!seen.insert(each.text()).second) errors.push_back(field_duplicate(place, each));
  }
}

void add_label_errors(const Violations& violations, std::string_view label, std::string_view part,
                      FieldErrors& errors) {
  for (const std::string& each : violations) {
    errors.push_back(field_invalid(kSpec.text("signerName"), Json(part),
                                   "validating label " + to_text(Json(label)) + ": " + each));
  }
}

/// Calls `visit` with each part of `text` between dots; the number of parts.
template <typename Visit>
std::size_t for_each_label(std::string_view text, const Visit& visit) {
  std::size_t count = 1;
  for (; text.find('.') != std::string_view::npos; ++count) {
    visit(text.substr(0, text.find('.')));
    text.remove_prefix(text.find('.') + 1);
  }
  visit(text);
  return count;
}

/// `<domain with a dot>/<path>` (k8s: ValidateSignerName).
void check_signer_name(std::string_view name, FieldErrors& errors) {
  const std::string place = kSpec.text("signerName");
  const auto refuse = [&](std::string_view value, std::string_view why) {
    errors.push_back(field_invalid(place, Json(value), why));
  };
  if (name.empty()) return;  // Reported as missing.
  if (name == kLegacySigner) {
    return refuse(name, "the legacy signerName is not allowed via this API version");
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find('/', slash + 1) != std::string_view::npos) {
    return refuse(
        name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  const std::string_view domain = name.substr(0, slash);
  const std::string_view path = name.substr(slash + 1);
  if (domain.size() > kDomainBytesMax) errors.push_back(field_too_long(place, kDomainBytesMax));
  const std::size_t labels = for_each_label(domain, [&](std::string_view label) {
    add_label_errors(check_dns_label(label), label, domain, errors);
  });
  if (labels < 2) refuse(domain, "should be a domain with at least two segments separated by dots");
  for_each_label(path, [&](std::string_view label) {
    add_label_errors(check_dns_subdomain(label), label, path, errors);
  });
  if (name.size() > kSignerBytesMax) errors.push_back(field_too_long(place, kSignerBytesMax));
}

void check_condition_status(const Json& condition, const FieldPath& path, FieldErrors& errors) {
  const Json& status = condition.get("status");
  const std::string place = path.text("status");
  if (status.text().empty()) {
    errors.push_back(field_required(place));
  } else if (is_final(condition.get("type").text())) {
    if (status.text() != "True") errors.push_back(field_not_supported(place, status, {"True"}));
  } else if (status.text() != "True" && status.text() != "False" && status.text() != "Unknown") {
    errors.push_back(field_not_supported(place, status, {"False", "True", "Unknown"}));
  }
}

void check_conditions(const Json& conditions, FieldErrors& errors) {
  const FieldPath path = kStatus.child("conditions");
  std::set<std::string_view> seen;
  std::size_t at = 0;
  for (const Json& each : conditions.items()) {
    const FieldPath place = path.index(at++);
    const std::string& type = each.get("type").text();
    if (type.empty()) errors.push_back(field_required(place.text("type")));
    check_condition_status(each, place, errors);
    if ((type == "Approved" && seen.contains("Denied")) ||
        (type == "Denied" && seen.contains("Approved"))) {
      errors.push_back(field_invalid(place.text("type"), each.get("type"),
                                     "Approved and Denied conditions are mutually exclusive"));
    }
    if (!seen.insert(type).second) {
      errors.push_back(field_duplicate(place.text("type"), each.get("type")));
    }
  }
}

void check_certificate(const Json& certificate, FieldErrors& errors) {
  if (certificate.text().empty()) return;
  const std::optional<std::string> pem = decode_base64(certificate.text());
  const Status verdict = check_certificate_chain(pem.value_or(""));
  if (verdict.ok()) return;
  errors.push_back(
      field_invalid(kStatus.text("certificate"), Json("<certificate data>"), verdict.message()));
}

std::ptrdiff_t count_of(const Json& object, std::string_view type) {
  return std::ranges::count_if(
      object.get("status").get("conditions").items(),
      [type](const Json& each) { return each.get("type").text() == type; });
}

/// Rows H1.2 to H1.5 of docs/spec/certificates.md.
class SigningRequestRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    // An approval brings conditions only (rest/object_parts), in the status.
    const bool is_object = target == UpdateTarget::kObject;
    PlainRules::prepare_update(object, old, is_object ? target : UpdateTarget::kStatus);
    if (old.contains("spec")) object.set("spec", old.get("spec"));
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    return {{"spec.signerName", object.text_at({"spec", "signerName"})}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return field == "spec.signerName";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_fields(kSpecType, spec, kSpec, errors);
    check_request(spec, errors);
    check_usages(spec.get("usages"), errors);
    check_signer_name(spec.get("signerName").text(), errors);
    const Json& seconds = spec.get("expirationSeconds");
    if (!seconds.is_null() && seconds.integer_or(0) < kSecondsMin) {
      errors.push_back(
          field_invalid(kSpec.text("expirationSeconds"), seconds,
                        "may not specify a duration less than 600 seconds (10 minutes)"));
    }
  }
  /// Neither the spec nor the status changes.
  void check_update(const Json&, const Json&, FieldErrors&) const override {}
  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_change(object, old, errors);
    for (const std::string_view type : {"Approved", "Denied"}) {
      if (count_of(object, type) <= count_of(old, type)) continue;
      errors.push_back(
          field_forbidden(kStatus.text("conditions"),
                          "updates may not add a condition of type " + to_text(Json(type))));
    }
    const Json& before = old.get("status").get("certificate");
    if (!before.text().empty() && before != object.get("status").get("certificate")) {
      errors.push_back(field_forbidden(kStatus.text("certificate"),
                                       "updates may not modify existing certificate content"));
    }
  }
  void check_approval(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_change(object, old, errors);
  }

 private:
  static void check_change(const Json& object, const Json& old, FieldErrors& errors) {
    check_conditions(object.get("status").get("conditions"), errors);
    check_certificate(object.get("status").get("certificate"), errors);
    for (const std::string_view type : kFinal) {
      if (count_of(object, type) >= count_of(old, type)) continue;
      errors.push_back(
          field_forbidden(kStatus.text("conditions"),
                          "updates may not remove a condition of type " + to_text(Json(type))));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> signing_request_rules(const KindFacts& facts) {
  return std::make_shared<SigningRequestRules>(facts);
}

}  // namespace davit::sandbox
