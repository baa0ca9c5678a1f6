/// Owners: which of the cached objects of one kind controls an object, or would adopt it.
#pragma once

#include <davit/informer.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/owner_reference.hpp>
#include <davit/kube/selector.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace davit::owners {

/// The owner that the reference of an object in `ns` means, if the cache has that very one.
template <typename Owner>
[[nodiscard]] Lookup<Owner> resolve(const Informer<Owner>& owners, std::string_view ns,
                                    const OwnerReference& reference) {
  if (reference.kind() != Owner::kResource.kind) return std::nullopt;
  const Lookup<Owner> owner = owners.get(ns, reference.name());
  if (!owner || owner->uid() != reference.uid()) return std::nullopt;
  return owner;
}

/// The owner that controls the object.
template <typename Owner>
[[nodiscard]] Lookup<Owner> controller_of(const Informer<Owner>& owners, const ObjectView& object) {
  const std::optional<OwnerReference> reference = object.controller();
  return reference ? resolve(owners, object.ns(), *reference) : std::nullopt;
}

/// The owners that would adopt an object with these labels. `selector_of` is called with each owner
/// of its namespace; a selector that is empty or cannot be read adopts nothing.
template <typename Owner, typename SelectorOf>
[[nodiscard]] std::vector<Owner> matching(const Informer<Owner>& owners, const ObjectView& object,
                                          const SelectorOf& selector_of) {
  std::vector<Owner> out;
  if (object.labels().count() == 0) return out;
  for (const Owner& owner : owners.in_namespace(object.ns())) {
    const Result<Selector> selector = selector_of(owner);
    if (selector && !selector->empty() && selector->matches(object.labels())) out.push_back(owner);
  }
  return out;
}

/// The selector of an owner that has a LabelSelector.
template <typename Owner>
[[nodiscard]] Result<Selector> label_selector_of(const Owner& owner) {
  return Selector::parse(owner.selector());
}

/// The same for owners whose selector is a LabelSelector.
template <typename Owner>
[[nodiscard]] std::vector<Owner> matching(const Informer<Owner>& owners, const ObjectView& object) {
  return matching(owners, object, label_selector_of<Owner>);
}

/// An absent map equals an empty one.
[[nodiscard]] inline bool same_labels(const ObjectView& a, const ObjectView& b) {
  if (a.labels().count() == 0 && b.labels().count() == 0) return true;
  return a.labels() == b.labels();
}

}  // namespace davit::owners
