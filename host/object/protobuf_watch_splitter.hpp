/// Cuts a watch stream in protobuf into its events while it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "host/object/held_bytes.hpp"
#include "host/object/watch_splitter.hpp"

namespace davit::host {

/// The counterpart of WatchSplitter: a push decoder for a watch response cut into any chunks, which
/// is a sequence of frames, each a length of four bytes (big-endian) and a metav1.WatchEvent. The
/// sink gets the object in its envelope. Holds at most one frame. Not thread-safe.
class ProtobufWatchSplitter {
 public:
  /// A longer frame is a mistake: its length would hide the rest of the stream.
  static constexpr std::uint64_t kFrameBytesMax = std::uint64_t{128} << 20;

  ProtobufWatchSplitter() = default;
  explicit ProtobufWatchSplitter(LargeEvents large) : large_(std::move(large)) {}

  /// Whether a stream may begin so, with the first byte of a length that is not too large; JSON,
  /// and the white space before it, never does.
  [[nodiscard]] static bool begins_with(char first) { return first >= 0 && first < '\t'; }

  /// Decodes the next bytes. kInvalid for a malformed or too large frame, with its offset in the
  /// stream; after an error every further call returns it again.
  Status feed(std::string_view chunk, const WatchSink& sink);
  /// Ends the stream. kUnavailable when that was inside a frame.
  Status finish();

 private:
  Status begin_frame();
  Status end_frame(const WatchSink& sink);
  [[nodiscard]] Status fail(const std::string& what) const;

  LargeEvents large_;
  Status failed_;
  std::string length_;  // The bytes so far of the length.
  std::uint64_t size_ = 0;
  bool inside_ = false;  // Whether a frame has begun and not ended.
  HeldBytes held_;
  std::uint64_t offset_ = 0;
};

}  // namespace davit::host
