#include "plugins/certificates/validity.hpp"

#include <algorithm>
#include <chrono>
#include <davit/kube/time.hpp>
#include <string>

namespace davit::certificates {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

constexpr std::chrono::minutes kBackdate{5};  // Clocks of others may be late.
constexpr std::chrono::minutes kShortest{10};
constexpr std::chrono::hours kShortLived{8};  // Shorter ones are not cut by the backdate.

/// As Go prints a time in UTC.
std::string text_of(std::int64_t time) {
  std::string out = time_text({.seconds = time});
  out.replace(out.find('T'), 1, " ");
  out.replace(out.find('Z'), 1, " +0000 UTC");
  return out;
}

/// The second in which `now + time` is. The sum in nanoseconds may not fit 64 bits.
std::int64_t second_after(WallTime now, Duration time) {
  const Duration since = now.time_since_epoch();
  const Duration fractions = (since - floor<seconds>(since)) + (time - floor<seconds>(time));
  return floor<seconds>(since).count() + floor<seconds>(time).count() +
         floor<seconds>(fractions).count();
}

Duration time_to_live(const ValidityRequest& request) {
  if (!request.requested) return request.ttl;
  const seconds wanted(*request.requested);
  if (wanted > floor<seconds>(request.ttl)) return request.ttl;
  return std::max<Duration>(wanted, kShortest);
}

}  // namespace

Result<Validity> validity_of(const ValidityRequest& request) {
  const Duration ttl = time_to_live(request);
  Validity out{.not_before = second_after(request.now, -Duration(kBackdate)),
               .not_after = second_after(request.now, ttl)};
  if (ttl >= kShortLived) out.not_after -= seconds(kBackdate).count();
  out.not_after = std::min(out.not_after, request.ca_not_after);
  if (out.not_before >= request.ca_not_after) {
    return Status(Code::kInvalid,
                  "the signer has expired: NotAfter=" + text_of(request.ca_not_after));
  }
  if (second_after(request.now, Duration::zero()) >= request.ca_not_after) {
    return Status(Code::kInvalid,
                  "refusing to sign a certificate that expired in the past: "
                  "NotAfter=" +
                      text_of(request.ca_not_after));
  }
  return out;
}

}  // namespace davit::certificates
