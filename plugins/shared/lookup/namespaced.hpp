/// Lookups of names that are unique in their namespace only, by indexes over the names alone.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::lookup {

/// So many objects are visited without a look at the size of the namespace.
inline constexpr std::size_t kFew = 32;

/// The candidates that were visited.
enum class Candidates { kOfTheName, kOfTheNamespace };

/// Calls `visit` for the objects of the namespace that have `name` in one of the indexes; an object
/// that is in several may be visited several times. If the name is that of many objects, as
/// StatefulSets name claims alike in each namespace, and the namespace has fewer, it visits all of
/// the namespace instead. So a name that one namespace has costs what it finds, however large the
/// namespace is. A name that many namespaces have still costs one look at its list.
template <typename Cache, typename Visit>
Candidates each_candidate(const Cache& cache, std::initializer_list<std::string_view> indexes,
                          std::string_view ns, std::string_view name, const Visit& visit) {
  std::vector<decltype(cache.by_index({}, {}))> named;
  std::size_t count = 0;
  for (const std::string_view each : indexes) {
    named.push_back(cache.by_index(each, name));
    count += named.back().size();
  }
  if (count > kFew) {
    const auto near = cache.in_namespace(ns);
    if (near.size() < count) {
      for (const auto& each : near) visit(each);
      return Candidates::kOfTheNamespace;
    }
  }
  for (const auto& list : named) {
    for (const auto& each : list) {
      if (each.ns() == ns) visit(each);
    }
  }
  return Candidates::kOfTheName;
}

}  // namespace davit::lookup
