/// The envelope of an object in protobuf, and the identity of an object that cannot be kept.
#pragma once

#include <string_view>

#include "host/object/identity_scan.hpp"

namespace davit::host {

/// runtime.TypeMeta; views into the bytes.
struct WireTypeMeta {
  std::string_view api_version{};
  std::string_view kind{};
};
/// Reads as far as the bytes go and are in order.
[[nodiscard]] WireTypeMeta read_type_meta(std::string_view bytes);

/// runtime.Unknown, taken apart; views into the bytes.
struct ProtobufEnvelope {
  WireTypeMeta type{};
  std::string_view raw{};
  bool is_whole = false;  ///< Began with "k8s\0", and nothing was malformed or missing at its end.
};
/// Reads as far as the bytes go; `raw` may be cut then.
[[nodiscard]] ProtobufEnvelope read_envelope(std::string_view bytes);

/// Whether bytes begin like protobuf rather than JSON.
[[nodiscard]] bool is_protobuf_object(std::string_view bytes);

/// metav1.WatchEvent, taken apart; views into the bytes.
struct WireEvent {
  std::string_view type{};
  std::string_view object{};  ///< In its envelope.
  bool has_object = false;
  bool is_whole = false;  ///< Nothing was malformed or missing at its end.
};
[[nodiscard]] WireEvent read_wire_event(std::string_view bytes);

/// The identity of an object, in its envelope or without one, as far as the bytes go and can be
/// read: they may be cut, and damaged behind the metadata.
[[nodiscard]] ObjectIdentity read_protobuf_identity(std::string_view bytes);

}  // namespace davit::host
