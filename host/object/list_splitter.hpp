/// Cuts the body of a list into its items while it arrives.
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

/// Takes one item; the text lives for the call. An error ends the splitting and is returned by
/// feed().
using ItemSink = std::function<Status(std::string_view item_json)>;

/// The handling of an item that is too large to be held.
struct LargeItems {
  std::size_t bytes_max = kObjectBytesMax;
  /// Takes what could be read of it; the item is passed over. Without this it is an error.
  std::function<Status(const ObjectIdentity& item)> skip{};
};

/// Push decoder for a List body cut into any chunks. Holds at most one item and the list's
/// metadata; an item that lies within one chunk is not copied. Not thread-safe.
///
///     ListSplitter splitter;
///     for each chunk: if (Status s = splitter.feed(chunk, sink); !s.ok()) …
///     if (Status s = splitter.finish(); !s.ok()) …
///     // Now resource_version() and so on are valid.
///
/// The body is split, not validated: parse_object() judges the items, which may be any JSON value.
/// A body of kind Status is not a list: finish() returns it as an error (see api_status.hpp). A
/// Table is refused with kUnsupported.
class ListSplitter {
 public:
  /// For metadata and all else that is kept beside the items.
  static constexpr std::size_t kFieldBytesMax = std::size_t{64} << 10;

  ListSplitter() = default;
  explicit ListSplitter(LargeItems large) : large_(std::move(large)) {}

  /// Decodes the next bytes of the body. kInvalid: not a list, or an item that is too large; after
  /// an error every further call returns it again.
  Status feed(std::string_view chunk, const ItemSink& sink);
  /// Ends the body. kUnavailable when it was cut short, else as above; a Status
  /// body gives its own code.
  Status finish();

  // Valid after finish() succeeded.
  [[nodiscard]] const std::string& resource_version() const { return resource_version_; }
  /// Empty on the last page.
  [[nodiscard]] const std::string& continue_token() const { return continue_token_; }
  [[nodiscard]] std::optional<std::int64_t> remaining_items() const { return remaining_items_; }
  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::string& api_version() const { return api_version_; }
  [[nodiscard]] std::size_t item_count() const { return item_count_; }

 private:
  enum class State {
    kStart,       // Before the opening brace.
    kFirstKey,    // After it: a key or the end.
    kNextKey,     // After a comma: a key.
    kKey,         // Inside a key.
    kColon,       // After a key.
    kValue,       // Before a value.
    kField,       // Inside a value beside the items.
    kFirstItem,   // After the opening bracket: an item or the end.
    kNextItem,    // After a comma: an item.
    kItem,        // Inside an item.
    kAfterItem,   // A comma or the closing bracket.
    kAfterValue,  // A comma or the closing brace.
    kEnd,         // White space only.
  };

  enum class Step {
    kTaken,  // The byte is dealt with.
    kBegin,  // It begins a key, field or item, which scan() reads from this byte on.
    kWrong,  // It does not belong there.
  };

  /// Decides about one byte between keys and values.
  Step step(char c);
  Step begin_value(char c);
  Step begin(State state, char c);
  /// Reads of the key, field or item at hand; returns the first byte behind what it read.
  const char* scan(const char* begin, const char* end, const ItemSink& sink);
  /// Notes a piece of the text at hand; false if it is passed over or too large.
  bool hold(std::string_view text, const char* behind);
  void end_text(std::string_view text, const ItemSink& sink);
  void end_large_item();
  void end_field(std::string_view text);
  [[nodiscard]] bool keeps_field() const;
  Status read_head();
  Status fail(Code code, const std::string& what);

  LargeItems large_;
  State state_ = State::kStart;
  ValueScanner scanner_;
  Status failed_;
  HeldText text_{IdentityScan::Root::kObject};  // The key, field or item at hand.
  std::string key_;
  std::string head_;  // The fields that matter, as members of a JSON object that lacks its end.
  std::uint64_t offset_ = 0;  // At the start of the present chunk.
  std::size_t item_count_ = 0;
  bool has_items_ = false;
  std::string resource_version_, continue_token_, kind_, api_version_;
  std::optional<std::int64_t> remaining_items_;
};

}  // namespace davit::host
