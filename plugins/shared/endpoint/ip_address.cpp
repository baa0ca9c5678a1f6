#include "plugins/shared/endpoint/ip_address.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace davit::endpoint {

namespace {

constexpr std::size_t kWords = 8;
using Words = std::array<std::uint16_t, kWords>;
using Octets = std::array<std::uint8_t, 4>;

std::optional<Octets> parse_octets(std::string_view text) {
  Octets octets{};
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i != 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    std::size_t digits = 0;
    unsigned value = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && value <= 255) {
      value = value * 10 + static_cast<unsigned>(text[digits++] - '0');
    }
    if (digits == 0 || value > 255) return std::nullopt;
    octets[i] = static_cast<std::uint8_t>(value);
    text.remove_prefix(digits);
  }
  return text.empty() ? std::optional(octets) : std::nullopt;
}

std::string print_octets(const Octets& octets) {
  std::string out;
  for (const std::uint8_t each : octets) {
    if (!out.empty()) out += '.';
    out += std::to_string(each);
  }
  return out;
}

/// The words on one side of "::", or of the whole address. False when malformed.
bool parse_words(std::string_view text, Words& words, std::size_t& count) {
  if (text.empty()) return true;
  while (true) {
    if (count == kWords) return false;
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (part.find('.') != std::string_view::npos) {  // An IPv4 address as the last two words.
      const std::optional<Octets> octets = parse_octets(part);
      if (!octets || colon != std::string_view::npos || count + 2 > kWords) return false;
      words[count++] = static_cast<std::uint16_t>((*octets)[0] << 8 | (*octets)[1]);
      words[count++] = static_cast<std::uint16_t>((*octets)[2] << 8 | (*octets)[3]);
      return true;
    }
    const char* end = part.data() + part.size();
    const auto [last, error] = std::from_chars(part.data(), end, words[count], 16);
    if (part.empty() || part.size() > 4 || error != std::errc() || last != end) return false;
    ++count;
    if (colon == std::string_view::npos) return true;
    text.remove_prefix(colon + 1);
  }
}

std::optional<Words> parse_ipv6(std::string_view text) {
  Words words{};
  std::size_t count = 0;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (!parse_words(text, words, count) || count != kWords) return std::nullopt;
    return words;
  }
  Words tail{};
  std::size_t tail_count = 0;
  if (!parse_words(text.substr(0, gap), words, count)) return std::nullopt;
  if (!parse_words(text.substr(gap + 2), tail, tail_count)) return std::nullopt;
  if (count + tail_count >= kWords) return std::nullopt;
  for (std::size_t i = 0; i < tail_count; ++i) words[kWords - tail_count + i] = tail[i];
  return words;
}

/// The longest run of zero words, at least two; the first of several.
struct Gap {
  std::size_t first = kWords;
  std::size_t length = 0;
};

Gap longest_gap(const Words& words) {
  Gap best;
  for (std::size_t i = 0; i < kWords; ++i) {
    std::size_t length = 0;
    while (i + length < kWords && words[i + length] == 0) ++length;
    if (length > best.length && length >= 2) best = {i, length};
    i += length;
  }
  return best;
}

std::string print_words(const Words& words) {
  const Gap gap = longest_gap(words);
  std::string out;
  for (std::size_t i = 0; i < kWords; ++i) {
    if (i == gap.first) {
      out += "::";
      i += gap.length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    std::array<char, 4> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), words[i], 16);
    static_cast<void>(error);  // Four digits hold every word.
    out.append(digits.data(), end);
  }
  return out;
}

bool is_mapped_ipv4(const Words& words) {
  for (std::size_t i = 0; i < 5; ++i) {
    if (words[i] != 0) return false;
  }
  return words[5] == 0xffff;
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    const std::optional<Octets> octets = parse_octets(text);
    if (!octets) return std::nullopt;
    return IpAddress{IpFamily::kIPv4, print_octets(*octets)};
  }
  const std::optional<Words> words = parse_ipv6(text);
  if (!words) return std::nullopt;
  if (!is_mapped_ipv4(*words)) return IpAddress{IpFamily::kIPv6, print_words(*words)};
  const auto byte = [&](std::size_t word, int shift) {
    return static_cast<std::uint8_t>((*words)[word] >> shift & 0xff);
  };
  return IpAddress{IpFamily::kIPv4, print_octets({byte(6, 8), byte(6, 0), byte(7, 8), byte(7, 0)})};
}

std::optional<IpFamily> parse_family(std::string_view text) {
  if (text == "IPv4") return IpFamily::kIPv4;
  if (text == "IPv6") return IpFamily::kIPv6;
  return std::nullopt;
}

std::string_view type_name(IpFamily family) { return family == IpFamily::kIPv4 ? "IPv4" : "IPv6"; }

}  // namespace davit::endpoint
