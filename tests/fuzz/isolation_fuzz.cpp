/// A frame that a child process sent, or one of the host. What is read is written as the same
/// bytes: there is one frame for each message, and none can say more than its message.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/isolation/messages.hpp"
#include "lib/base/assert.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace davit::host;
  const std::string_view frame(reinterpret_cast<const char*>(data), size);
  if (const auto read = decode_child_message(frame)) DAVIT_ASSERT(encode(*read) == frame);
  if (const auto read = decode_host_message(frame)) DAVIT_ASSERT(encode(*read) == frame);
  return 0;
}
