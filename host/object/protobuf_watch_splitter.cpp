#include "host/object/protobuf_watch_splitter.hpp"

#include <optional>

#include "host/object/protobuf_envelope.hpp"

namespace davit::host {

Status ProtobufWatchSplitter::feed(std::string_view chunk, const WatchSink& sink) {
  while (failed_.ok() && !chunk.empty()) {
    std::size_t taken = 1;
    if (!inside_) {
      length_ += chunk.front();
      if (length_.size() == sizeof(std::uint32_t)) failed_ = begin_frame();
    } else {
      taken = held_.feed(chunk);
      if (held_.is_complete()) failed_ = end_frame(sink);
    }
    chunk.remove_prefix(taken);
    offset_ += taken;
  }
  return failed_;
}

Status ProtobufWatchSplitter::begin_frame() {
  size_ = 0;
  for (const char c : length_) size_ = size_ << 8 | static_cast<unsigned char>(c);
  length_.clear();
  if (size_ == 0) return fail("has an empty frame");
  if (size_ > kFrameBytesMax) return fail("has a frame of more than 128 MiB");
  const bool is_large = size_ > large_.bytes_max;
  if (is_large && large_.skip == nullptr) return fail("has an event of more than 64 MiB");
  held_.begin(size_, is_large ? HeldBytes::kHeadBytes : size_);
  inside_ = true;
  return {};
}

Status ProtobufWatchSplitter::end_frame(const WatchSink& sink) {
  inside_ = false;
  const WireEvent event = read_wire_event(held_.bytes());
  const bool is_large = size_ > large_.bytes_max;
  if (!is_large && !event.is_whole) return fail("has a malformed event");
  const std::optional<WatchType> type = watch_type_of(event.type);
  if (!type) return fail("has an event of unknown type " + std::string(event.type.substr(0, 64)));
  if (!event.has_object) return fail("has an event without an object");
  Status delivered = is_large ? large_.skip(*type, read_protobuf_identity(event.object))
                              : sink(*type, event.object);
  held_.clear();
  return delivered;
}

Status ProtobufWatchSplitter::finish() {
  if (!failed_.ok()) return failed_;
  if (!inside_ && length_.empty()) return {};
  return failed_ = Status(Code::kUnavailable, "watch stream ended within an event (offset " +
                                                  std::to_string(offset_) + ")");
}

Status ProtobufWatchSplitter::fail(const std::string& what) const {
  return {Code::kInvalid, "watch stream " + what + " (offset " + std::to_string(offset_) + ")"};
}

}  // namespace davit::host
