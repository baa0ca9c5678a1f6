#include "host/object/reads.hpp"

#include <algorithm>
#include <charconv>

#include "host/object/abi.hpp"
#include "host/object/canonical.hpp"
#include "host/object/tape.hpp"

namespace davit::host {

namespace {
constinit thread_local std::optional<UndeclaredRead> undeclared;

/// Notes the read of `member` of the value at `place`, or of all of it.
davit_code refuse_read(Mask place, std::string_view member) noexcept {
  if (undeclared) return DAVIT_UNDECLARED;
  UndeclaredRead& read = undeclared.emplace();
  read.at = place;
  read.key_size = std::min(member.size(), read.key.size());
  std::copy_n(member.begin(), read.key_size, read.key.begin());
  return DAVIT_UNDECLARED;
}
}  // namespace

const std::optional<UndeclaredRead>& undeclared_read() noexcept { return undeclared; }
void forget_undeclared_read() noexcept { undeclared.reset(); }

namespace reads {

namespace {
using tape::Byte;
using tape::Tag;

constexpr davit_value kAbsent{nullptr, 0, kFullMask};

const Object* object_of(davit_value value) { return static_cast<const Object*>(value.object); }
const Byte* at(davit_value value) { return object_of(value)->tape() + value.node; }

davit_value value_at(davit_value parent, const Byte* place, Mask mask) {
  const auto node = static_cast<std::uint32_t>(place - object_of(parent)->tape());
  return {parent.object, node, mask};
}

/// Whether `value` is there, of the kind asked for and wholly visible.
davit_code check_scalar(davit_value value, std::int32_t wanted) {
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  if (kind(value) != wanted) return DAVIT_WRONG_TYPE;
  return value.mask == kFullMask ? DAVIT_OK : refuse_read(value.mask, {});
}

davit_code find_member(davit_value value, davit_name name, std::string_view key, Mask mask,
                       davit_value* out) {
  *out = kAbsent;
  if (mask == kNothingMask) return refuse_read(value.mask, key);
  const Byte* found = tape::find(at(value), name, key);
  if (found == nullptr) return DAVIT_NOT_FOUND;
  *out = value_at(value, found, mask);
  return DAVIT_OK;
}

davit_code check_object(davit_value value, davit_value* out) {
  *out = kAbsent;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  return tape::tag_of(*at(value)) == Tag::kObject ? DAVIT_OK : DAVIT_WRONG_TYPE;
}

std::string_view text_of(davit_value value) {
  return tape::text(object_of(value)->tape(), at(value));
}
}  // namespace

std::int32_t kind(davit_value value) noexcept {
  if (value.object == nullptr) return DAVIT_KIND_ABSENT;
  switch (tape::tag_of(*at(value))) {
    case Tag::kNull:
      return DAVIT_KIND_NULL;
    case Tag::kFalse:
    case Tag::kTrue:
      return DAVIT_KIND_BOOLEAN;
    case Tag::kNumber:
      return DAVIT_KIND_NUMBER;
    case Tag::kArray:
      return DAVIT_KIND_ARRAY;
    case Tag::kObject:
      return DAVIT_KIND_OBJECT;
    default:
      return DAVIT_KIND_STRING;
  }
}

davit_code member(davit_value value, davit_name name, davit_value* out) noexcept {
  if (const davit_code code = check_object(value, out); code != DAVIT_OK) return code;
  if (name == 0) return DAVIT_MISUSE;
  const ObjectSpace& space = object_of(value)->space();
  return find_member(value, name, space.text(name), space.member_mask(value.mask, name), out);
}

davit_code lookup(davit_value value, davit_str key, davit_value* out) noexcept {
  if (const davit_code code = check_object(value, out); code != DAVIT_OK) return code;
  const ObjectSpace& space = object_of(value)->space();
  const std::string_view text(key.data, key.size);
  return find_member(value, space.find(text), text, space.member_mask(value.mask, text), out);
}

davit_code path(davit_value value, const davit_name* names, std::size_t count,
                davit_value* out) noexcept {
  *out = value;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  for (std::size_t i = 0; i < count; ++i) {
    if (const davit_code code = member(*out, names[i], out); code != DAVIT_OK) return code;
  }
  return DAVIT_OK;
}

std::size_t count(davit_value value) noexcept {
  if (value.object == nullptr) return 0;
  const Tag tag = tape::tag_of(*at(value));
  // The number of members or elements depends on other controllers' declarations, so only a full
  // mask shows it.
  if (tag == Tag::kObject && value.mask == kFullMask) return tape::count(at(value));
  if (tag == Tag::kArray && object_of(value)->space().element_mask(value.mask) != kNothingMask) {
    return tape::count(at(value));
  }
  return 0;
}

std::size_t elements(davit_value array, std::size_t first, davit_value* out,
                     std::size_t capacity) noexcept {
  if (array.object == nullptr || tape::tag_of(*at(array)) != Tag::kArray) return 0;
  const Mask mask = object_of(array)->space().element_mask(array.mask);
  if (mask == kNothingMask) return 0;
  const tape::Entries range = tape::entries(at(array));
  const Byte* place = range.begin;
  for (std::size_t i = 0; i < first && place < range.end; ++i) place = tape::skip(place);
  std::size_t written = 0;
  for (; written < capacity && place < range.end; place = tape::skip(place)) {
    out[written++] = value_at(array, place, mask);
  }
  return written;
}

davit_code members(davit_value object, std::size_t first, davit_member* out, std::size_t capacity,
                   std::size_t* written) noexcept {
  *written = 0;
  if (const davit_code code = check_scalar(object, DAVIT_KIND_OBJECT); code != DAVIT_OK)
    return code;
  const ObjectSpace& space = object_of(object)->space();
  tape::MemberCursor cursor(at(object));
  for (std::size_t i = 0; *written < capacity && cursor.next(); ++i) {
    if (i < first) continue;
    const std::string_view key = cursor.key(space);
    out[(*written)++] = {{key.data(), key.size()}, value_at(object, cursor.value(), kFullMask)};
  }
  return DAVIT_OK;
}

davit_code string(davit_value value, davit_str* out) noexcept {
  *out = {nullptr, 0};
  if (const davit_code code = check_scalar(value, DAVIT_KIND_STRING); code != DAVIT_OK) return code;
  const std::string_view text = text_of(value);
  *out = {text.data(), text.size()};
  return DAVIT_OK;
}

davit_code integer(davit_value value, std::int64_t* out) noexcept {
  *out = 0;
  if (const davit_code code = check_scalar(value, DAVIT_KIND_NUMBER); code != DAVIT_OK) return code;
  const std::string_view text = text_of(value);
  std::int64_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return DAVIT_WRONG_TYPE;
  *out = parsed;
  return DAVIT_OK;
}

davit_code number(davit_value value, davit_str* out) noexcept {
  *out = {nullptr, 0};
  if (const davit_code code = check_scalar(value, DAVIT_KIND_NUMBER); code != DAVIT_OK) return code;
  const std::string_view text = text_of(value);
  *out = {text.data(), text.size()};
  return DAVIT_OK;
}

davit_code boolean(davit_value value, std::int32_t* out) noexcept {
  *out = 0;
  if (const davit_code code = check_scalar(value, DAVIT_KIND_BOOLEAN); code != DAVIT_OK)
    return code;
  *out = tape::tag_of(*at(value)) == Tag::kTrue ? 1 : 0;
  return DAVIT_OK;
}

davit_code equal(davit_value a, davit_value b, std::int32_t* out) {
  *out = 0;
  for (const davit_value& each : {a, b}) {
    if (each.mask != kFullMask) return refuse_read(each.mask, {});
  }
  if (a.object == nullptr || b.object == nullptr) {
    *out = a.object == b.object ? 1 : 0;
  } else {
    *out = deep_equal({object_of(a), at(a)}, {object_of(b), at(b)}) ? 1 : 0;
  }
  return DAVIT_OK;
}

davit_code hash(davit_value value, std::uint64_t* out) {
  *out = 0;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  if (value.mask != kFullMask) return refuse_read(value.mask, {});
  *out = stable_hash({object_of(value), at(value)});
  return DAVIT_OK;
}

davit_code json(davit_value value, const davit_sink* sink) {
  if (sink == nullptr || sink->write == nullptr) return DAVIT_MISUSE;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  if (value.mask != kFullMask) return refuse_read(value.mask, {});
  return write_json({object_of(value), at(value)}, *sink);
}

}  // namespace reads

void fill_object_table(davit_object_v1& table) {
  table.kind = reads::kind;
  table.member = reads::member;
  table.lookup = reads::lookup;
  table.path = reads::path;
  table.count = reads::count;
  table.elements = reads::elements;
  table.members = reads::members;
  table.string = reads::string;
  table.integer = reads::integer;
  table.number = reads::number;
  table.boolean = reads::boolean;
  table.equal = reads::equal;
  table.hash = reads::hash;
  table.json = reads::json;
}

}  // namespace davit::host
