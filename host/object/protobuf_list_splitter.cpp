#include "host/object/protobuf_list_splitter.hpp"

#include "host/object/api_status.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_parser.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/kube/schema/wire.hpp"

namespace davit::host {

namespace {

/// Members of ListMeta.
enum : std::uint32_t {
  kListVersion = 2,
  kListContinue = 3,
  kListRemaining = 4,
};
constexpr std::size_t kFieldBytesMax = ListSplitter::kFieldBytesMax;

Status read_status(std::string_view message) {
  ObjectSpace names;  // Only for this message, which is small and read once.
  ProtobufParser parser(names);
  const Result<ObjectRef> status =
      parser.parse(message, {.message = find_wire_schema("v1", "Status")}, {});
  return status ? api_status(status->root()) : status.error().with_context("a Status");
}

}  // namespace

Status ProtobufListSplitter::feed(std::string_view chunk, const ItemSink& sink) {
  while (failed_.ok() && !chunk.empty()) {
    std::size_t taken = 1;
    if (state_ == State::kPrefix) {
      failed_ = take_prefix(chunk.front());
    } else if (state_ == State::kField) {
      if (in_list_) --list_left_;
      failed_ = take_field_byte(chunk.front(), sink);
    } else {
      taken = held_.feed(chunk);
      if (in_list_) list_left_ -= taken;
      if (held_.is_complete()) failed_ = end_content(sink);
    }
    if (failed_.ok() && in_list_ && list_left_ == 0) failed_ = end_list();
    chunk.remove_prefix(taken);
    offset_ += taken;
  }
  return failed_;
}

Status ProtobufListSplitter::take_prefix(char c) {
  if (c != wire::kEnvelopePrefix[field_.size()]) return fail("does not begin with \"k8s\\0\"");
  field_ += c;
  if (field_ == wire::kEnvelopePrefix) {
    field_.clear();
    state_ = State::kField;
  }
  return {};
}

Status ProtobufListSplitter::take_field_byte(char c, const ItemSink& sink) {
  field_ += c;
  if (field_.size() > 2 * kVarintBytesMax) return fail("has a number that is too long");
  if (static_cast<signed char>(c) < 0) return {};  // The number continues.
  const char* at = field_.data();
  const char* const end = at + field_.size();
  const std::optional<std::uint64_t> tag = take_varint(at, end);
  if (!tag || *tag >> 3 == 0 || *tag > UINT32_MAX) return fail("has a malformed field");
  const auto number = static_cast<std::uint32_t>(*tag >> 3);
  const auto type = static_cast<WireType>(*tag & 7);
  std::uint64_t size = 0;
  if (type == WireType::kFixed64) {
    size = sizeof(std::uint64_t);
  } else if (type == WireType::kFixed32) {
    size = sizeof(std::uint32_t);
  } else if (type != WireType::kVarint && type != WireType::kBytes) {
    return fail("has a malformed field");
  } else if (at == end) {
    return {};  // The number behind the tag comes next.
  } else {
    const std::optional<std::uint64_t> value = take_varint(at, end);
    if (!value) return fail("has a malformed field");
    if (type == WireType::kBytes) size = *value;
  }
  field_.clear();
  return begin_field(number, type, size, sink);
}

Status ProtobufListSplitter::begin_field(std::uint32_t number, WireType type, std::uint64_t size,
                                         const ItemSink& sink) {
  if (in_list_ && size > list_left_) return fail("has a field that is longer than the list");
  content_ = Content::kSkipped;
  if (type == WireType::kBytes) content_ = content_of(number, size);
  if (content_ == Content::kList) return begin_list(size);
  const bool is_field = content_ == Content::kTypeMeta || content_ == Content::kListMeta ||
                        content_ == Content::kStatus;
  if (is_field && size > kFieldBytesMax) return fail("has a field of more than 64 KiB");
  if (content_ == Content::kLargeItem && large_.skip == nullptr) {
    return fail("has an item of more than 64 MiB");
  }
  const bool is_held = is_field || content_ == Content::kItem;
  held_.begin(size, is_held ? size : content_ == Content::kLargeItem ? HeldBytes::kHeadBytes : 0);
  state_ = State::kContent;
  return size == 0 ? end_content(sink) : Status();
}

ProtobufListSplitter::Content ProtobufListSplitter::content_of(std::uint32_t number,
                                                               std::uint64_t size) const {
  if (!in_list_) {
    if (number == wire::kUnknownTypeMeta) return Content::kTypeMeta;
    if (number != wire::kUnknownRaw) return Content::kSkipped;
    return kind_ == "Status" ? Content::kStatus : Content::kList;
  }
  if (number == wire::kListMetadata) return Content::kListMeta;
  if (number != wire::kListItems) return Content::kSkipped;
  return size > large_.bytes_max ? Content::kLargeItem : Content::kItem;
}

Status ProtobufListSplitter::begin_list(std::uint64_t size) {
  if (has_list_) return fail("holds two lists");
  if (!kind_.ends_with("List")) return fail("of kind \"" + kind_ + "\" is not a list");
  has_list_ = true;
  in_list_ = true;
  list_left_ = size;
  return {};
}

Status ProtobufListSplitter::end_list() {
  if (state_ != State::kField || !field_.empty()) return fail("ends within a field");
  in_list_ = false;
  return {};
}

Status ProtobufListSplitter::end_content(const ItemSink& sink) {
  state_ = State::kField;
  Status ended;
  WireTypeMeta type;
  switch (content_) {
    case Content::kTypeMeta:
      type = read_type_meta(held_.bytes());
      api_version_ = type.api_version;
      kind_ = type.kind;
      break;
    case Content::kListMeta:
      ended = read_list_meta(held_.bytes());
      break;
    case Content::kItem:
      ++item_count_;
      ended = sink(held_.bytes());
      break;
    case Content::kLargeItem:
      ++item_count_;
      ended = large_.skip(read_protobuf_identity(held_.bytes()));
      break;
    case Content::kStatus:
      status_ = read_status(held_.bytes());
      break;
    case Content::kSkipped:
    case Content::kList:
      break;
  }
  held_.clear();
  return ended;
}

Status ProtobufListSplitter::read_list_meta(std::string_view bytes) {
  WireReader in(bytes);
  while (in.next()) {
    if (in.number() == kListVersion) resource_version_ = in.bytes();
    if (in.number() == kListContinue) continue_token_ = in.bytes();
    if (in.number() == kListRemaining) {
      remaining_items_ = static_cast<std::int64_t>(in.integer());
    }
  }
  return in.ok() ? Status() : fail("has malformed metadata");
}

Status ProtobufListSplitter::finish() {
  if (!failed_.ok()) return failed_;
  const bool has_ended = state_ == State::kField && field_.empty() && !in_list_;
  if (!has_ended) {
    return failed_ = Status(Code::kUnavailable,
                            "list body ended early (offset " + std::to_string(offset_) + ")");
  }
  if (!status_.ok()) return failed_ = status_;
  if (!has_list_) return failed_ = fail("of kind \"" + kind_ + "\" has no items");
  return {};
}

Status ProtobufListSplitter::fail(const std::string& what) const {
  return {Code::kInvalid, "list body " + what + " (offset " + std::to_string(offset_) + ")"};
}

}  // namespace davit::host
