#include "sandbox/admission/quota.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/kube/json_view.hpp"
#include "sandbox/admission/quota_evaluator.hpp"

namespace davit::sandbox {

namespace {

/// "cpu=500m,pods=1"
std::string amounts_text(const Amounts& amounts, const std::set<std::string>& names) {
  std::string out;
  for (const std::string& each : names) {
    if (!out.empty()) out += ',';
    out += each + '=' + resource_amount(amounts, each).text();
  }
  return out;
}

std::string hard_text(const Json& hard, const std::set<std::string>& names) {
  std::string out;
  for (const std::string& each : names) {
    if (!out.empty()) out += ',';
    out += each + '=' + hard.get(each).text();
  }
  return out;
}

/// Why `object` does not fit beside `others`; "" when it does.
std::string flaw(const Json& quota, const WriteRequest& request, const Json& object,
                 const std::vector<Json>& others) {
  const Json* hard = quota.at({"spec", "hard"});
  if (hard == nullptr || !quota_applies(quota, request.resource, object)) return "";
  const std::string& name = quota.text_at({"metadata", "name"});
  const std::string missing = missing_amounts(*hard, request.resource, object);
  if (!missing.empty()) return "failed quota: " + name + ": must specify " + missing;
  const Amounts requested = quota_usage(request.resource, object);
  Amounts used;
  for (const Json& other : others) {
    if (!quota_applies(quota, request.resource, other)) continue;
    add_resources(used, quota_usage(request.resource, other));
  }
  std::set<std::string> exceeded;
  for (const Json::Member& each : hard->members()) {
    const Amount more = resource_amount(requested, each.key);
    if (more.is_zero()) continue;
    Amount sum = resource_amount(used, each.key);
    sum += more;
    if (sum > Amount::read(JsonView(each.value)).value_or(Amount())) exceeded.insert(each.key);
  }
  if (exceeded.empty()) return "";
  return "exceeded quota: " + name + ", requested: " + amounts_text(requested, exceeded) +
         ", used: " + amounts_text(used, exceeded) + ", limited: " + hard_text(*hard, exceeded);
}

std::string name_in(const WriteRequest& request, const Json& object) {
  return request.name.empty() ? object.text_at({"metadata", "name"}) : std::string(request.name);
}

}  // namespace

class Quota::Hold final : public Reservation {
 public:
  Hold(Quota& owner, Pendings::iterator pending) : owner_(owner), pending_(pending) {}
  ~Hold() override { owner_.forget(pending_); }
  /// Once the object is in the store it is counted there.
  void commit() override {}

 private:
  Quota& owner_;
  const Pendings::iterator pending_;
};

Reserved Quota::reserve(const WriteRequest& request, const Json& object) {
  if (!request.resource.namespaced) return {};
  const std::vector<VersionPtr> quotas = objects_.list({"", "resourcequotas"}, request.ns);
  if (quotas.empty()) return {};
  Pendings::iterator mine;
  {
    MutexLock lock(mutex_);
    mine = pending_.insert(pending_.end(),
                           Pending{std::string(request.ns), request.resource.collection,
                                   name_in(request, object), object});
  }
  Reserved out{std::nullopt, std::make_unique<Hold>(*this, mine), {}};
  const std::vector<Json> others = counted(request, *mine);
  for (const VersionPtr& each : quotas) {
    const Json quota = each->json();
    const std::string why = flaw(quota, request, object, others);
    if (why.empty()) {
      if (quota_applies(quota, request.resource, object)) out.quotas.push_back(each->name);
      continue;
    }
    Subject subject = Subject::resource(request.resource, name_in(request, object));
    return {forbidden(std::move(subject), why), nullptr, {}};
  }
  return out;
}

std::vector<Json> Quota::counted(const WriteRequest& request, const Pending& mine) {
  std::vector<Json> out;
  std::set<std::string> names{mine.name};
  // First those on their way: one that arrives in between is then seen twice, not missed.
  std::vector<Pending> before;
  {
    MutexLock lock(mutex_);
    for (const Pending& each : pending_) {
      if (&each == &mine) break;
      if (each.ns == mine.ns && each.collection == mine.collection) before.push_back(each);
    }
  }
  for (const VersionPtr& each : objects_.list(request.resource.collection, request.ns)) {
    names.insert(each->name);
    out.push_back(each->json());
  }
  for (Pending& each : before) {
    if (names.insert(each.name).second) out.push_back(std::move(each.object));
  }
  return out;
}

void Quota::forget(Pendings::iterator pending) {
  MutexLock lock(mutex_);
  pending_.erase(pending);
}

}  // namespace davit::sandbox
