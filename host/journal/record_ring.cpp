#include "host/journal/record_ring.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace davit::host {
namespace {

/// The cost of a chunk beside its texts: its counters as shared, and its place in the ring.
constexpr std::size_t kChunkOverhead = 64;

class Packer {
 public:
  static constexpr bool kReads = false;

  Packer(std::string& out, TextTable& texts, Time base) : out_(out), texts_(texts), base_(base) {}

  template <typename Number>
  void number(const Number& value) {
    put(static_cast<std::uint64_t>(value));
  }
  /// Perhaps below zero, near zero: negative ones take odd numbers.
  void signed_number(std::int64_t value) {
    put((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(const std::string& value) { put(texts_.add(value)); }
  void time(const Time& value) { signed_number((value - base_).count() / 1000); }
  void duration(const Duration& value) { signed_number(value.count() / 1000); }
  /// A text that is seldom the same twice, and mostly a number.
  void version(const std::string& value) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size() &&
                           value.front() != '0' && number < UINT64_MAX / 2;
    if (is_number) return put(number * 2 + 1);
    put(std::uint64_t{texts_.add(value)} * 2);
  }

 private:
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }

  std::string& out_;
  TextTable& texts_;
  const Time base_;
};

class Unpacker {
 public:
  static constexpr bool kReads = true;

  Unpacker(std::string_view packed, const TextTable& texts, Time base)
      : left_(packed), texts_(texts), base_(base) {}

  [[nodiscard]] bool at_end() const { return left_.empty(); }

  template <typename Number>
  void number(Number& value) {
    value = static_cast<Number>(get());
  }
  void signed_number(std::int64_t& value) {
    const std::uint64_t raw = get();
    value = static_cast<std::int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }
  void text(std::string& value) { value = texts_.text(static_cast<std::uint32_t>(get())); }
  void time(Time& value) { value = base_ + micros(); }
  void duration(Duration& value) { value = micros(); }
  void version(std::string& value) {
    const std::uint64_t raw = get();
    value = (raw & 1) != 0 ? std::to_string(raw / 2)
                           : std::string(texts_.text(static_cast<std::uint32_t>(raw / 2)));
  }

 private:
  Duration micros() {
    std::int64_t count = 0;
    signed_number(count);
    return std::chrono::microseconds(count);
  }
  std::uint64_t get() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !left_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  std::string_view left_;
  const TextTable& texts_;
  const Time base_;
};

// One list of the members for both directions: Coder is Packer or Unpacker, and what it codes is
// constant or not.

template <typename Coder, typename Object>
void code_object(Coder& coder, Object& object) {
  coder.text(object.group);
  coder.text(object.resource);
  coder.text(object.ns);
  coder.text(object.name);
}

template <typename Coder, typename Element>
void code_wake(Coder& coder, Element& wake) {
  coder.number(wake.kind);
  code_object(coder, wake.object);
  coder.version(wake.version);
  coder.time(wake.at);
}

template <typename Coder, typename Element>
void code_write(Coder& coder, Element& write) {
  coder.text(write.verb);
  code_object(coder, write.object);
  coder.text(write.subresource);
  coder.text(write.owner_kind);
  coder.text(write.owner_name);
  coder.number(write.http_status);
  coder.version(write.version);
  coder.text(write.reason);
  coder.text(write.message);
  coder.time(write.began);
  coder.duration(write.took);
  coder.number(write.attempts);
  coder.number(write.is_dry_run);
}

template <typename Coder, typename List>
void code_size(Coder& coder, List& list) {
  std::size_t size = list.size();
  coder.number(size);
  if constexpr (Coder::kReads) list.resize(size);
}

template <typename Coder, typename Record>
void code_record(Coder& coder, Record& record) {
  coder.time(record.began);
  coder.duration(record.took);
  coder.number(record.generation);
  coder.text(record.queue);
  coder.text(record.key);
  coder.number(record.is_timer);
  coder.number(record.attempt);
  coder.number(record.code);
  coder.text(record.error);
  coder.duration(record.again);
  coder.number(record.is_retried);
  code_size(coder, record.wakes);
  for (auto& each : record.wakes) code_wake(coder, each);
  coder.number(record.more_wakes);
  code_size(coder, record.writes);
  for (auto& each : record.writes) code_write(coder, each);
  coder.number(record.more_writes);
}

}  // namespace

void RecordChunk::append(const WorkRecord& record) {
  Packer packer(packed_, texts_, base_);
  code_record(packer, record);
  last_ = record.began;
}

std::size_t RecordChunk::bytes() const {
  return sizeof(*this) + kChunkOverhead + packed_.capacity() + texts_.bytes();
}

void RecordChunk::seal() {
  packed_.shrink_to_fit();
  texts_.seal();
}

void RecordChunk::read(std::vector<WorkRecord>& out) const {
  for (Unpacker unpacker(packed_, texts_, base_); !unpacker.at_end();) {
    code_record(unpacker, out.emplace_back());
  }
}

void RecordRing::seal_open() {
  open_->seal();
  sealed_bytes_ += open_->bytes();
  sealed_.push_back(std::move(open_));
}

void RecordRing::append(const WorkRecord& record) {
  if (!open_) open_ = std::make_unique<RecordChunk>(record.began);
  open_->append(record);
  if (open_->bytes() >= chunk_bytes_) seal_open();
}

std::optional<Time> RecordRing::oldest() const {
  if (!sealed_.empty()) return sealed_.front()->base();
  return open_ ? std::optional(open_->base()) : std::nullopt;
}

void RecordRing::forget_oldest() {
  std::optional<Time> last;
  if (!sealed_.empty()) {
    last = sealed_.front()->last();
    sealed_bytes_ -= sealed_.front()->bytes();
    sealed_.pop_front();
  } else if (open_) {
    last = open_->last();
    open_.reset();
  } else {
    return;
  }
  const std::optional<Time> next = oldest();
  reaches_back_to_ = next ? next : last;
}

RecordRing::Snapshot RecordRing::snapshot() const {
  Snapshot taken(sealed_.begin(), sealed_.end());
  if (open_) taken.push_back(std::make_shared<const RecordChunk>(*open_));
  return taken;
}

}  // namespace davit::host
