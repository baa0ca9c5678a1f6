#include "host/oci/tar.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <davit/mutant.hpp>
#include <optional>
#include <set>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameBytesMax = 100;

/// The fields of a header: where they begin, and how long they are.
struct Field {
  std::size_t at;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kSum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 6};
constexpr Field kVersion{263, 2};
constexpr Field kPrefix{345, 155};

std::string_view field(std::string_view header, Field which) {
  const std::string_view whole = header.substr(which.at, which.size);
  return whole.substr(0, whole.find('\0'));
}

/// The sum of the bytes of a header, its own field taken as blanks.
std::uint32_t sum_of(std::string_view header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kSum.at && i < kSum.at + kSum.size;
    sum += own ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

/// Octal digits with blanks around them; nothing if there is something else.
std::optional<std::uint64_t> octal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

void put(std::string& header, Field which, std::string_view text) {
  DAVIT_ASSERT(text.size() <= which.size);
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(which.at));
}

/// The digits of `value` that fill the field, but for its last byte.
void put_octal(std::string& header, Field which, std::uint64_t value) {
  std::string digits(which.size - 1, '0');
  for (std::size_t i = digits.size(); i-- > 0; value /= 8) {
    digits[i] = static_cast<char>('0' + value % 8);
  }
  DAVIT_ASSERT(value == 0);
  put(header, which, digits);
}

std::string header_of(const ArchivedFile& file) {
  std::string header(kBlock, '\0');
  put(header, kName, file.name);
  put_octal(header, kMode, 0644);
  put_octal(header, kUser, 0);
  put_octal(header, kGroup, 0);
  put_octal(header, kSize, file.content.size());
  put_octal(header, kTime, 0);
  put(header, kType, "0");
  put(header, kMagic, std::string_view("ustar\0", 6));
  put(header, kVersion, "00");
  put_octal(header, {kSum.at, kSum.size - 1}, sum_of(header));
  header[kSum.at + kSum.size - 1] = ' ';
  return header;
}

std::size_t padded(std::size_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

/// The kinds of entries that are refused, for messages.
std::string kind_name(char type) {
  if (type == '1') return "a hard link";
  if (type == '2') return "a symbolic link";
  if (type == '3' || type == '4') return "a device";
  if (type == '6') return "a FIFO";
  return "an entry of type " + json_string(std::string(1, type));
}

Status damaged(const std::string& why) {
  return Status(Code::kInvalid, "the archive is damaged: " + why);
}

/// The facts of a header that count.
struct Head {
  std::string name;
  std::size_t size = 0;
  bool is_folder = false;
};

Result<Head> read_head(std::string_view header) {
  const std::optional<std::uint64_t> sum = octal(field(header, kSum));
  if (!sum || *sum != sum_of(header)) return damaged("the sum of a header is wrong");
  if (!header.substr(kMagic.at).starts_with("ustar")) return damaged("a header is not of ustar");
  Head head;
  const std::string_view prefix = field(header, kPrefix);
  head.name = std::string(prefix) + (prefix.empty() ? "" : "/") + std::string(field(header, kName));
  const char type = header[kType.at];
  head.is_folder = type == '5';
  if (!head.is_folder && type != '0' && type != '\0' && !mutant("archived-links")) {
    return Status(Code::kInvalid,
                  json_string(head.name) + " is " + kind_name(type) + "; only files may be there");
  }
  const std::optional<std::uint64_t> size = octal(field(header, kSize));
  if (!size) return damaged("the size of " + json_string(head.name) + " is not a number");
  head.size = static_cast<std::size_t>(*size);
  return head;
}

}  // namespace

std::string refuse_archived_name(std::string_view name, std::size_t depth_max) {
  if (name.empty()) return "is empty";
  if (name.size() > kNameBytesMax) return "is longer than 100 bytes";
  if (mutant("archived-name")) return "";
  if (name.front() == '/') return "is an absolute path";
  const bool odd = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\';
  });
  if (odd) return "has a control character or a backslash";
  if (name.back() == '/') return "ends with a slash";
  std::size_t depth = 0;
  while (!name.empty()) {
    const std::string_view part = take_until(name, "/");
    if (part.empty() || part == "." || part == "..") return "leads out of its folder";
    if (++depth > depth_max) return "is too deep";
  }
  return "";
}

std::string write_tar(const std::vector<ArchivedFile>& files) {
  std::size_t size = 2 * kBlock;
  for (const ArchivedFile& each : files) size += kBlock + padded(each.content.size());
  std::string out;
  out.reserve(size);
  for (const ArchivedFile& each : files) {
    out += header_of(each);
    out += each.content;
    out.resize(padded(out.size()), '\0');
  }
  out.resize(size, '\0');
  return out;
}

Result<std::vector<ArchivedFile>> read_tar(std::string_view bytes, const TarLimits& limits) {
  std::vector<ArchivedFile> files;
  std::set<std::string> names;
  std::size_t entries = 0;
  while (true) {
    if (bytes.size() < kBlock) return damaged("it is cut");
    const std::string_view header = bytes.substr(0, kBlock);
    bytes.remove_prefix(kBlock);
    if (header.find_first_not_of('\0') == std::string_view::npos) return files;
    if (++entries > 2 * limits.files_max) return damaged("it has too many entries");
    Result<Head> head = read_head(header);
    if (!head) return head.error();
    std::string_view name = head->name;
    if (name.starts_with("./")) name.remove_prefix(2);  // As `tar -C folder .` writes them.
    if (head->is_folder && name.ends_with('/')) name.remove_suffix(1);
    if (head->is_folder && name.empty()) continue;
    if (const std::string why = refuse_archived_name(name, limits.depth_max); !why.empty()) {
      return Status(Code::kInvalid, "the name " + json_string(head->name) + " " + why);
    }
    if (head->is_folder) continue;
    if (head->size > bytes.size()) return damaged(json_string(name) + " is cut");
    if (files.size() >= limits.files_max) {
      return damaged("it has more than " + std::to_string(limits.files_max) + " files");
    }
    if (!names.emplace(name).second) return damaged(json_string(name) + " is there twice");
    files.push_back({std::string(name), bytes.substr(0, head->size)});
    bytes.remove_prefix(std::min(padded(head->size), bytes.size()));
  }
}

}  // namespace davit::host
