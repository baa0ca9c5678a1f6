/// The types of values that a structural schema describes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "lib/cel/types.hpp"
#include "lib/kube/validation/schema_node.hpp"

namespace davit::cel {

struct SchemaType;
using SchemaTypePtr = std::shared_ptr<const SchemaType>;

/// A type with what the estimate of costs needs: k8s.io/apiserver's DeclType.
struct SchemaType {
  TypePtr type;
  std::uint64_t elements_max = 0;    ///< Characters, bytes, items or members; 0 for scalars.
  std::uint64_t serialized_min = 0;  ///< Bytes of the shortest JSON text.
  SchemaTypePtr element;             ///< Lists and maps have it.
  SchemaTypePtr key;                 ///< Maps have it.
  std::map<std::string, SchemaTypePtr, std::less<>> fields;  ///< Keys are escaped names.
  bool has_members = false;  ///< A map whose values are also selected as its members.
};

/// Whether a node is the root of a resource, which always has apiVersion, kind, metadata.name and
/// metadata.generateName.
enum class ResourceRoot : unsigned char { kNo, kYes };

/// The type of a schema's values; null if expressions cannot see them (unknown fields). `name` is
/// used in messages for an object without a name.
[[nodiscard]] SchemaTypePtr schema_type(const SchemaNode& schema, ResourceRoot root,
                                        const std::string& name);

/// The size that the estimates take as that of the largest request, in bytes.
inline constexpr std::uint64_t kRequestBytesMax = 3ULL * 1024 * 1024;

}  // namespace davit::cel
