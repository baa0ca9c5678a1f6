/// A list or a watch stream in protobuf gives the same however it is cut into chunks.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/api_status.hpp"
#include "host/object/protobuf_list_splitter.hpp"
#include "host/object/protobuf_watch_splitter.hpp"
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

Reply split_list(std::string_view body, std::size_t chunk) {
  Reply response{};
  ProtobufListSplitter splitter({.bytes_max = kItemBytes, .skip = [&](const ObjectIdentity& item) {
                                   response.items.push_back("skipped " + item.ns + "/" + item.name);
                                   return Status();
                                 }});
  const ItemSink sink = [&](std::string_view item) {
    response.items.emplace_back(item);
    return Status();
  };
  response.code = feed_in_chunks(splitter, body, chunk, sink).code();
  if (response.code == Code::kOk) response.version = splitter.resource_version();
  return response;
}

Reply split_watch(std::string_view body, std::size_t chunk) {
  Reply response{};
  ProtobufWatchSplitter splitter(
      {.bytes_max = kItemBytes, .skip = [&](WatchType, const ObjectIdentity& object) {
         response.items.push_back("skipped " + object.ns + "/" + object.name);
         return Status();
       }});
  const WatchSink sink = [&](WatchType type, std::string_view object) {
    response.items.emplace_back(object);
    if (type == WatchType::kError) DAVIT_ASSERT(!api_status(object).ok());
    return Status();
  };
  response.code = feed_in_chunks(splitter, body, chunk, sink).code();
  return response;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t chunk = std::size_t{data[0]} % 67 + 1;
  DAVIT_ASSERT(split_list(body, body.size() + 1) == split_list(body, chunk));
  DAVIT_ASSERT(split_watch(body, body.size() + 1) == split_watch(body, chunk));
  return 0;
}
