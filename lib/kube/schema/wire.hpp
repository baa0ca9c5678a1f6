/// The messages of Kubernetes' protobuf that are read and written by name instead of by the tables
/// of a kind (k8s.io/apimachinery: pkg/runtime, pkg/apis/meta/v1, pkg/util/intstr).
#pragma once

#include <cstdint>
#include <string_view>

namespace davit::wire {

/// An object in protobuf begins so; a runtime.Unknown follows.
inline constexpr std::string_view kEnvelopePrefix("k8s\0", 4);

/// Numbers of members.
enum : std::uint32_t {
  kUnknownTypeMeta = 1,
  kUnknownRaw = 2,
  kUnknownContentEncoding = 3,
  kUnknownContentType = 4,
  kTypeMetaApiVersion = 1,
  kTypeMetaKind = 2,
  kListMetadata = 1,
  kListItems = 2,
  kEventType = 1,
  kEventObject = 2,
  kTimeSeconds = 1,
  kTimeNanos = 2,
  kOnlyMember = 1,  ///< The member of Quantity, RawExtension, FieldsV1 and ExtraValue.
  kIntOrStringType = 1,
  kIntOrStringInteger = 2,
  kIntOrStringText = 3,
  kEntryKey = 1,  ///< An entry of a map.
  kEntryValue = 2,
};

}  // namespace davit::wire
