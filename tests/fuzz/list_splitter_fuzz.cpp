/// A list body gives the same items and the same response however it is cut into chunks.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/list_splitter.hpp"
#include "lib/base/assert.hpp"
#include "tests/fuzz/in_chunks.hpp"

namespace {
using namespace davit::host;
using davit::Code;
using davit::Status;

/// Small, so that items are passed over too.
constexpr std::size_t kItemBytes = 64;

struct Reply {
  Code code;
  std::vector<std::string> items;
  std::string version;
  friend bool operator==(const Reply&, const Reply&) = default;
};

Reply split(std::string_view body, std::size_t chunk) {
  Reply response{};
  ListSplitter splitter({.bytes_max = kItemBytes, .skip = [&](const ObjectIdentity& item) {
                           response.items.push_back("skipped " + item.ns + "/" + item.name);
                           return Status();
                         }});
  const ItemSink sink = [&](std::string_view item) {
    response.items.emplace_back(item);
    return Status();
  };
  const Status status = feed_in_chunks(splitter, body, chunk, sink);
  response.code = status.code();
  if (status.ok()) response.version = splitter.resource_version();
  return response;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 1), size - 1);
  const Reply whole = split(body, body.size() + 1);
  DAVIT_ASSERT(whole == split(body, std::size_t{data[0]} % 67 + 1));
  for (const std::string& item : whole.items) DAVIT_ASSERT(!item.empty());
  return 0;
}
