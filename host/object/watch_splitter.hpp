/// Cuts a watch stream into its events while it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/object/held_text.hpp"
#include "host/object/identity_scan.hpp"
#include "host/object/json_scan.hpp"
#include "host/object/parse.hpp"

namespace davit::host {

/// The event types of the watch protocol (k8s.io/apimachinery/pkg/watch).
enum class WatchType { kAdded, kModified, kDeleted, kBookmark, kError };
/// The type of that name; nothing for another one.
[[nodiscard]] std::optional<WatchType> watch_type_of(std::string_view name);

/// Takes one event; the text lives for the call. An error ends the splitting and is returned by
/// feed().
using WatchSink = std::function<Status(WatchType type, std::string_view object_json)>;

/// The handling of an event that is too large to be held.
struct LargeEvents {
  /// Room for the largest object and what is around it.
  std::size_t bytes_max = kObjectBytesMax + 1024;
  /// Takes what could be read of it; the event is passed over. Without this it is an error.
  std::function<Status(WatchType type, const ObjectIdentity& object)> skip{};
};

/// Push decoder for a watch response cut into any chunks: a sequence of JSON documents, each with
/// the members `type` and `object`, which may be any JSON value. Holds at most one event; one that
/// lies within a chunk is not copied. Not thread-safe.
class WatchSplitter {
 public:
  WatchSplitter() = default;
  explicit WatchSplitter(LargeEvents large) : large_(std::move(large)) {}

  /// Decodes the next bytes. kInvalid for a malformed or too large document, with its offset in the
  /// stream; after an error every further call returns it again.
  Status feed(std::string_view chunk, const WatchSink& sink);
  /// Ends the stream. kUnavailable when that was inside a document.
  Status finish();

 private:
  /// Notes a piece of the document at hand; false if it is passed over or too large.
  bool hold(std::string_view text, const char* behind);
  Status deliver_large();
  Status deliver(std::string_view document, const WatchSink& sink);
  Status fail(const std::string& what);

  LargeEvents large_;
  ValueScanner scanner_;
  Status failed_;
  HeldText text_{IdentityScan::Root::kWatchEvent};  // The document at hand.
  std::uint64_t offset_ = 0;                        // The offset of the current chunk.
  bool inside_ = false;                             // Whether a document has begun and not ended.
};

}  // namespace davit::host
