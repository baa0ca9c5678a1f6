#include "host/object/protobuf_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <davit/base64.hpp>
#include <iterator>
#include <optional>
#include <utility>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/wire.hpp"

namespace davit::host {

namespace {

/// Longer than the text of every number.
constexpr std::size_t kNumberBytesMax = 40;

bool is_ascii(std::string_view text) {
  std::uint64_t bits = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint64_t word; end - at >= 8; at += 8) {
    std::memcpy(&word, at, sizeof word);
    bits |= word;
  }
  for (; at < end; ++at) bits |= static_cast<unsigned char>(*at);
  return (bits & 0x8080808080808080) == 0;
}

WireType wire_type_of(FieldType type) {
  switch (type) {
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kBoolean:
      return WireType::kVarint;
    case FieldType::kDouble:
      return WireType::kFixed64;
    default:
      return WireType::kBytes;
  }
}

std::int64_t integer_of(FieldType type, std::uint64_t bits) {
  return type == FieldType::kInt32 ? static_cast<std::int32_t>(bits)
                                   : static_cast<std::int64_t>(bits);
}

double double_of(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Whether Go's `omitempty` leaves it out.
bool is_zero(FieldType type, const WireReader& in) {
  switch (type) {
    case FieldType::kString:
    case FieldType::kBytes:
      return in.bytes().empty();
    case FieldType::kDouble:
      return double_of(in.integer()) == 0;
    default:
      return integer_of(type, in.integer()) == 0;
  }
}

bool is_time(FieldType type) { return type == FieldType::kTime || type == FieldType::kMicroTime; }

/// Nothing for malformed bytes. The zero time for none, as Go sends it.
std::optional<WireTime> read_time(std::string_view bytes) {
  constexpr std::int64_t kNanosMax = 999'999'999;
  constexpr std::int64_t kZeroTime = -62'135'596'800;
  if (bytes.empty()) return WireTime{kZeroTime, 0};
  WireTime out;
  WireReader in(bytes);
  while (in.next()) {
    const auto value = static_cast<std::int64_t>(in.integer());
    if (in.number() == wire::kTimeSeconds) out.seconds = value;
    if (in.number() != wire::kTimeNanos) continue;
    out.nanos = static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, kNanosMax));
  }
  if (!in.ok()) return std::nullopt;
  return out;
}

/// The member of a message that has one.
std::optional<std::string_view> only_member(std::string_view bytes) {
  std::string_view out;
  WireReader in(bytes);
  while (in.next()) {
    if (in.number() == wire::kOnlyMember) out = in.bytes();
  }
  return in.ok() ? std::optional(out) : std::nullopt;
}

}  // namespace

bool ProtobufWriter::write(std::string_view message, const Message& type, const TypeMeta& type_meta,
                           const ParseOptions& options, std::size_t tape_bytes_max) {
  depth_max_ = options.depth_max;
  tape_bytes_max_ = tape_bytes_max;
  full_ = false;
  fault_ = ParseFault::kNone;
  if (!can_enter(0)) return false;
  tape_.begin_object();
  if (!type_meta.api_version.empty()) {
    tape_.key(kind_, "kind");
    text(type_meta.kind);
    tape_.key(api_version_, "apiVersion");
    text(type_meta.api_version);
  }
  const MessagePlan& plan = plans_.of(type, options.keep_mask, ProtobufPlans::Role::kObject);
  std::uint64_t seen = 0;
  return members(plan, message, 1, seen) && rest(plan, seen, 1) && end_struct();
}

bool ProtobufWriter::object(const MessagePlan& plan, std::string_view bytes, std::size_t depth) {
  if (!can_enter(depth)) return false;
  tape_.begin_object();
  std::uint64_t seen = 0;
  return members(plan, bytes, depth + 1, seen) && rest(plan, seen, depth + 1) && end_struct();
}

