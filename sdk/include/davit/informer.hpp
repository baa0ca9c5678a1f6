/// Informer: a controller's view of the host's shared cache of one resource.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/key.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/lookup.hpp>
#include <davit/object.hpp>
#include <davit/time.hpp>
#include <davit/trampoline.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// One change of one object. Updates that arrive while handlers are busy are merged into one.
template <typename View>
struct Event {
  enum class Type : std::int32_t {
    kAdded = DAVIT_EVENT_ADDED,
    kUpdated = DAVIT_EVENT_UPDATED,
    kDeleted = DAVIT_EVENT_DELETED,
  };
  Type type;
  View current;            ///< Deleted: the last known state.
  Lookup<View> old;        ///< Updated: what this handler saw last. Its UID may differ.
  bool initial = false;    ///< Added: part of the informer's initial content.
  bool tombstone = false;  ///< Deleted: the deletion was missed; the state may be old.
};

/// Callbacks for changes; called one at a time per controller, in the order of changes. They should
/// only add keys to queues, and must not send requests or wait. Unset callbacks are skipped.
template <typename View>
struct Handlers {
  std::function<void(const View& added)> added = {};
  std::function<void(const View& old, const View& current)> updated = {};
  std::function<void(const View& deleted)> deleted = {};  ///< Tombstones too.
  std::function<void(const Event<View>&)> any = {};       ///< Called first, for every change.
};

struct InformerOptions {
  std::string_view label_selector = {};  ///< Evaluated by the server.
  std::string_view field_selector = {};  ///< Evaluated by the server.
  /// The watch is renewed after this time without data; at least a second; 0: the host decides. For
  /// controllers that act on the absence of changes.
  std::chrono::milliseconds silence_max{0};
};

/// The freshness of a cache; times as those of Context::now().
struct CacheFreshness {
  Time confirmed;       ///< When the connection last worked; does not prove the content.
  Time followed_since;  ///< No outage has interrupted the host's view of the server since then.
  /// The content includes everything that the server had then. Moves only after verify(). On a host
  /// without this capability, the same as `confirmed`.
  Time verified;
};

