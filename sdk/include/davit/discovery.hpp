/// Discovery: the resources that the server offers, by kind and by name.
#pragma once

#include <cstddef>
#include <davit/api.hpp>
#include <davit/key.hpp>
#include <davit/queue.hpp>
#include <davit/time.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// A resource that the server offers in one version. Borrowed until the sync, timer or init call in
/// which it was read returns, and so are its texts.
class ServedResource {
 public:
  explicit ServedResource(const davit_served_resource& raw) : raw_(raw) {}

  [[nodiscard]] std::string_view group() const { return from_c(raw_.group); }
  [[nodiscard]] std::string_view version() const { return from_c(raw_.version); }
  [[nodiscard]] std::string_view resource() const { return from_c(raw_.resource); }
  [[nodiscard]] std::string_view kind() const { return from_c(raw_.kind); }
  /// "apps/v1", or "v1" for the core group.
  [[nodiscard]] std::string api_version() const {
    return group().empty() ? std::string(version())
                           : std::string(group()) + "/" + std::string(version());
  }
  [[nodiscard]] bool is_namespaced() const { return raw_.scope == DAVIT_SCOPE_NAMESPACED; }
  /// Whether its version is the preferred one of its group.
  [[nodiscard]] bool is_preferred() const { return raw_.is_preferred != 0; }
  /// "list", "watch", …
  [[nodiscard]] bool has_verb(std::string_view verb) const {
    return contains(raw_.verbs, raw_.verb_count, verb);
  }
  /// "status", "scale", …
  [[nodiscard]] bool has_subresource(std::string_view name) const {
    return contains(raw_.subresources, raw_.subresource_count, name);
  }

 private:
  static bool contains(const davit_str* texts, std::size_t count, std::string_view wanted) {
    return std::any_of(texts, texts + count,
                       [wanted](const davit_str& each) { return from_c(each) == wanted; });
  }

  davit_served_resource raw_;
};

/// A version of a group whose resources the server could not list. They may exist: rely on earlier
/// knowledge of them.
struct UnknownVersion {
  std::string_view group;
  std::string_view version;
  std::string_view why;
};

/// The whole API of the server. Borrowed as ServedResource is.
struct ServedCatalog {
  /// Every version of every group; the preferred version of a group comes before its others.
  std::vector<ServedResource> resources;
  std::vector<UnknownVersion> unknown;
  Time fetched{};  ///< On Context::now(): includes the server's changes up to then.

  /// Whether the resources of this group and version are unknown.
  [[nodiscard]] bool is_unknown(std::string_view group, std::string_view version) const;
};

/// A handle: cheap to copy. Call lookups in constructors, syncs and timers; they may wait for the
/// server if the host's catalog is old. The other functions return at once and may also be called
/// in handlers.
///
/// Errors of lookups: kNotFound if the server does not have the resource; kUnavailable if it may
/// have it but discovery failed; kUnsupported on a host without "davit.discovery/1".
class Discovery {
 public:
  /// Use Context::discovery instead.
  explicit Discovery(const Api& api) : api_(&api) {}

  /// The resource of this plural name. With an empty version: the first version in the group's
  /// order of preference that has it.
  [[nodiscard]] Result<ServedResource> find(std::string_view group, std::string_view version,
                                            std::string_view resource) const;
  /// The resource that has objects of this kind, for example to find the owner of an owner
  /// reference. `api_version` is "apps/v1" or "v1".
  [[nodiscard]] Result<ServedResource> find_kind(std::string_view api_version,
                                                 std::string_view kind) const;
  /// The whole catalog. A partial failure is a catalog with unknown versions.
  [[nodiscard]] Result<ServedCatalog> catalog() const;
  /// The same, but always queries the server: for controllers that would do harm with a catalog
  /// that is half a minute old.
  [[nodiscard]] Result<ServedCatalog> fetch() const;

  /// Adds `key` to `queue` now and whenever the catalog has changed.
  [[nodiscard]] Status wake(const Queue& queue, const Key& key) const;
  /// Makes the host query the server again soon, for example after a change of a
  /// CustomResourceDefinition.
  void refresh() const;

 private:
  const Api* api_;
};

}  // namespace davit