/// `depth` is how many objects and arrays are open, as the reader of JSON counts them.
bool ProtobufWriter::members(const MessagePlan& plan, std::string_view bytes, std::size_t depth,
                             std::uint64_t& seen) {
  const FieldPlan* list = nullptr;  // The list or map whose elements come.
  WireReader in(bytes);
  while (in.next()) {
    const FieldPlan& field = plan.find(in.number());
    if (field.use == FieldPlan::Use::kSkipped) continue;
    if (field.use == FieldPlan::Use::kUnknown) {
      if (!plan.keeps_unknown()) continue;
      return fail(ParseFault::kUnknown, "has field " + std::to_string(in.number()) + " of " +
                                            plan.message().name + ", which is not in our tables");
    }
    if (&field != list) {
      if (!close(std::exchange(list, nullptr))) return false;
      if (field.use == FieldPlan::Use::kInlined) {
        if (in.type() != WireType::kBytes) return malformed(plan);
        if (!members(*field.inlined, in.bytes(), depth, seen)) return false;
        continue;
      }
      if ((seen & field.bit) != 0) {
        return fail(ParseFault::kUnknown,
                    "has member " + field.field->name + " of " + plan.message().name + " twice");
      }
      if (field.field->shape != FieldShape::kOne) {
        seen |= field.bit;
        if (!open(field, depth)) return false;
        list = &field;
      }
    }
    if (!member(plan, field, in, depth, seen)) return false;
  }
  return in.ok() ? close(list) : malformed(plan);
}

bool ProtobufWriter::member(const MessagePlan& plan, const FieldPlan& field, const WireReader& in,
                            std::size_t depth, std::uint64_t& seen) {
  const Field& type = *field.field;
  if (type.shape == FieldShape::kList) return element(field, in, depth + 1) || malformed(plan);
  if (type.shape == FieldShape::kMap) return entry(field, in, depth + 1) || malformed(plan);
  if (in.type() != wire_type_of(type.type)) return malformed(plan);
  if (is_time(type.type)) {
    const std::optional<WireTime> time = read_time(in.bytes());
    if (!time) return malformed(plan);
    if (time->is_zero()) return true;
    seen |= field.bit;
    tape_.key(field.name, type.name);
    return this->time(type.type, *time);
  }
  if (!field.keeps_zero && is_zero(type.type, in)) return true;
  seen |= field.bit;
  tape_.key(field.name, type.name);
  return value(field, field.mask, in, depth) || malformed(plan);
}

bool ProtobufWriter::open(const FieldPlan& field, std::size_t depth) {
  if (!can_enter(depth)) return false;
  tape_.key(field.name, field.field->name);
  if (field.field->shape == FieldShape::kList) {
    tape_.begin_array();
  } else {
    tape_.begin_object();
  }
  return true;
}

bool ProtobufWriter::close(const FieldPlan* field) {
  if (field == nullptr) return true;
  full_ = tape_.bytes().size() > tape_bytes_max_;
  if (full_) return false;
  if (field->field->shape == FieldShape::kList) {
    tape_.end_array();
  } else {
    tape_.end_object();
  }
  return true;
}

bool ProtobufWriter::end_struct() {
  tape_.end_struct();
  full_ = tape_.bytes().size() > tape_bytes_max_;
  return !full_;
}

/// Adds the members that are always written.
bool ProtobufWriter::rest(const MessagePlan& plan, std::uint64_t seen, std::size_t depth) {
  if ((plan.always_bits() & ~seen) == 0) return true;
  for (const FieldPlan* field : plan.always()) {
    if ((seen & field->bit) != 0) continue;
    tape_.key(field->name, field->field->name);
    if (field->field->pointer || field->field->shape != FieldShape::kOne) {
      tape_.null();
    } else if (!zero(*field, field->mask, depth)) {
      return false;
    }
  }
  return true;
}

bool ProtobufWriter::element(const FieldPlan& field, const WireReader& in, std::size_t depth) {
  if (field.mask == kNothingMask) return true;
  const FieldType type = field.field->type;
  if (in.type() == wire_type_of(type)) return value(field, field.mask, in, depth);
  if (wire_type_of(type) != WireType::kVarint || in.type() != WireType::kBytes) return false;
  const std::string_view packed = in.bytes();
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at < end) {
    const std::optional<std::uint64_t> bits = take_varint(at, end);
    if (!bits) return false;
    if (type == FieldType::kBoolean) {
      tape_.boolean(*bits != 0);
    } else {
      integer(integer_of(type, *bits));
    }
  }
  return true;
}

