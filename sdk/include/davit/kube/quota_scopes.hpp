/// The scopes of ResourceQuotas: which objects a quota is about. Pure;
/// kubernetes:pkg/quota/v1/evaluator/core podMatchesScopeFunc and pvcMatchesScopeFunc.
///
/// Objects are given as davit::Value, or as a type that reads another tree in the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <davit/kube/label_match.hpp>
#include <davit/kube/label_syntax.hpp>
#include <davit/kube/quantity.hpp>
#include <davit/names.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::quota {

/// One term of spec.scopes or spec.scopeSelector.
struct ScopeTerm {
  std::string scope;
  std::string op;  ///< "Exists", "DoesNotExist", "In" or "NotIn", unless it is malformed.
  std::vector<std::string> values;
};

/// Whether a quota is about an object.
enum class Scoped : std::uint8_t {
  kInside,
  kOutside,
  kUndecided,  ///< A term has no meaning.
};

/// Whether the pod is to end by itself: the scope Terminating, which has nothing to do with
/// deletion.
template <typename V>
[[nodiscard]] bool is_bounded(V pod) {
  return pod[&Names::spec]["activeDeadlineSeconds"].integer_or(-1) >= 0;
}

namespace detail {

template <typename V>
[[nodiscard]] bool is_object(V value) {
  return value.kind() == decltype(value.kind())::kObject;
}

inline Scoped inside_if(bool holds) { return holds ? Scoped::kInside : Scoped::kOutside; }

/// The term as a selector of one label: the class that the object names.
inline Scoped selects(const ScopeTerm& term, std::optional<std::string_view> name) {
  const bool lists = term.op == "In" || term.op == "NotIn";
  const bool is_known = lists || term.op == "Exists" || term.op == "DoesNotExist";
  const bool are_valid = std::all_of(term.values.begin(), term.values.end(),
                                     [](const std::string& each) { return is_label_value(each); });
  if (!is_known || !are_valid || lists == term.values.empty()) return Scoped::kUndecided;
  const LabelOperator op = term.op == "In"       ? LabelOperator::kIn
                           : term.op == "NotIn"  ? LabelOperator::kNotIn
                           : term.op == "Exists" ? LabelOperator::kExists
                                                 : LabelOperator::kDoesNotExist;
  return inside_if(label_matches(op, term.values, name));
}

template <typename V>
[[nodiscard]] bool has_positive(V resources) {
  for (const std::string_view side : {"requests", "limits"}) {
    for (const std::string_view name : {"cpu", "memory"}) {
      const std::optional<Quantity> amount = Quantity::read(resources[side][name]);
      if (amount && *amount > Quantity()) return true;
    }
  }
  return false;
}

template <typename V>
[[nodiscard]] bool is_best_effort(V pod) {
  const std::string_view known = pod[&Names::status]["qosClass"].string();
  if (!known.empty()) return known == "BestEffort";
  const V spec = pod[&Names::spec];
  const V of_pod = spec["resources"];
  if (is_object(of_pod)) return !has_positive(of_pod);
  for (const V list : {spec[&Names::containers], spec[&Names::init_containers]}) {
    for (const V each : list.elements()) {
      if (has_positive(each["resources"])) return false;
    }
  }
  return true;
}

template <typename V>
[[nodiscard]] bool term_crosses_namespaces(V term) {
  return term["namespaces"].count() > 0 || is_object(term["namespaceSelector"]);
}

template <typename V>
[[nodiscard]] bool crosses_namespaces(V pod) {
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const V affinity = pod[&Names::spec]["affinity"][kind];
    for (const V each : affinity["requiredDuringSchedulingIgnoredDuringExecution"].elements()) {
      if (term_crosses_namespaces(each)) return true;
    }
    for (const V each : affinity["preferredDuringSchedulingIgnoredDuringExecution"].elements()) {
      if (term_crosses_namespaces(each["podAffinityTerm"])) return true;
    }
  }
  return false;
}

