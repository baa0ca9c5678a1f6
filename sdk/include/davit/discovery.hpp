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

/// A version of a group of which the server could not say what it has. Its resources may exist:
/// keep what was known of them.
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
  Time fetched{};  ///< As Context::now(): what the server had changed by then is in it.

  /// Whether nothing can be said about the resources of this group and version.
  [[nodiscard]] bool is_unknown(std::string_view group, std::string_view version) const;
};

/// A handle: cheap to copy. Lookups are for constructors, syncs and timers, and may wait for the
/// server when the host's catalog is old; the rest returns at once and may come from handlers, too.
///
/// Errors of lookups: kNotFound if the server does not have it; kUnavailable if it may have it, but
/// could not say; kUnsupported on a host without "davit.discovery/1".
class Discovery {
 public:
  /// Given by Context::discovery.
  explicit Discovery(const Api& api) : api_(&api) {}

  /// The resource of this plural name. An empty version: the preferred one that has it.
  [[nodiscard]] Result<ServedResource> find(std::string_view group, std::string_view version,
                                            std::string_view resource) const;
  /// The resource that keeps objects of this kind; the way from an owner reference to its owner.
  /// `api_version` is "apps/v1" or "v1".
  [[nodiscard]] Result<ServedResource> find_kind(std::string_view api_version,
                                                 std::string_view kind) const;
  /// Everything. A partial failure is a catalog with unknown versions.
  [[nodiscard]] Result<ServedCatalog> catalog() const;
  /// The same, but always asked of the server: for a controller that does harm with an answer of
  /// half a minute ago.
  [[nodiscard]] Result<ServedCatalog> fetch() const;

  /// Adds `key` to `queue` now and whenever what the server offers has changed.
  [[nodiscard]] Status wake(const Queue& queue, const Key& key) const;
  /// Has the server asked again soon, after a CustomResourceDefinition has changed for example.
  void refresh() const;

 private:
  const Api* api_;
};

}  // namespace davit
