#include "sandbox/rest/quota_charge.hpp"

#include <cstdint>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/admission/quota_usage.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kMilli = 1000;

/// In the notation of the limit: binary if that is.
std::string amount_text(std::int64_t milli, const std::string& limit) {
  constexpr std::int64_t kKibi = 1024;
  const std::int64_t whole = milli / kMilli;
  const bool is_binary = limit.ends_with('i') && milli % kMilli == 0 && whole % kKibi == 0;
  const std::string text =
      is_binary ? std::to_string(whole / kKibi) + "Ki" : std::to_string(milli) + "m";
  return canonical_quantity(text).value_or(text);
}

/// `quota` with the usage of one object more.
Json charged(const Json& quota, const Resource& resource, const Json& object) {
  Json next = quota;
  for (const Json::Member& each : quota.get("status").get("used").members()) {
    const std::int64_t more = quota_usage(each.key, resource, object);
    if (more == 0) continue;
    const std::int64_t before = quantity_milli(each.value.text()).value_or(0);
    const std::string& limit = quota.get("status").get("hard").get(each.key).text();
    next["status"]["used"].set(each.key, amount_text(before + more, limit));
  }
  return next;
}

}  // namespace

void charge_quotas(const RestParts& parts, const std::vector<std::string>& quotas,
                   const Resource& resource, const std::string& ns, const Json& object) {
  const ResourcePtr kind = parts.resources.now()->find("", "v1", "resourcequotas");
  for (const std::string& each : quotas) {
    // One that is gone by now has nothing to count.
    static_cast<void>(rewrite_status(parts, *kind, ns, each, DryRun::kNo, [&](const Json& quota) {
      return ApiResult<Json>(charged(quota, resource, object));
    }));
  }
}

}  // namespace davit::sandbox