template <typename V>
[[nodiscard]] Scoped scope_of_pod(const ScopeTerm& term, V pod) {
  if (term.scope == "Terminating") return inside_if(is_bounded(pod));
  if (term.scope == "NotTerminating") return inside_if(!is_bounded(pod));
  if (term.scope == "BestEffort") return inside_if(is_best_effort(pod));
  if (term.scope == "NotBestEffort") return inside_if(!is_best_effort(pod));
  if (term.scope == "CrossNamespacePodAffinity") return inside_if(crosses_namespaces(pod));
  if (term.scope != "PriorityClass") return Scoped::kOutside;
  const std::string_view name = pod[&Names::spec]["priorityClassName"].string();
  if (term.op == "Exists") return inside_if(!name.empty());
  return selects(term, name.empty() ? std::nullopt : std::optional(name));
}

template <typename V>
[[nodiscard]] Scoped scope_of_volume_claim(const ScopeTerm& term, V claim) {
  if (term.scope != "VolumeAttributesClass") return Scoped::kOutside;
  const V status = claim[&Names::status];
  const std::string_view names[] = {
      claim[&Names::spec]["volumeAttributesClassName"].string(),
      status["currentVolumeAttributesClassName"].string(),
      status["modifyVolumeStatus"]["targetVolumeAttributesClassName"].string()};
  bool has_any = false;
  Scoped out = Scoped::kOutside;
  for (const std::string_view each : names) {
    if (each.empty()) continue;
    has_any = true;
    const Scoped verdict = term.op == "Exists" ? Scoped::kInside : selects(term, each);
    if (verdict != Scoped::kOutside) out = verdict;
  }
  if (has_any) return out;
  return term.op == "Exists" ? Scoped::kOutside : selects(term, std::nullopt);
}

/// Inside if that is the verdict of all terms; undecided from the first term on that has no
/// meaning.
template <typename Decide>
[[nodiscard]] Scoped all_of(const std::vector<ScopeTerm>& terms, const Decide& decide) {
  Scoped out = Scoped::kInside;
  for (const ScopeTerm& each : terms) {
    const Scoped verdict = decide(each);
    if (verdict == Scoped::kUndecided) return verdict;
    if (verdict == Scoped::kOutside) out = verdict;
  }
  return out;
}

}  // namespace detail

/// The terms of a ResourceQuota.
template <typename V>
[[nodiscard]] std::vector<ScopeTerm> scope_terms(V quota) {
  const V spec = quota[&Names::spec];
  std::vector<ScopeTerm> out;
  for (const V each : spec["scopes"].elements()) {
    out.push_back({std::string(each.string()), "Exists", {}});
  }
  for (const V each : spec["scopeSelector"][&Names::match_expressions].elements()) {
    ScopeTerm term{
        std::string(each["scopeName"].string()), std::string(each[&Names::op].string()), {}};
    for (const V value : each[&Names::values].elements()) term.values.emplace_back(value.string());
    out.push_back(std::move(term));
  }
  return out;
}

/// Rule: docs/spec/resourcequota.md, section 10.
template <typename V>
[[nodiscard]] Scoped scope_of_pod(const std::vector<ScopeTerm>& terms, V pod) {
  return detail::all_of(terms,
                        [&pod](const ScopeTerm& term) { return detail::scope_of_pod(term, pod); });
}

/// The same for a PersistentVolumeClaim.
template <typename V>
[[nodiscard]] Scoped scope_of_volume_claim(const std::vector<ScopeTerm>& terms, V claim) {
  return detail::all_of(terms, [&claim](const ScopeTerm& term) {
    return detail::scope_of_volume_claim(term, claim);
  });
}

/// Every other kind has no scopes.
[[nodiscard]] inline Scoped scope_of_other(const std::vector<ScopeTerm>& terms) {
  return detail::inside_if(terms.empty());
}

}  // namespace davit::quota