bool ProtobufWriter::entry(const FieldPlan& field, const WireReader& in, std::size_t depth) {
  if (in.type() != WireType::kBytes) return false;
  std::string_view key;
  std::optional<WireReader> found;
  WireReader members(in.bytes());
  while (members.next()) {
    if (members.number() == wire::kEntryKey) key = members.bytes();
    if (members.number() == wire::kEntryValue) found = members;
  }
  if (!members.ok()) return false;
  std::string valid;
  if (!is_ascii(key)) key = valid = valid_utf8(key);
  const Mask mask = space_.member_mask(field.mask, key);
  if (mask == kNothingMask) return true;
  tape_.key(space_.intern_data(key), key);
  if (!found) return zero(field, mask, depth);
  return found->type() == wire_type_of(field.field->type) && value(field, mask, *found, depth);
}

/// False without a fault: the bytes are malformed.
bool ProtobufWriter::value(const FieldPlan& field, Mask mask, const WireReader& in,
                           std::size_t depth) {
  switch (field.field->type) {
    case FieldType::kMessage:
      return object(message_of(field, mask), in.bytes(), depth);
    case FieldType::kTime:
    case FieldType::kMicroTime: {
      const std::optional<WireTime> read = read_time(in.bytes());
      return read && time(field.field->type, *read);
    }
    case FieldType::kQuantity:
      return quantity(in.bytes());
    case FieldType::kIntOrString:
      return int_or_string(in.bytes());
    case FieldType::kRaw:
      return raw(in.bytes(), mask, depth);
    case FieldType::kStrings:
      return strings(in.bytes(), depth);
    case FieldType::kSchemaOrArray:
    case FieldType::kSchemaOrBool:
    case FieldType::kSchemaOrStrings:
      return schema_or(field, mask, in.bytes(), depth);
    default:
      return scalar(*field.field, in);
  }
}

bool ProtobufWriter::scalar(const Field& field, const WireReader& in) {
  switch (field.type) {
    case FieldType::kString:
      text(in.bytes());
      return true;
    case FieldType::kBytes:
      tape_.string(encode_base64(in.bytes()));
      return true;
    case FieldType::kBoolean:
      tape_.boolean(in.integer() != 0);
      return true;
    case FieldType::kDouble:
      return number(double_of(in.integer()));
    default:
      integer(integer_of(field.type, in.integer()));
      return true;
  }
}

/// Writes a value that was never set as Go does.
bool ProtobufWriter::zero(const FieldPlan& field, Mask mask, std::size_t depth) {
  switch (field.field->type) {
    case FieldType::kString:
    case FieldType::kBytes:
      tape_.string("");
      return true;
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kIntOrString:
    case FieldType::kDouble:
      integer(0);
      return true;
    case FieldType::kBoolean:
      tape_.boolean(false);
      return true;
    case FieldType::kQuantity:
      tape_.string("0");
      return true;
    case FieldType::kMessage:
      return object(message_of(field, mask), {}, depth);
    case FieldType::kStrings:
      return strings({}, depth);
    default:
      tape_.null();
      return true;
  }
}

/// JSONSchemaPropsOrArray, …OrBool or …OrStringArray: the schema is member 1, in …OrBool 2.
bool ProtobufWriter::schema_or(const FieldPlan& field, Mask mask, std::string_view bytes,
                               std::size_t depth) {
  const bool is_bool = field.field->type == FieldType::kSchemaOrBool;
  std::optional<std::string_view> schema;
  bool allows = false;
  bool has_list = false;
  WireReader in(bytes);
  while (in.next()) {
    if (in.number() != 1 && in.number() != 2) continue;
    const bool is_schema = (in.number() == 1) != is_bool;
    if (is_schema && in.type() != WireType::kBytes) return false;
    if (is_schema) schema = in.bytes();
    if (!is_schema) allows = in.integer() != 0;
    has_list = has_list || (!is_schema && !is_bool);
  }
  if (!in.ok()) return false;
  if (has_list) return schemas(field, mask, bytes, depth);
  if (schema) return object(message_of(field, mask), *schema, depth);
  if (is_bool) {
    tape_.boolean(allows);
  } else {
    tape_.null();
  }
  return true;
}

bool ProtobufWriter::schemas(const FieldPlan& field, Mask mask, std::string_view bytes,
                             std::size_t depth) {
  constexpr std::uint32_t kElements = 2;
  if (!can_enter(depth)) return false;
  const bool are_strings = field.field->type == FieldType::kSchemaOrStrings;
  const Mask inner = space_.element_mask(mask);
  tape_.begin_array();
  WireReader in(bytes);
  while (in.next()) {
    if (in.number() != kElements || inner == kNothingMask) continue;
    if (in.type() != WireType::kBytes) return false;
    if (are_strings) {
      text(in.bytes());
    } else if (!object(plans_.of(*field.field->message, inner), in.bytes(), depth + 1)) {
      return false;
    }
  }
  tape_.end_array();
  return true;
}

