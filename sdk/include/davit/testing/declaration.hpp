/// What a plugin's note declares, as far as the in-memory cluster enforces it.
#pragma once

#include <algorithm>
#include <davit/testing/api_server.hpp>
#include <davit/testing/json.hpp>
#include <davit/testing/records.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::testing {

/// A `watches` entry.
struct WatchDeclaration {
  bool projected = false;          ///< False: the whole object.
  std::vector<std::string> paths;  ///< Of the projection.
};

/// What an informer watches.
struct Watched {
  std::string_view group = {};
  std::string_view version = {};
  std::string_view resource = {};
};

/// One controller's part of a note. Without a note everything is allowed.
class Declaration {
 public:
  Declaration() = default;  ///< Allows everything.
  /// Allows what `note` grants the controller `name`; nothing when the note does not list it.
  Declaration(const Json& note, std::string_view name) : limited_(true) {
    const Json* controllers = note.find("controllers");
    if (controllers == nullptr) return;
    for (const Json& each : controllers->items()) {
      if (each.text_at({"name"}) == name) entry_ = each;
    }
  }

  /// Nothing when the resource is not declared with this version and these selectors.
  [[nodiscard]] std::optional<WatchDeclaration> watch(const Watched& watched,
                                                      const Selectors& selectors) const {
    if (!limited_) return WatchDeclaration{};
    for (const Json& each : watches()) {
      const bool other_version =
          each.find("version") != nullptr && each.text_at({"version"}) != watched.version;
      if (!is_about(each, watched.group, watched.resource, {}) || other_version ||
          each.text_at({"labelSelector"}) != selectors.label ||
          each.text_at({"fieldSelector"}) != selectors.field) {
        continue;
      }
      WatchDeclaration watch;
      if (const Json* projection = each.find("projection")) {
        watch.projected = true;
        for (const Json& path : projection->items()) watch.paths.push_back(path.text());
      }
      return watch;
    }
    return std::nullopt;
  }

  /// Whether some informer of the resource reads only a part of its objects.
  [[nodiscard]] bool is_projected(std::string_view group, std::string_view resource) const {
    const std::vector<Json> all = watches();
    return std::any_of(all.begin(), all.end(), [&](const Json& each) {
      return is_about(each, group, resource, {}) && each.find("projection") != nullptr;
    });
  }

  [[nodiscard]] bool allows(Verb verb, std::string_view group, std::string_view resource,
                            std::string_view subresource) const {
    if (!limited_) return true;
    const bool is_read = verb == Verb::kGet || verb == Verb::kList;
    if (is_read && subresource.empty() && is_watched(group, resource)) return true;
    const Json* rules = entry_.find("rules");
    if (rules == nullptr) return false;
    return std::any_of(rules->items().begin(), rules->items().end(), [&](const Json& rule) {
      return is_about(rule, group, resource, subresource) && lists(rule.find("verbs"), verb);
    });
  }

 private:
  [[nodiscard]] std::vector<Json> watches() const {
    const Json* entries = entry_.find("watches");
    return entries == nullptr ? std::vector<Json>() : entries->items();
  }
  [[nodiscard]] bool is_watched(std::string_view group, std::string_view resource) const {
    const std::vector<Json> all = watches();
    return std::any_of(all.begin(), all.end(),
                       [&](const Json& each) { return is_about(each, group, resource, {}); });
  }
  [[nodiscard]] static bool is_about(const Json& entry, std::string_view group,
                                     std::string_view resource, std::string_view subresource) {
    return entry.text_at({"group"}) == group && entry.text_at({"resource"}) == resource &&
           entry.text_at({"subresource"}) == subresource;
  }
  [[nodiscard]] static bool lists(const Json* verbs, Verb verb) {
    return verbs != nullptr &&
           std::any_of(verbs->items().begin(), verbs->items().end(),
                       [verb](const Json& each) { return each.text() == verb_text(verb); });
  }

  bool limited_ = false;
  Json entry_;
};

}  // namespace davit::testing
