#include "sandbox/rest/quota_charge.hpp"

#include "lib/kube/json_view.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

/// `quota` with the usage of one object more.
Json charged(const Json& quota, const Amounts& usage) {
  Json next = quota;
  for (const Json::Member& each : quota.get("status").get("used").members()) {
    const Amount more = resource_amount(usage, each.key);
    if (more.is_zero()) continue;
    Amount sum = Amount::read(JsonView(each.value)).value_or(Amount());
    sum += more;
    next["status"]["used"].set(each.key, sum.text());
  }
  return next;
}

}  // namespace

void charge_quotas(const RestParts& parts, const std::string& ns, const QuotaCharge& charge) {
  if (charge.quotas.empty()) return;
  const ResourcePtr kind = parts.resources.now()->find("", "v1", "resourcequotas");
  for (const std::string& each : charge.quotas) {
    // One that is gone by now has nothing to count.
    static_cast<void>(rewrite_status(parts, *kind, ns, each, DryRun::kNo, [&](const Json& quota) {
      return ApiResult<Json>(charged(quota, charge.usage));
    }));
  }
}

}  // namespace davit::sandbox
