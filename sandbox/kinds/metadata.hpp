/// The rules of ObjectMeta and of label selectors, for built-in kinds and custom resources alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

enum class Scope : std::uint8_t { kNamespaced, kCluster };

/// The limit for metadata.annotations: keys and values together.
inline constexpr std::size_t kAnnotationsBytesMax = 256 * 1024;

/// k8s: ValidateObjectMeta.
void check_metadata(const Json& metadata, NameRule names, Scope scope, const FieldPath& path,
                    FieldErrors& errors);
/// k8s: ValidateObjectMetaUpdate; checks the syntax of labels, annotations and owners again. The
/// verb checks that an update carries a resourceVersion.
void check_metadata_update(const Json& metadata, const Json& old, const FieldPath& path,
                           FieldErrors& errors);

/// Finalizers of built-in kinds must have a domain or be one of the API's own.
void check_finalizer_names(const Json& finalizers, const FieldPath& path, FieldErrors& errors);

/// Checks a map of labels.
void check_labels(const Json& labels, const FieldPath& path, FieldErrors& errors);
void check_annotations(const Json& annotations, const FieldPath& path, FieldErrors& errors);
/// Checks a LabelSelector; null is valid.
void check_label_selector(const Json& selector, const FieldPath& path, FieldErrors& errors);

/// A LabelSelector as one text: `a=b,c in (d,e)`, terms sorted by key. Empty: it has no terms.
/// k8s: labels.Selector.String.
[[nodiscard]] std::string selector_query(const Json& selector);

/// Whether `labels` match a LabelSelector. A null selector matches nothing, an empty one
/// everything.
[[nodiscard]] bool selector_matches(const Json& selector, const Json& labels);

}  // namespace davit::sandbox
