/// Decodes a request body into an object: JSON, YAML or protobuf, of the kind that the URL names,
/// and reports unknown and duplicate fields (k8s.io/apiserver/pkg/endpoints/handlers, 3.2 of the
/// facts).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/options.hpp"

namespace davit::sandbox {

/// A body above this is refused with 413.
inline constexpr std::size_t kBodyBytesMax = 3 * 1024 * 1024;

/// The expected type of a body.
struct BodyType {
  std::string group;
  std::string version;
  std::string kind;
  const Message* schema = nullptr;  ///< Null: stored unchanged, except metadata.
  /// Set for custom resources: apiVersion and kind are required, protobuf is not taken. Borrowed.
  const Resource* custom = nullptr;

  [[nodiscard]] static BodyType of(const Resource& resource);
  /// A built-in kind other than the URL's resource: "Scale", "Binding".
  [[nodiscard]] static BodyType of_kind(std::string group, std::string version, std::string kind);
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + '/' + version;
  }
};

struct Decoded {
  Json object;  ///< With apiVersion and kind in front.
  std::vector<std::string> warnings;
};

/// The object in the request's body.
[[nodiscard]] ApiResult<Decoded> decode_body(const HttpServerRequest& request, const BodyType& type,
                                             FieldValidation validation);

/// "application/json" of "Application/JSON; charset=utf-8".
[[nodiscard]] std::string media_type(std::string_view header);

/// The findings of reading a body.
struct BodyFindings {
  std::vector<std::string> duplicates = {};  ///< See JsonFindings.
  /// Keys that YAML repeats, as messages name them: `line 7: key "a" already set in map`.
  std::vector<std::string> repeated = {};
  /// The JSON text of the object, where findings are named in its order; empty: by their sort.
  /// Borrowed.
  std::string_view text = {};
};

/// JSON or YAML text as a tree, for patches. `findings` may be null: then YAML repeats no keys.
[[nodiscard]] Result<Json> parse_text(std::string_view text, std::string_view media,
                                      BodyFindings* findings);
/// Findings of YAML as one message.
[[nodiscard]] std::string yaml_errors(const std::vector<std::string>& repeated);

/// Puts kind and apiVersion back where a patch removed them; 400 if it made them those of another
/// type.
[[nodiscard]] ApiFailure keep_type(Json& object, const BodyType& type);

/// Brings `object` into the API's form by `type`'s schema; warns or refuses as `validation` says.
[[nodiscard]] ApiFailure conform_body(Json& object, const BodyType& type,
                                      FieldValidation validation, const BodyFindings& found,
                                      std::vector<std::string>& warnings);

}  // namespace davit::sandbox
