/// The first byte chooses what a registry, a bundle or a user sent; the rest is its bytes. An
/// archive that is read has only names that may be, and a document or reference that is read means
/// the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/config/oci_reference.hpp"
#include "host/oci/artifact.hpp"
#include "host/oci/docker_config.hpp"
#include "host/oci/registry.hpp"
#include "host/oci/tar.hpp"
#include "lib/base/assert.hpp"

namespace {
using namespace davit::host;

void try_archive(std::string_view bytes) {
  const auto files = read_tar(bytes);
  if (!files) return;
  for (const ArchivedFile& each : *files) DAVIT_ASSERT(refuse_archived_name(each.name).empty());
  const std::string written = write_tar(*files);
  const auto again = read_tar(written);
  DAVIT_ASSERT(again && again->size() == files->size());
}

void try_index(std::string_view bytes) {
  const auto index = parse_oci_index(bytes);
  if (!index) return;
  const auto again = parse_oci_index(to_text(*index));
  DAVIT_ASSERT(again && again->entries.size() == index->entries.size());
}

void try_manifest(std::string_view bytes) {
  const auto manifest = parse_oci_manifest(bytes);
  if (!manifest) return;
  const auto again = parse_oci_manifest(to_text(*manifest));
  DAVIT_ASSERT(again && again->layer.digest == manifest->layer.digest);
}

void try_reference(std::string_view bytes) {
  const auto reference = OciReference::parse(bytes);
  if (!reference) return;
  const auto again = OciReference::parse(reference->text());
  DAVIT_ASSERT(again && *again == *reference);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      try_archive(bytes);
      break;
    case 1:
      try_index(bytes);
      break;
    case 2:
      try_manifest(bytes);
      break;
    case 3:
      try_reference(bytes);
      break;
    case 4:
      (void)parse_challenge(bytes);
      break;
    default:
      (void)find_login(bytes, "r.example.com");
  }
  return 0;
}