bool ProtobufWriter::strings(std::string_view bytes, std::size_t depth) {
  if (!can_enter(depth)) return false;
  tape_.begin_array();
  WireReader in(bytes);
  while (in.next()) {
    if (in.number() == wire::kOnlyMember) text(in.bytes());
  }
  tape_.end_array();
  return in.ok();
}

bool ProtobufWriter::raw(std::string_view bytes, Mask mask, std::size_t depth) {
  const std::optional<std::string_view> json = only_member(bytes);
  if (!json) return false;
  if (json->empty()) {
    tape_.null();
    return true;
  }
  const Status read =
      json_.read(*json, {.keep_mask = mask, .depth_max = depth_max_ - depth}, JsonRoot::kValue);
  return read.ok() || fail(json_.fault(), "holds raw " + read.message());
}

bool ProtobufWriter::quantity(std::string_view bytes) {
  const std::optional<std::string_view> quantity = only_member(bytes);
  if (!quantity) return false;
  text(quantity->empty() ? "0" : *quantity);
  return true;
}

bool ProtobufWriter::int_or_string(std::string_view bytes) {
  bool is_text = false;
  std::uint64_t value = 0;
  std::string_view word;
  WireReader in(bytes);
  while (in.next()) {
    if (in.number() == wire::kIntOrStringType) is_text = in.integer() == 1;
    if (in.number() == wire::kIntOrStringInteger) value = in.integer();
    if (in.number() == wire::kIntOrStringText) word = in.bytes();
  }
  if (!in.ok()) return false;
  if (is_text) {
    text(word);
  } else {
    integer(integer_of(FieldType::kInt32, value));
  }
  return true;
}

/// As Go's encoding/json writes a float64.
bool ProtobufWriter::number(double value) {
  constexpr double kLargeExponent = 1e21;
  constexpr double kSmallExponent = 1e-6;
  if (!std::isfinite(value)) return fail(ParseFault::kMalformed, "has a number that is not finite");
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= kSmallExponent && size < kLargeExponent);
  char out[kNumberBytesMax];
  const std::to_chars_result end = std::to_chars(
      out, std::end(out), value, plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string_view digits(out, static_cast<std::size_t>(end.ptr - out));
  // Go shortens e-09 to e-9.
  constexpr std::size_t kPaddedTail = 4;
  const std::size_t tail = digits.size() - std::min(digits.size(), kPaddedTail);
  if (plain || digits.substr(tail, 3) != "e-0") {
    tape_.number(digits);
  } else {
    out[end.ptr - out - 2] = *(end.ptr - 1);
    tape_.number(digits.substr(0, digits.size() - 1));
  }
  return true;
}

bool ProtobufWriter::time(FieldType type, const WireTime& time) {
  if (time.is_zero()) {
    tape_.null();
  } else {
    tape_.string(type == FieldType::kMicroTime ? micro_time_text(time) : time_text(time));
  }
  return true;
}

void ProtobufWriter::integer(std::int64_t value) {
  char out[kNumberBytesMax];
  const char* end = std::to_chars(out, std::end(out), value).ptr;
  tape_.number({out, static_cast<std::size_t>(end - out)});
}

void ProtobufWriter::text(std::string_view text) {
  if (is_ascii(text)) return tape_.string(text);
  tape_.string(valid_utf8(text));
}

const MessagePlan& ProtobufWriter::message_of(const FieldPlan& field, Mask mask) {
  if (mask != field.mask) return plans_.of(*field.field->message, mask);
  if (field.message == nullptr) field.message = &plans_.of(*field.field->message, mask);
  return *field.message;
}

bool ProtobufWriter::can_enter(std::size_t depth) {
  return depth < depth_max_ || fail(ParseFault::kTooDeep, "is nested too deeply");
}

bool ProtobufWriter::fail(ParseFault fault, std::string what) {
  fault_ = fault;
  error_ = std::move(what);
  return false;
}

/// Keeps the fault of what failed inside, if that is known.
bool ProtobufWriter::malformed(const MessagePlan& plan) {
  if (full_ || fault_ != ParseFault::kNone) return false;
  return fail(ParseFault::kMalformed, "is malformed in " + plan.message().name);
}

}  // namespace davit::host
