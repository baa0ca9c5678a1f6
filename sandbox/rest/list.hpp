/// GET of one object and of collections: consistency, selectors, paging.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/label_selector.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/field_selector.hpp"
#include "sandbox/rest/options.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The objects of a collection that a request selects.
struct Selection {
  std::string ns;  ///< Empty: all namespaces.
  LabelSelector labels;
  FieldSelector fields;
  bool single = false;  ///< At most one object can match: it is read, not searched for.

  [[nodiscard]] bool matches(const Version& object) const {
    return (ns.empty() || object.ns == ns) && labels.matches(object.labels) &&
           fields.matches(object);
  }
  [[nodiscard]] bool has_selector() const { return !labels.empty() || !fields.empty(); }
  /// Whether the form that `resource` shows decides what matches, not that of the store: selectable
  /// fields of custom resources, and labels that webhooks change.
  [[nodiscard]] bool reads_form(const Resource& resource) const;
  /// The same of an object in the form of `resource`.
  [[nodiscard]] bool matches(const Json& object, const Resource& resource) const;
};

/// The selection in `call`'s URL and the selectors of `options`; 400 if those do not parse.
[[nodiscard]] ApiResult<Selection> parse_selection(const Call& call, const ListOptions& options);

/// The position at which a paged list continues. Opaque to clients; needs no escaping in a URL.
struct ContinueToken {
  Revision revision = 0;  ///< The revision of the first page; 0: the latest state.
  std::string ns;         ///< The last object that was shown.
  std::string name;

  [[nodiscard]] std::string text() const;
  /// kInvalid for a made-up one.
  [[nodiscard]] static Result<ContinueToken> parse(std::string_view text);
};

/// The result of a list.
struct Page {
  std::vector<VersionPtr> objects;
  Json metadata;
  /// `objects` in the form of the resource, where that had to be seen to select them; else empty.
  std::vector<Json> shown = {};
};
[[nodiscard]] ApiResult<Page> find_page(const RestParts& parts, const Call& call,
                                        const ListOptions& options);

[[nodiscard]] ApiResult<HttpServerResponse> get_object(const RestParts& parts, const Call& call);
[[nodiscard]] ApiResult<HttpServerResponse> list_objects(const RestParts& parts, const Call& call);

}  // namespace davit::sandbox
