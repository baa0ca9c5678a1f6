/// A watch stream gives the same events and the same response however it is cut into chunks.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/object/api_status.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/assert.hpp"
#include "tests/fuzz/in_chunks.hpp"

namespace {
using namespace davit::host;
using davit::Code;
using davit::Status;

/// Small, so that events are passed over too.
constexpr std::size_t kEventBytes = 96;

struct Reply {
  Code code;
  std::vector<std::pair<WatchType, std::string>> events;
  std::vector<std::pair<WatchType, std::string>> skipped;
  friend bool operator==(const Reply&, const Reply&) = default;
};

Reply split(std::string_view stream, std::size_t chunk) {
  Reply response{};
  WatchSplitter splitter(
      {.bytes_max = kEventBytes, .skip = [&](WatchType type, const ObjectIdentity& object) {
         response.skipped.emplace_back(type, object.ns + "/" + object.name);
         return Status();
       }});
  const WatchSink sink = [&](WatchType type, std::string_view object) {
    response.events.emplace_back(type, object);
    return Status();
  };
  const Status status = feed_in_chunks(splitter, stream, chunk, sink);
  response.code = status.code();
  return response;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data + 1), size - 1);
  const Reply whole = split(stream, stream.size() + 1);
  DAVIT_ASSERT(whole == split(stream, std::size_t{data[0]} % 67 + 1));
  for (const auto& [type, object] : whole.events) {
    if (type == WatchType::kError) DAVIT_ASSERT(!api_status(object).ok());
  }
  return 0;
}
