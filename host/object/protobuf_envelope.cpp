#include "host/object/protobuf_envelope.hpp"

#include <string>

#include "host/object/wire_reader.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/schema/wire.hpp"

namespace davit::host {

namespace {

constexpr auto kCutAllowed = WireReader::Cut::kAllowed;

/// Members of an object, its metadata and the owners in it.
enum : std::uint32_t {
  kObjectMetadata = 1,
  kMetaName = 1,
  kMetaNamespace = 3,
  kMetaUid = 5,
  kMetaResourceVersion = 6,
  kMetaOwnerReferences = 13,
  kOwnerUid = 4,
  kOwnerController = 6,
};
/// Names have at most 253 characters; longer text is not kept.
constexpr std::size_t kTextBytesMax = std::size_t{16} << 10;

std::string identity_text(std::string_view text) {
  return text.size() > kTextBytesMax ? std::string() : valid_utf8(text);
}

void read_owner(std::string_view bytes, ObjectIdentity& out) {
  std::string_view uid;
  bool controls = false;
  WireReader in(bytes, kCutAllowed);
  while (in.next()) {
    if (in.was_cut()) return;
    if (in.number() == kOwnerUid) uid = in.bytes();
    if (in.number() == kOwnerController) controls = in.integer() != 0;
  }
  if (controls && out.controller_uid.empty()) out.controller_uid = identity_text(uid);
}

void read_metadata(std::string_view bytes, ObjectIdentity& out) {
  WireReader in(bytes, kCutAllowed);
  while (in.next()) {
    if (in.was_cut()) return;  // Half a name is another object's.
    switch (in.number()) {
      case kMetaName:
        out.name = identity_text(in.bytes());
        break;
      case kMetaNamespace:
        out.ns = identity_text(in.bytes());
        break;
      case kMetaUid:
        out.uid = identity_text(in.bytes());
        break;
      case kMetaResourceVersion:
        out.resource_version = identity_text(in.bytes());
        break;
      case kMetaOwnerReferences:
        read_owner(in.bytes(), out);
        break;
      default:
        break;
    }
  }
}

}  // namespace

WireTypeMeta read_type_meta(std::string_view bytes) {
  WireTypeMeta out;
  WireReader in(bytes, kCutAllowed);
  while (in.next()) {
    if (in.number() == wire::kTypeMetaApiVersion) out.api_version = in.bytes();
    if (in.number() == wire::kTypeMetaKind) out.kind = in.bytes();
  }
  return out;
}

bool is_protobuf_object(std::string_view bytes) { return bytes.starts_with(wire::kEnvelopePrefix); }

ProtobufEnvelope read_envelope(std::string_view bytes) {
  ProtobufEnvelope out;
  if (!is_protobuf_object(bytes)) return out;
  bytes.remove_prefix(wire::kEnvelopePrefix.size());
  WireReader in(bytes, kCutAllowed);
  while (in.next()) {
    if (in.number() == wire::kUnknownTypeMeta) out.type = read_type_meta(in.bytes());
    if (in.number() == wire::kUnknownRaw) out.raw = in.bytes();
  }
  out.is_whole = in.ok() && !in.was_cut();
  return out;
}

WireEvent read_wire_event(std::string_view bytes) {
  WireEvent out;
  WireReader in(bytes, kCutAllowed);
  while (in.next()) {
    if (in.number() == wire::kEventType) out.type = in.bytes();
    if (in.number() != wire::kEventObject) continue;
    WireReader extension(in.bytes(), kCutAllowed);
    while (extension.next()) {
      if (extension.number() == wire::kOnlyMember) out.object = extension.bytes();
    }
    out.has_object = true;
    if (!extension.ok() || extension.was_cut()) return out;
  }
  out.is_whole = in.ok() && !in.was_cut();
  return out;
}

ObjectIdentity read_protobuf_identity(std::string_view bytes) {
  ObjectIdentity out;
  if (is_protobuf_object(bytes)) {
    const ProtobufEnvelope envelope = read_envelope(bytes);
    out.api_version = identity_text(envelope.type.api_version);
    out.kind = identity_text(envelope.type.kind);
    bytes = envelope.raw;
  }
  WireReader in(bytes, kCutAllowed);
  while (in.next()) {
    if (in.number() == kObjectMetadata) read_metadata(in.bytes(), out);
  }
  return out;
}

}  // namespace davit::host
