#include "sandbox/admission/quota.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/kube/device_quota.hpp>
#include <optional>
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

bool is_device_claims(const Collection& collection) {
  return collection.group == "resource.k8s.io" && collection.resource == "resourceclaims";
}

std::vector<JsonView> views_of(const std::vector<Json>& objects) {
  return {objects.begin(), objects.end()};
}

/// The usage that the pod of a claim has already, if the claim was made for its resources.
Amounts usage_of_owner(const ObjectLookup& lookup, std::string_view ns, JsonView claim,
                       const std::vector<JsonView>& claims) {
  const std::string_view name = quota::extended_owner(claim);
  const VersionPtr found = name.empty() ? nullptr : lookup.get({"", "pods"}, ns, name);
  if (found == nullptr) return {};
  const Json pod = found->json();
  if (!quota::is_extended_claim_of(claim, JsonView(pod), claims)) return {};
  return quota_usage({"", "pods"}, pod);
}

std::vector<Amounts> claim_usages(const ObjectLookup& lookup, std::string_view ns,
                                  const std::vector<Json>& claims) {
  std::vector<Json> classes;
  for (const VersionPtr& each : lookup.list({"resource.k8s.io", "deviceclasses"}, "")) {
    classes.push_back(each->json());
  }
  const quota::DeviceClasses known(views_of(classes));
  const std::vector<JsonView> views = views_of(claims);
  std::vector<Amounts> out;
  for (const JsonView each : views) {
    Amounts usage = quota::device_claim_usage(each, known, usage_of_owner(lookup, ns, each, views));
    std::erase_if(usage, [&known](const auto& amount) {
      return !quota::is_device_claim_name(amount.first, known);
    });
    out.push_back(std::move(usage));
  }
  return out;
}

/// The objects of one kind in a namespace, and what each counts for.
struct Counted {
  Collection collection;
  std::vector<Json> objects;
  std::vector<Amounts> usages;
};

Counted with_usages(const ObjectLookup& lookup, std::string_view ns, Collection collection,
                    std::vector<Json> objects) {
  Counted out{std::move(collection), std::move(objects), {}};
  if (is_device_claims(out.collection)) {
    out.usages = claim_usages(lookup, ns, out.objects);
    return out;
  }
  for (const Json& each : out.objects) out.usages.push_back(quota_usage(out.collection, each));
  return out;
}

/// Another kind whose objects count for names that those of this one count for, too.
std::optional<Collection> kind_beside(const Collection& collection,
                                      const std::vector<Json>& quotas) {
  const bool is_claims = is_device_claims(collection);
  if (!is_claims && collection != Collection{"", "pods"}) return std::nullopt;
  const bool has_shared_names = std::any_of(quotas.begin(), quotas.end(), [](const Json& quota) {
    const Json::Members& hard = quota.get("spec").get("hard").members();
    return std::any_of(hard.begin(), hard.end(),
                       [](const auto& each) { return quota::is_extended_name(each.key); });
  });
  if (!has_shared_names) return std::nullopt;
  return is_claims ? Collection{"", "pods"} : Collection{"resource.k8s.io", "resourceclaims"};
}

void add_usage(const Json& quota, const Counted& counted, Amounts& used) {
  for (std::size_t i = 0; i < counted.objects.size(); ++i) {
    if (!quota_applies(quota, counted.collection, counted.objects[i])) continue;
    add_resources(used, counted.usages[i]);
  }
}

/// A new object that a quota applies to, and the usage beside it.
struct Addition {
  const WriteRequest& request;
  const Json& object;
  const Amounts& usage;
  const std::vector<Counted>& others;
};

/// Why the object does not fit; "" when it does.
std::string flaw(const Json& quota, const Addition& added) {
  const Json* hard = quota.at({"spec", "hard"});
  if (hard == nullptr) return "";
  const std::string& name = quota.text_at({"metadata", "name"});
  const std::string missing =
      missing_amounts(*hard, added.request.resource.collection, added.object);
  if (!missing.empty()) return "failed quota: " + name + ": must specify " + missing;
  Amounts used;
  for (const Counted& each : added.others) add_usage(quota, each, used);
  std::set<std::string> exceeded;
  for (const Json::Member& each : hard->members()) {
    const Amount more = resource_amount(added.usage, each.key);
    if (more.is_zero()) continue;
    Amount sum = resource_amount(used, each.key);
    sum += more;
    if (sum > Amount::read(JsonView(each.value)).value_or(Amount())) exceeded.insert(each.key);
  }
  if (exceeded.empty()) return "";
  return "exceeded quota: " + name + ", requested: " + amounts_text(added.usage, exceeded) +
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
  std::vector<Json> quotas;
  for (const VersionPtr& each : objects_.list({"", "resourcequotas"}, request.ns)) {
    quotas.push_back(each->json());
  }
  if (quotas.empty()) return {};
  const Collection& kind = request.resource.collection;
  Pendings::iterator mine;
  {
    MutexLock lock(mutex_);
    mine = pending_.insert(
        pending_.end(), Pending{std::string(request.ns), kind, name_in(request, object), object});
  }
  Reserved out{std::nullopt, std::make_unique<Hold>(*this, mine), {}};
  std::vector<Json> objects = others(kind, *mine);
  objects.push_back(object);
  std::vector<Counted> counted{with_usages(objects_, request.ns, kind, std::move(objects))};
  out.charge.usage = std::move(counted.front().usages.back());
  counted.front().objects.pop_back();
  counted.front().usages.pop_back();
  if (const std::optional<Collection> beside = kind_beside(kind, quotas)) {
    counted.push_back(with_usages(objects_, request.ns, *beside, others(*beside, *mine)));
  }
  for (const Json& quota : quotas) {
    if (!quota_applies(quota, kind, object)) continue;
    const std::string why = flaw(quota, {request, object, out.charge.usage, counted});
    if (!why.empty()) {
      Subject subject = Subject::resource(request.resource, name_in(request, object));
      return {forbidden(std::move(subject), why), nullptr, {}};
    }
    out.charge.quotas.push_back(quota.text_at({"metadata", "name"}));
  }
  return out;
}

std::vector<Json> Quota::others(const Collection& collection, const Pending& mine) {
  std::vector<Json> out;
  std::set<std::string> names;
  if (collection == mine.collection) names.insert(mine.name);
  // First those on their way: one that arrives in between is then seen twice, not missed.
  std::vector<Pending> before;
  {
    MutexLock lock(mutex_);
    for (const Pending& each : pending_) {
      if (&each == &mine) break;
      if (each.ns == mine.ns && each.collection == collection) before.push_back(each);
    }
  }
  for (const VersionPtr& each : objects_.list(collection, mine.ns)) {
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
