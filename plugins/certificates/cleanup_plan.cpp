#include "plugins/certificates/cleanup_plan.hpp"

#include <chrono>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <optional>
#include <string>

#include "plugins/certificates/authority.hpp"
#include "plugins/shared/pki/pem.hpp"

namespace davit::certificates {
namespace {

constexpr std::chrono::hours kDecided{1};
constexpr std::chrono::hours kPending{24};
constexpr std::chrono::minutes kPodRequest{15};

/// Whether a condition of this type was updated longer ago than `age`. Clients may write any time.
bool has_old(const SigningRequest& object, std::string_view type, WallTime now, Duration age) {
  for (const Value each : object.conditions().elements()) {
    if (each["type"].string() != type) continue;
    const std::optional<WallTime> time = parse_time(each["lastUpdateTime"].string());
    if (time && now - *time > age) return true;
  }
  return false;
}

bool has_expired(const SigningRequest& object, WallTime now) {
  const std::optional<std::string> pem = decode_base64(object.certificate());
  if (!pem) return false;
  const pki::CertificateHandle certificate = pki::first_certificate(*pem);
  if (!certificate) return false;
  const Result<std::int64_t> end = seconds_of(X509_get0_notAfter(certificate.get()));
  return end && now > WallTime(Duration::zero()) &&
         std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count() > *end;
}

}  // namespace

bool is_stale(const SigningRequest& object, WallTime now) {
  const bool issued = !object.certificate().empty();
  if (has_old(object, kApproved, now, issued ? kDecided : kPending)) return true;
  if (has_old(object, kDenied, now, kDecided) || has_old(object, kFailed, now, kDecided)) {
    return true;
  }
  if (object.conditions().count() == 0) {
    const std::optional<WallTime> created = object.creation_time();
    if (created && now - *created > kPending) return true;
  }
  return issued && object.has_condition(kApproved) && has_expired(object, now);
}

bool is_old(const ObjectView& pod_request, WallTime now) {
  const std::optional<WallTime> created = pod_request.creation_time();
  return created && *created + kPodRequest <= now;
}

}  // namespace davit::certificates
