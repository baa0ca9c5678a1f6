/// A request target taken apart: path, query, and which resource is meant
/// (k8s.io/apiserver/pkg/endpoints/request.RequestInfo).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

/// Query parameters, decoded, in their order.
class Query {
 public:
  Query() = default;
  explicit Query(Pairs pairs) : pairs_(std::move(pairs)) {}

  /// The first value of `name`, or nothing. Lives as long as this.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  /// The same, "" when absent.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
  /// The rule of Go's converter: absent, "0" and "false" are no; all else is yes.
  [[nodiscard]] bool flag(std::string_view name) const;

 private:
  Pairs pairs_;
};

/// The operation, in the words of RBAC.
enum class Verb : std::uint8_t {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
  kOther,  ///< A method that the API does not have.
};
[[nodiscard]] std::string_view to_text(Verb verb);

struct Url {
  std::string path;  ///< Decoded.
  Query query;
  /// Segments of `path`, without empty ones at the ends.
  std::vector<std::string> segments;

  /// Below /api/{version} or /apis/{group}/{version}, with at least a resource. The members below
  /// are set then only.
  bool is_resource = false;
  std::string group;
  std::string version;
  std::string ns;
  std::string resource;
  std::string name;
  std::string subresource;
  std::string selected_name;  ///< The one name that a collection's field selector requires.
  bool watch_prefix = false;  ///< The deprecated ".../watch/..." form.
  bool has_more = false;      ///< Segments beyond the subresource: of proxies.

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + '/' + version;
  }
};

/// 400 for a malformed percent escape.
[[nodiscard]] ApiResult<Url> parse_url(std::string_view target);
/// The verb of `method` on `url`.
[[nodiscard]] Verb verb_of(std::string_view method, const Url& url);

}  // namespace davit::sandbox
