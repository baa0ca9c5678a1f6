/// Discovery: the resources that the server offers, by kind and by name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <davit/api.hpp>
#include <davit/key.hpp>
#include <davit/queue.hpp>
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

  /// Whether nothing can be said about the resources of this group and version.
  [[nodiscard]] bool is_unknown(std::string_view group, std::string_view version) const {
    return std::any_of(unknown.begin(), unknown.end(), [&](const UnknownVersion& each) {
      return each.group == group && each.version == version;
    });
  }
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
                                            std::string_view resource) const {
    return look_up([&](const davit_discovery_v1& table, davit_served_resource& out) {
      return table.find(api_->call(), to_c(group), to_c(version), to_c(resource), &out);
    });
  }
  /// The resource that keeps objects of this kind; the way from an owner reference to its owner.
  /// `api_version` is "apps/v1" or "v1".
  [[nodiscard]] Result<ServedResource> find_kind(std::string_view api_version,
                                                 std::string_view kind) const {
    const std::size_t slash = api_version.find('/');
    const bool is_core = slash == std::string_view::npos;
    const std::string_view group = is_core ? std::string_view() : api_version.substr(0, slash);
    const std::string_view version = is_core ? api_version : api_version.substr(slash + 1);
    return look_up([&](const davit_discovery_v1& table, davit_served_resource& out) {
      return table.find_kind(api_->call(), to_c(group), to_c(version), to_c(kind), &out);
    });
  }
  /// Everything. A partial failure is a catalog with unknown versions.
  [[nodiscard]] Result<ServedCatalog> catalog() const {
    return read([this](const davit_discovery_v1& table, davit_catalog& out) {
      return table.catalog(api_->call(), &out);
    });
  }
  /// The same, but always asked of the server: for a controller that does harm with an answer of
  /// half a minute ago.
  [[nodiscard]] Result<ServedCatalog> fetch() const {
    return read([this](const davit_discovery_v1& table, davit_catalog& out) {
      return table.fetch(api_->call(), &out);
    });
  }

  /// Adds `key` to `queue` now and whenever what the server offers has changed.
  [[nodiscard]] Status wake(const Queue& queue, const Key& key) const {
    if (api_->discovery == nullptr) return missing();
    const std::string text = key.text();
    const davit_code code = api_->discovery->wake(api_->call(), queue.handle(), to_c(text));
    return code == DAVIT_OK ? Status()
                            : Status(from_c(code), "the host refused to watch discovery");
  }
  /// Has the server asked again soon, after a CustomResourceDefinition has changed for example.
  void refresh() const {
    if (api_->discovery != nullptr) static_cast<void>(api_->discovery->refresh(api_->call()));
  }

 private:
  static Status missing() {
    return {Code::kUnsupported, "the host lacks the capability davit.discovery/1"};
  }

  template <typename Call>
  Result<ServedCatalog> read(const Call& call) const {
    if (api_->discovery == nullptr) return missing();
    davit_catalog raw{};
    raw.size = sizeof(raw);
    const davit_code code = call(*api_->discovery, raw);
    if (code != DAVIT_OK) return Status(from_c(code), "discovery failed");
    ServedCatalog out;
    for (std::size_t i = 0; i < raw.resource_count; ++i) {
      out.resources.emplace_back(entry<davit_served_resource>(raw.resources, raw.resource_size, i));
    }
    for (std::size_t i = 0; i < raw.unknown_count; ++i) {
      const auto each = entry<davit_unknown_version>(raw.unknown, raw.unknown_size, i);
      out.unknown.push_back({from_c(each.group), from_c(each.version), from_c(each.message)});
    }
    return out;
  }

  template <typename Call>
  Result<ServedResource> look_up(const Call& call) const {
    if (api_->discovery == nullptr) return missing();
    davit_served_resource raw{};
    raw.size = sizeof(raw);
    const davit_code code = call(*api_->discovery, raw);
    if (code == DAVIT_OK) return ServedResource(raw);
    return Status(from_c(code),
                  code == DAVIT_NOT_FOUND ? "the server does not offer it" : "discovery failed");
  }

  /// The `index`-th entry of an array of entries that may be shorter or longer than ours.
  template <typename T>
  static T entry(const T* first, std::size_t size, std::size_t index) {
    T out{};
    std::memcpy(static_cast<void*>(&out), reinterpret_cast<const char*>(first) + index * size,
                std::min(size, sizeof(T)));
    return out;
  }

  const Api* api_;
};

}  // namespace davit
