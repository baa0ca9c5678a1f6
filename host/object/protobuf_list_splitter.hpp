/// Cuts a list in protobuf into its items while it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/object/held_bytes.hpp"
#include "host/object/list_splitter.hpp"
#include "host/object/wire_reader.hpp"
#include "lib/kube/schema/wire.hpp"

namespace davit::host {

/// The counterpart of ListSplitter: a push decoder for a list in its envelope ("k8s\0",
/// runtime.Unknown) cut into any chunks. Holds at most one item and the list's metadata. The items
/// are messages without an envelope; ProtobufParser judges them. Not thread-safe.
class ProtobufListSplitter {
 public:
  ProtobufListSplitter() = default;
  explicit ProtobufListSplitter(LargeItems large) : large_(std::move(large)) {}

  /// Whether a body may begin so; JSON never does.
  [[nodiscard]] static bool begins_with(char first) { return first == wire::kEnvelopePrefix[0]; }

  /// Decodes the next bytes of the body. kInvalid: not a list, or an item that is too large; after
  /// an error every further call returns it again.
  Status feed(std::string_view chunk, const ItemSink& sink);
  /// Ends the body. kUnavailable when it was cut short, else as above; a Status body gives its own
  /// code.
  Status finish();

  // Valid when the first item comes.
  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::string& api_version() const { return api_version_; }
  // Valid after finish() succeeded.
  [[nodiscard]] const std::string& resource_version() const { return resource_version_; }
  /// Empty on the last page.
  [[nodiscard]] const std::string& continue_token() const { return continue_token_; }
  [[nodiscard]] std::optional<std::int64_t> remaining_items() const { return remaining_items_; }
  [[nodiscard]] std::size_t item_count() const { return item_count_; }

 private:
  enum class State {
    kPrefix,   // Inside "k8s\0".
    kField,    // Before or inside the tag and length of a field.
    kContent,  // Inside the bytes of a field.
  };
  enum class Content { kSkipped, kTypeMeta, kList, kListMeta, kItem, kLargeItem, kStatus };

  Status take_prefix(char c);
  /// Takes one byte of a tag, a length or a varint.
  Status take_field_byte(char c, const ItemSink& sink);
  Status begin_field(std::uint32_t number, WireType type, std::uint64_t size, const ItemSink& sink);
  Status begin_list(std::uint64_t size);
  Status end_list();
  [[nodiscard]] Content content_of(std::uint32_t number, std::uint64_t size) const;
  Status end_content(const ItemSink& sink);
  Status read_list_meta(std::string_view bytes);
  [[nodiscard]] Status fail(const std::string& what) const;

  LargeItems large_;
  State state_ = State::kPrefix;
  Status failed_;
  std::uint64_t offset_ = 0;
  std::string field_;  // The bytes so far of a tag and what follows it.
  HeldBytes held_;
  Content content_ = Content::kSkipped;
  bool in_list_ = false;
  bool has_list_ = false;
  std::uint64_t list_left_ = 0;
  Status status_;  // From a Status body.
  std::size_t item_count_ = 0;
  std::string resource_version_, continue_token_, kind_, api_version_;
  std::optional<std::int64_t> remaining_items_;
};

}  // namespace davit::host
