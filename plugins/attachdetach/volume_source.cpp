#include "plugins/attachdetach/volume_source.hpp"

#include <openssl/sha.h>

#include <array>
#include <davit/hex.hpp>

namespace davit::attachdetach {
namespace {

bool allows_many(Value modes) {
  bool is_empty = true;
  for (const Value each : modes.elements()) {
    is_empty = false;
    if (each.string() == "ReadWriteMany" || each.string() == "ReadOnlyMany") return true;
  }
  return is_empty;
}

std::optional<Source> with_many_nodes(std::optional<Source> source, bool allows_many_nodes) {
  if (source) source->allows_many_nodes = allows_many_nodes;
  return source;
}

}  // namespace

std::optional<Source> source_of(const volumes::Volume& volume) {
  return with_many_nodes(volumes::source_of_volume(volume),
                         allows_many(volume.spec()["accessModes"]));
}

std::optional<Source> inline_source_of(Value volume, std::string_view ns) {
  return with_many_nodes(volumes::source_of_inline(volume, ns), true);
}

std::optional<Source> inline_source_of(const volumes::Attachment& attachment) {
  const Value spec = attachment.spec()["source"]["inlineVolumeSpec"];
  return with_many_nodes(volumes::source_of_csi(spec["csi"], attachment.name()), true);
}

std::string hash_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data());
  return hex_text(sum);
}

std::string attachment_name(const Source& source, std::string_view node) {
  return "csi-" + hash_of(source.handle + source.driver + std::string(node));
}

}  // namespace davit::attachdetach
