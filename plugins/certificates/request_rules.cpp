#include "plugins/certificates/request_rules.hpp"

#include <set>
#include <string_view>

namespace davit::certificates {
namespace {

using Usages = std::set<std::string_view>;

constexpr std::string_view kSignature = "digital signature";
constexpr std::string_view kEncipherment = "key encipherment";
constexpr std::string_view kServer = "server auth";
constexpr std::string_view kClient = "client auth";

std::string wrong_organization(const CertificateRequest& request) {
  const std::vector<std::string>& found = request.subject().organizations;
  const bool good = found.size() == 1 && found.front() == "system:nodes";
  return good ? "" : "subject organization is not system:nodes";
}

std::string wrong_common_name(const CertificateRequest& request) {
  const bool good = request.subject().common_name.starts_with("system:node:");
  return good ? "" : "subject common name does not begin with system:node:";
}

std::string not_allowed(std::string_view type, const std::vector<std::string>& names) {
  return names.empty() ? "" : std::string(type) + " subjectAltNames are not allowed";
}

std::string wrong_usages(const SigningRequest& object, std::string_view role,
                         std::string_view expected) {
  const Usages usages = object.usages();
  const bool good =
      usages == Usages{kSignature, kEncipherment, role} || usages == Usages{kSignature, role};
  return good ? "" : "usages did not match [" + std::string(expected) + "]";
}

/// The first text that is not empty.
template <typename... Texts>
std::string first_of(Texts... texts) {
  for (std::string* each : {&texts...}) {
    if (!each->empty()) return std::move(*each);
  }
  return "";
}

/// A6.1
std::string kubelet_serving(const CertificateRequest& request, const SigningRequest& object) {
  const AlternativeNames& names = request.names();
  const bool has_name = !names.dns.empty() || !names.addresses.empty();
  return first_of(wrong_organization(request),
                  std::string(has_name ? "" : "DNS or IP subjectAltName is required"),
                  not_allowed("Email", names.emails), not_allowed("URI", names.uris),
                  wrong_usages(object, kServer, "digital signature key encipherment server auth"),
                  wrong_common_name(request));
}

/// A6.2
std::string kubelet_client(const CertificateRequest& request, const SigningRequest& object) {
  const AlternativeNames& names = request.names();
  return first_of(wrong_organization(request), not_allowed("DNS", names.dns),
                  not_allowed("Email", names.emails), not_allowed("IP", names.addresses),
                  not_allowed("URI", names.uris), wrong_common_name(request),
                  wrong_usages(object, kClient, "client auth digital signature key encipherment"));
}

/// A6.3
std::string client(const SigningRequest& object) {
  bool has_client = false;
  for (const Value each : object.spec()["usages"].elements()) {
    const std::string_view usage = each.string();
    if (usage != kSignature && usage != kEncipherment && usage != kClient) {
      return "invalid usage for client certificate: " + std::string(usage);
    }
    has_client = has_client || usage == kClient;
  }
  return has_client ? "" : "missing required usage for client certificate: client auth";
}

}  // namespace

std::string refusal(Signer::Check check, const CertificateRequest& request,
                    const SigningRequest& object) {
  switch (check) {
    case Signer::Check::kKubeletServing:
      return kubelet_serving(request, object);
    case Signer::Check::kKubeletClient:
      return kubelet_client(request, object);
    case Signer::Check::kClient:
      return client(object);
    case Signer::Check::kNone:
      break;
  }
  return "";
}

}  // namespace davit::certificates
