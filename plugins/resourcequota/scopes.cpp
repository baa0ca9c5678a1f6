#include "plugins/resourcequota/scopes.hpp"

#include <algorithm>
#include <davit/kube/label_match.hpp>
#include <davit/kube/label_syntax.hpp>
#include <optional>

#include "plugins/resourcequota/amount.hpp"

namespace davit::resourcequota {
namespace {

constexpr std::string_view kExists = "Exists";

Scoped inside_if(bool holds) { return holds ? Scoped::kInside : Scoped::kOutside; }

/// The term as a selector of one label: the class that the object names.
Scoped selects(const ScopeTerm& term, std::optional<std::string_view> name) {
  const bool lists = term.op == "In" || term.op == "NotIn";
  const bool is_known = lists || term.op == kExists || term.op == "DoesNotExist";
  const bool are_valid = std::all_of(term.values.begin(), term.values.end(),
                                     [](const std::string& each) { return is_label_value(each); });
  if (!is_known || !are_valid || lists == term.values.empty()) return Scoped::kUndecided;
  const LabelOperator op = term.op == "In"      ? LabelOperator::kIn
                           : term.op == "NotIn" ? LabelOperator::kNotIn
                           : term.op == kExists ? LabelOperator::kExists
                                                : LabelOperator::kDoesNotExist;
  return inside_if(label_matches(op, term.values, name));
}

bool has_positive(Value resources) {
  for (const std::string_view side : {"requests", "limits"}) {
    for (const std::string_view name : {"cpu", "memory"}) {
      const std::optional<Amount> amount = Amount::read(resources[side][name]);
      if (amount && amount->is_positive()) return true;
    }
  }
  return false;
}

bool is_best_effort(const Pod& pod) {
  const std::string_view known = pod.status()["qosClass"].string();
  if (!known.empty()) return known == "BestEffort";
  const Value of_pod = pod.spec()["resources"];
  if (of_pod.kind() == Kind::kObject) return !has_positive(of_pod);
  for (const Value list : {pod.spec()[&Names::containers], pod.spec()[&Names::init_containers]}) {
    for (const Value each : list.elements()) {
      if (has_positive(each["resources"])) return false;
    }
  }
  return true;
}

bool crosses_namespaces(Value term) {
  return term["namespaces"].count() > 0 || term["namespaceSelector"].kind() == Kind::kObject;
}

bool crosses_namespaces(const Pod& pod) {
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const Value affinity = pod.spec()["affinity"][kind];
    for (const Value each : affinity["requiredDuringSchedulingIgnoredDuringExecution"].elements()) {
      if (crosses_namespaces(each)) return true;
    }
    for (const Value each :
         affinity["preferredDuringSchedulingIgnoredDuringExecution"].elements()) {
      if (crosses_namespaces(each["podAffinityTerm"])) return true;
    }
  }
  return false;
}

Scoped scope_of_pod(const ScopeTerm& term, const Pod& pod) {
  if (term.scope == "Terminating") return inside_if(is_bounded(pod));
  if (term.scope == "NotTerminating") return inside_if(!is_bounded(pod));
  if (term.scope == "BestEffort") return inside_if(is_best_effort(pod));
  if (term.scope == "NotBestEffort") return inside_if(!is_best_effort(pod));
  if (term.scope == "CrossNamespacePodAffinity") return inside_if(crosses_namespaces(pod));
  if (term.scope != "PriorityClass") return Scoped::kOutside;
  const std::string_view name = pod.spec()["priorityClassName"].string();
  if (term.op == kExists) return inside_if(!name.empty());
  return selects(term, name.empty() ? std::nullopt : std::optional(name));
}

Scoped scope_of_volume_claim(const ScopeTerm& term, const ObjectView& claim) {
  if (term.scope != "VolumeAttributesClass") return Scoped::kOutside;
  const std::string_view names[] = {
      claim.spec()["volumeAttributesClassName"].string(),
      claim.status()["currentVolumeAttributesClassName"].string(),
      claim.status()["modifyVolumeStatus"]["targetVolumeAttributesClassName"].string()};
  bool has_any = false;
  Scoped out = Scoped::kOutside;
  for (const std::string_view each : names) {
    if (each.empty()) continue;
    has_any = true;
    const Scoped verdict = term.op == kExists ? Scoped::kInside : selects(term, each);
    if (verdict != Scoped::kOutside) out = verdict;
  }
  if (has_any) return out;
  return term.op == kExists ? Scoped::kOutside : selects(term, std::nullopt);
}

/// Inside if that is the verdict of all terms; undecided from the first term on that has no
/// meaning.
template <typename Decide>
Scoped all_of(const std::vector<ScopeTerm>& terms, const Decide& decide) {
  Scoped out = Scoped::kInside;
  for (const ScopeTerm& each : terms) {
    const Scoped verdict = decide(each);
    if (verdict == Scoped::kUndecided) return verdict;
    if (verdict == Scoped::kOutside) out = verdict;
  }
  return out;
}

}  // namespace

std::vector<ScopeTerm> scope_terms(const ResourceQuota& quota) {
  std::vector<ScopeTerm> out;
  for (const Value each : quota.spec()["scopes"].elements()) {
    out.push_back({std::string(each.string()), std::string(kExists), {}});
  }
  for (const Value each : quota.spec()["scopeSelector"][&Names::match_expressions].elements()) {
    ScopeTerm term{
        std::string(each["scopeName"].string()), std::string(each[&Names::op].string()), {}};
    for (const Value value : each[&Names::values].elements()) {
      term.values.emplace_back(value.string());
    }
    out.push_back(std::move(term));
  }
  return out;
}

Scoped scope_of_pod(const std::vector<ScopeTerm>& terms, const Pod& pod) {
  return all_of(terms, [&pod](const ScopeTerm& term) { return scope_of_pod(term, pod); });
}

Scoped scope_of_volume_claim(const std::vector<ScopeTerm>& terms, const ObjectView& claim) {
  return all_of(terms,
                [&claim](const ScopeTerm& term) { return scope_of_volume_claim(term, claim); });
}

bool is_bounded(const Pod& pod) { return pod.spec()["activeDeadlineSeconds"].integer_or(-1) >= 0; }

}  // namespace davit::resourcequota