/// Reads the cache of one resource. A handle: cheap to copy, valid as long as the controller lives.
/// Read it in handlers, syncs and timers; during the controller's construction the cache is empty.
template <typename View>
class Informer {
 public:
  /// Use Context::open_informer instead.
  Informer(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// The object, absence, or an error (for example kMisuse during the controller's construction).
  Lookup<View> get(std::string_view ns, std::string_view name) const {
    davit_value out{};
    const davit_code code = api_->informer->get(api_->call(), handle_, to_c(ns), to_c(name), &out);
    return detail::looked_up<View>(*api_, code, out);
  }
  Lookup<View> get(const Key& key) const { return get(key.ns, key.name); }

  /// For handlers, syncs and timers; elsewhere it throws NoValue. A host without the capability
  /// (ABI 1.0) counts as fresh.
  [[nodiscard]] CacheFreshness freshness() const {
    davit_freshness out{};
    out.size = sizeof(out);
    const davit_code code = api_->freshness == nullptr
                                ? DAVIT_NOT_FOUND
                                : api_->freshness->read(api_->call(), handle_, &out);
    if (code != DAVIT_OK && code != DAVIT_NOT_FOUND) {
      throw NoValue(detail::refused_read(*api_, code, "the freshness of a cache"));
    }
    if (code != DAVIT_OK) {
      const Time now{Duration(api_->clock->monotonic_ns(api_->call()))};
      return {now, Time::min(), now};
    }
    const bool tells = out.size >= offsetof(davit_freshness, verified_ns) + sizeof(out.verified_ns);
    return {Time(Duration(out.confirmed_ns)), Time(Duration(out.followed_since_ns)),
            Time(Duration(tells ? out.verified_ns : out.confirmed_ns))};
  }
  /// Makes the host compare the content with the server's current state; afterwards `verified` is
  /// the time of this call or later. Does not wait; repeated calls before that cost nothing.
  void verify() const {
    if (api_->freshness != nullptr) {
      static_cast<void>(api_->freshness->verify(api_->call(), handle_));
    }
  }

  List<View> list() const { return by_index({}, {}); }
  List<View> in_namespace(std::string_view ns) const { return by_index(DAVIT_INDEX_NAMESPACE, ns); }
  /// The objects that `owner` controls; see ObjectView::is_controlled_by(). They live like those of
  /// a List.
  template <typename Owner>
  [[nodiscard]] std::vector<View> controlled_by(const Owner& owner) const {
    return controlled_by({Owner::kResource.kind, owner.ns(), owner.name(), owner.uid()});
  }
  [[nodiscard]] std::vector<View> controlled_by(const ControllerIdentity& owner) const {
    std::vector<View> out;
    for (const View& each : by_index(DAVIT_INDEX_CONTROLLER, owner.uid)) {
      if (each.is_controlled_by(owner)) out.push_back(each);
    }
    return out;
  }
  /// Objects of a namespace that have no controller reference.
  List<View> orphans(std::string_view ns) const {
    return by_index(DAVIT_INDEX_CONTROLLER, "/" + std::string(ns));
  }
  /// Objects of a namespace that have this label.
  List<View> by_label(std::string_view ns, std::string_view key, std::string_view value) const {
    return by_index(DAVIT_INDEX_LABEL,
                    std::string(ns) + "/" + std::string(key) + "=" + std::string(value));
  }
  /// All objects of a namespace that have every label of the map `wanted`, and possibly some that
  /// have only a part of them. Without labels, the whole namespace.
  List<View> with_labels(std::string_view ns, Value wanted) const {
    constexpr std::size_t kFew = 64;  // So few that the next label's index is not worth a look-up.
    std::optional<List<View>> fewest;
    for (const Member& label : wanted.members()) {
      const List<View> some = by_label(ns, label.key, label.value.string());
      if (!some.error().ok()) return some;
      if (!fewest || some.size() < fewest->size()) fewest = some;
      if (fewest->size() <= kFew) break;
    }
    return fewest ? *fewest : in_namespace(ns);
  }
  /// Objects with `key` in an index; see Context::add_index. kMisuse: there is no such index.
  List<View> by_index(std::string_view index, std::string_view key) const {
    davit_list out{};
    const davit_code code =
        api_->informer->select(api_->call(), handle_, to_c(index), to_c(key), &out);
    return detail::selected<View>(*api_, code, out, index);
  }

  [[nodiscard]] davit_handle handle() const { return handle_; }

 private:
  const Api* api_;
  davit_handle handle_;
};

namespace detail {

/// An object that must stay at one address because the host holds a pointer to it.
class Anchored {
 public:
  Anchored() = default;
  Anchored(const Anchored&) = delete;
  Anchored& operator=(const Anchored&) = delete;
  virtual ~Anchored() = default;
};

/// Calls the handlers for a change.
template <typename View>
void deliver(const Api& api, const Handlers<View>& handlers, const davit_event& raw) {
  using Type = typename Event<View>::Type;
  Event<View> event{static_cast<Type>(raw.type), View(Value(&api, raw.value)), Lookup<View>(),
                    raw.initial != 0, raw.tombstone != 0};
  if (event.type == Type::kUpdated) event.old = View(Value(&api, raw.old_value));
  if (handlers.any) handlers.any(event);
  switch (event.type) {
    case Type::kAdded:
      if (handlers.added) handlers.added(event.current);
      break;
    case Type::kUpdated:
      if (handlers.updated) handlers.updated(*event.old, event.current);
      break;
    case Type::kDeleted:
      if (handlers.deleted) handlers.deleted(event.current);
      break;
  }
}

template <typename View>
class HandlerAnchor final : public Anchored {
 public:
  HandlerAnchor(const Api& api, Handlers<View> handlers)
      : api_(api), handlers_(std::move(handlers)) {}

  static void on_event(void* self, const davit_call* call, const davit_event* raw) noexcept {
    auto& anchor = *static_cast<HandlerAnchor*>(self);
    guarded_handler(anchor.api_, call, View::kResource.resource, raw->value,
                    [&] { detail::deliver(anchor.api_, anchor.handlers_, *raw); });
  }

 private:
  const Api& api_;
  Handlers<View> handlers_;
};

}  // namespace detail
}  // namespace davit
