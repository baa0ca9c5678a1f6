#include "host/object/tape_writer.hpp"

#include <algorithm>

namespace davit::host {

namespace {
using tape::Byte;
using tape::Tag;

constexpr std::size_t kNarrowHeader = 3;
constexpr std::size_t kWideHeader = 5;
constexpr std::size_t kFewMembers = 16;

/// A hash of the size and up to sixteen bytes from both ends. A text that differs only in between
/// is stored again.
std::uint32_t quick_hash(std::string_view text) {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  const std::size_t size = std::min<std::size_t>(text.size(), 8);
  std::memcpy(&head, text.data(), size);
  std::memcpy(&tail, text.data() + text.size() - size, size);
  const std::uint64_t mixed = (head ^ tail * 31 ^ text.size()) * 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(mixed >> 32);
}
}  // namespace

void TapeWriter::begin(std::size_t bytes_max) {
  bytes_.clear();
  levels_.clear();
  ++round_;
  wide_ = bytes_max > kNarrowBytesMax;
}

void TapeWriter::release() {
  std::string().swap(bytes_);  // An assignment would keep the memory.
  levels_ = std::vector<Level>();
  keys_ = std::vector<KeyAt>();
}

void TapeWriter::count_element() {
  if (!levels_.empty() && !levels_.back().is_object) ++levels_.back().count;
}

void TapeWriter::put_tag(Tag tag, unsigned extra) {
  count_element();
  bytes_.push_back(static_cast<char>(tape::make_tag(tag, extra)));
}

void TapeWriter::put_text(Tag tag, std::string_view text) {
  const std::size_t size = text.size();
  if (size <= tape::kInlineSizeMax) {
    put_tag(tag, static_cast<unsigned>(size));
  } else if (size <= 0xff) {
    put_tag(tag, 29);
    put(static_cast<std::uint8_t>(size));
  } else if (size <= 0xffff) {
    put_tag(tag, 30);
    put(static_cast<std::uint16_t>(size));
  } else {
    put_tag(tag, 31);
    put(static_cast<std::uint32_t>(size));
  }
  bytes_.append(text);
}

void TapeWriter::string(std::string_view text) {
  if (text.size() < kReferredMin) {
    // Known texts of four bytes still save two.
    if (const int known = text.size() == 4 ? tape::find_known_text(text) : -1; known >= 0) {
      put_tag(Tag::kReference, tape::kReferenceKnown);
      put(static_cast<std::uint8_t>(known));
      return;
    }
    return put_text(Tag::kString, text);
  }
  if (!put_reference(text)) put_text(Tag::kString, text);
}

bool TapeWriter::put_reference(std::string_view text) {
  if (const int known = tape::find_known_text(text); known >= 0) {
    put_tag(Tag::kReference, tape::kReferenceKnown);
    put(static_cast<std::uint8_t>(known));
    return true;
  }
  const std::uint32_t hash = quick_hash(text);
  Seen& seen = seen_[hash % kSeen];
  if (seen.round == round_ && seen.hash == hash && tape::own_text(base() + seen.offset) == text) {
    const std::uint32_t offset = seen.offset;
    if (offset <= 0xffff) {
      put_tag(Tag::kReference, tape::kReferenceNear);
      put(static_cast<std::uint16_t>(offset));
    } else {
      put_tag(Tag::kReference, tape::kReferenceFar);
      put(offset);
    }
    return true;
  }
  seen = {static_cast<std::uint32_t>(bytes_.size()), round_, hash};
  return false;
}

void TapeWriter::open(Tag tag) {
  const auto start = static_cast<std::uint32_t>(bytes_.size());
  put_tag(tag, 0);
  bytes_.append((wide_ ? kWideHeader : kNarrowHeader) - 1, '\0');
  levels_.push_back({start, 0, tag == Tag::kObject});
}

void TapeWriter::key(davit_name name, std::string_view text) {
  ++levels_.back().count;
  put(static_cast<std::uint16_t>(name));
  if (name != 0) return;
  put_text(Tag::kString, text);
}

void TapeWriter::end_object() {
  if (levels_.back().count > 1) replace_duplicates(levels_.back());
  close();
}

void TapeWriter::close() {
  const Level level = levels_.back();
  levels_.pop_back();
  const Tag tag = tape::tag_of(static_cast<Byte>(bytes_[level.start]));
  if (level.count == 0) {
    bytes_.resize(level.start + 1);
    return;
  }
  const unsigned count = std::min<unsigned>(level.count, tape::kManyEntries);
  bytes_[level.start] = static_cast<char>(tape::make_tag(tag, count | (wide_ ? tape::kWide : 0)));
  const std::size_t header = wide_ ? kWideHeader : kNarrowHeader;
  const std::size_t size = bytes_.size() - level.start - header;
  const auto narrow = static_cast<std::uint16_t>(size);
  const auto wide = static_cast<std::uint32_t>(size);
  if (wide_) {
    std::memcpy(bytes_.data() + level.start + 1, &wide, sizeof wide);
  } else {
    std::memcpy(bytes_.data() + level.start + 1, &narrow, sizeof narrow);
  }
}

void TapeWriter::collect_keys(const Level& level) {
  keys_.clear();
  const Byte* at = base() + level.start + (wide_ ? kWideHeader : kNarrowHeader);
  const Byte* end = base() + bytes_.size();
  while (at < end) {
    const auto name = tape::load<std::uint16_t>(at);
    const Byte* value = name == 0 ? tape::skip(at + 2) : at + 2;
    keys_.push_back({name, name == 0 ? tape::own_text(at + 2) : std::string_view(),
                     static_cast<std::size_t>(at - base())});
    at = tape::skip(value);
  }
}

/// Marks each member whose key comes again later.
void TapeWriter::replace_duplicates(Level& level) {
  collect_keys(level);
  // One key can be inline and interned in one object, when a plugin interns it at this moment.
  const auto text = [this](const KeyAt& key) {
    return key.name == 0 ? key.text : space_.text(key.name);
  };
  if (keys_.size() <= kFewMembers) {
    for (auto key = keys_.begin(); key != keys_.end(); ++key) {
      const bool again = std::any_of(key + 1, keys_.end(), [&](const KeyAt& later) {
        return key->name != 0 && later.name != 0 ? key->name == later.name
                                                 : text(*key) == text(later);
      });
      if (again) mark_replaced(level, key->offset);
    }
    return;
  }
  for (KeyAt& key : keys_) key.text = text(key);
  std::sort(keys_.begin(), keys_.end(), [](const KeyAt& a, const KeyAt& b) {
    return a.text != b.text ? a.text < b.text : a.offset < b.offset;
  });
  for (std::size_t i = 0; i + 1 < keys_.size(); ++i) {
    if (keys_[i].text == keys_[i + 1].text) mark_replaced(level, keys_[i].offset);
  }
}

void TapeWriter::mark_replaced(Level& level, std::size_t offset) {
  auto name = tape::load<std::uint16_t>(base() + offset);
  name |= tape::kReplaced;
  std::memcpy(bytes_.data() + offset, &name, sizeof name);
  --level.count;
}

}  // namespace davit::host
