/// Any bytes are either refused or become an object that its JSON gives again; a projection of it
/// shows what the whole shows.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/metadata.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_parser.hpp"
#include "lib/base/assert.hpp"

namespace {
using davit::Result;
using namespace davit::host;

/// The kind of a message without an envelope, by the first byte.
constexpr std::string_view kLists[] = {"PodList", "NodeList", "ServiceList", "SecretList",
                                       "EventList"};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  (void)read_protobuf_identity(bytes);
  ObjectSpace space;
  ProtobufParser parser(space);
  const std::vector<std::string> paths = {"metadata.labels", "spec.containers[].name",
                                          "status.conditions"};
  const Result<Mask> mask = space.add_keep_projection(paths);
  const Result<ProtobufType> item = item_type("v1", kLists[data[0] % std::size(kLists)]);
  DAVIT_ASSERT(mask && item);
  const auto parse = [&](const ParseOptions& options) {
    return is_protobuf_object(bytes) ? parser.parse(bytes, options)
                                     : parser.parse(bytes, *item, options);
  };
  const Result<ObjectRef> kept = parse({.keep_mask = *mask});
  const Result<ObjectRef> full = parse({});
  DAVIT_ASSERT(full.has_value() == (parser.fault() == ParseFault::kNone));
  if (!full) return 0;  // A projection may accept what is wrong only in places that it skips.
  DAVIT_ASSERT(kept);
  DAVIT_ASSERT(metadata(**full).name == metadata(**kept).name);
  DAVIT_ASSERT(controller_uid(**full) == controller_uid(**kept));
  for (const char* key : {"labels", "name"}) {
    DAVIT_ASSERT(full->root()["metadata"][key].json() == kept->root()["metadata"][key].json());
  }
  const Result<ObjectRef> again = parse_object(space, full->root().json());
  DAVIT_ASSERT(again);
  DAVIT_ASSERT(again->root() == full->root());
  DAVIT_ASSERT(again->root().hash() == full->root().hash());
  return 0;
}
