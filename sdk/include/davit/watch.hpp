/// Watches in one line: which changes of which objects add which keys.
///
///     apps_(reconciles<WebApp>(context, queue_, GenerationChanged())),
///     deployments_(owns<Deployment, WebApp>(context, queue_)),
///     settings_(watches<ConfigMap>(context, queue_, [this](const ConfigMap& map) { … }))
#pragma once

#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <davit/key.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/queue.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// Whether a change may add keys.
template <typename View>
using Predicate = std::function<bool(const Event<View>&)>;

/// Lets every addition and deletion through, and the updates for which `differs(old, current)`.
template <typename Differs>
class Updates {
 public:
  explicit Updates(Differs differs) : differs_(std::move(differs)) {}

  template <typename View>
  bool operator()(const Event<View>& event) const {
    return event.type != Event<View>::Type::kUpdated || differs_(*event.old, event.current);
  }

 private:
  Differs differs_;
};

/// The spec changed, or a deletion began. The projection needs metadata.generation. An object
/// without generations, such as a ConfigMap, never passes.
[[nodiscard]] inline auto generation_changed() {
  return Updates([](const ObjectView& old, const ObjectView& current) {
    return old.generation() != current.generation() || old.uid() != current.uid();
  });
}
/// The projection needs metadata.labels.
[[nodiscard]] inline auto labels_changed() {
  return Updates([](const ObjectView& old, const ObjectView& current) {
    return !(old.labels() == current.labels()) || old.uid() != current.uid();
  });
}
/// The projection needs metadata.annotations.
[[nodiscard]] inline auto annotations_changed() {
  return Updates([](const ObjectView& old, const ObjectView& current) {
    return !(old.annotations() == current.annotations()) || old.uid() != current.uid();
  });
}
/// Leaves out the updates of a resync, which deliver an object that has not changed.
[[nodiscard]] inline auto resource_version_changed() {
  return Updates([](const ObjectView& old, const ObjectView& current) {
    return old.resource_version() != current.resource_version();
  });
}

/// Whether one of the predicates lets a change through: any_of(generation_changed(), …).
template <typename... Predicates>
[[nodiscard]] auto any_of(Predicates... predicates) {
  return [=](const auto& event) { return (predicates(event) || ...); };
}
/// Whether all of the predicates let a change through.
template <typename... Predicates>
[[nodiscard]] auto all_of(Predicates... predicates) {
  return [=](const auto& event) { return (predicates(event) && ...); };
}
/// Lets through what `predicate` does not.
template <typename Inner>
[[nodiscard]] auto negated(Inner predicate) {
  return [=](const auto& event) { return !predicate(event); };
}

namespace detail {

/// Calls `add` with the objects that a change is about: of an update the old state first, since it
/// may lead to another key.
template <typename View, typename Add>
[[nodiscard]] Informer<View> open_watch(Context& context, Predicate<View> predicate,
                                        const InformerOptions& options, Add add) {
  return context.open_informer<View>(
      {.any =
           [predicate = std::move(predicate), add = std::move(add)](const Event<View>& event) {
             if (predicate && !predicate(event)) return;
             if (event.old) add(*event.old);
             add(event.current);
           }},
      options);
}

}  // namespace detail

/// Adds the key of each object that changes. The queue must have been opened before.
template <typename View>
[[nodiscard]] Informer<View> reconciles(Context& context, const Queue& queue,
                                        Predicate<View> predicate = {},
                                        const InformerOptions& options = {}) {
  return detail::open_watch<View>(context, std::move(predicate), options,
                                  [queue](const View& object) { queue.add(object); });
}

/// Adds the keys that `keys_of` returns for an object that changes; of an update both for the old
/// and the new state. `keys_of` may read other informers.
template <typename View>
[[nodiscard]] Informer<View> watches(Context& context, const Queue& queue,
                                     std::function<std::vector<Key>(const View&)> keys_of,
                                     Predicate<View> predicate = {},
                                     const InformerOptions& options = {}) {
  return detail::open_watch<View>(context, std::move(predicate), options,
                                  [queue, keys_of = std::move(keys_of)](const View& object) {
                                    for (const Key& each : keys_of(object)) queue.add(each);
                                  });
}

/// The owner references that lead to a key.
enum class OwnedBy { kController, kAnyOwner };
/// The place of the owners.
enum class OwnerScope { kSameNamespace, kCluster };

struct OwnsOptions {
  OwnedBy by = OwnedBy::kController;
  OwnerScope scope = OwnerScope::kSameNamespace;
  InformerOptions informer = {};
};

namespace detail {

void add_owners(const Queue& queue, const ObjectView& owned, const Resource& owner, OwnedBy by,
                OwnerScope scope);

}  // namespace detail

/// Adds the key of the owner of kind `Owner` of each `View` that changes. Any version of the
/// owner's group counts. The projection needs metadata.ownerReferences.
template <typename View, typename Owner>
[[nodiscard]] Informer<View> owns(Context& context, const Queue& queue,
                                  Predicate<View> predicate = {}, const OwnsOptions& options = {}) {
  const auto add = [queue, by = options.by, scope = options.scope](const View& owned) {
    detail::add_owners(queue, owned, Owner::kResource, by, scope);
  };
  return detail::open_watch<View>(context, std::move(predicate), options.informer, add);
}

}  // namespace davit
