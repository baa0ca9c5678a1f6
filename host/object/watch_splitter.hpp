/// Cuts a watch stream into its events while it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "host/object/json_scan.hpp"

namespace davit::host {

/// The event types of the watch protocol (k8s.io/apimachinery/pkg/watch).
enum class WatchType { kAdded, kModified, kDeleted, kBookmark, kError };

/// Takes one event; the text lives for the call. An error ends the splitting and is returned by
/// feed().
using WatchSink = std::function<Status(WatchType type, std::string_view object_json)>;

/// Push decoder for a watch response cut into any chunks: a sequence of JSON documents, each with
/// the members `type` and `object`. Holds at most one event; one that lies within a chunk is not
/// copied. Not thread-safe.
class WatchSplitter {
 public:
  /// Room for the largest object (see ListSplitter::kItemBytesMax) and what is around it.
  static constexpr std::size_t kEventBytesMax = (std::size_t{8} << 20) + 1024;

  /// Decodes the next bytes. kInvalid tells a malformed or too large document, and its offset in
  /// the stream; after an error every further call returns it again.
  Status feed(std::string_view chunk, const WatchSink& sink);
  /// Tells that the stream ended. kUnavailable when that was inside a document.
  Status finish();

 private:
  Status deliver(std::string_view document, const WatchSink& sink);
  Status fail(const std::string& what);

  ValueScanner scanner_;
  Status failed_;
  std::string pending_;       // The part of a document that came with earlier chunks.
  std::uint64_t offset_ = 0;  // Of the present chunk.
  bool inside_ = false;       // Whether a document has begun and not ended.
};

}  // namespace davit::host
