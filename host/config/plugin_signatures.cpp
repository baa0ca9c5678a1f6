#include "host/config/plugin_signatures.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <davit/hex.hpp>
#include <davit/kube/time.hpp>

#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// The order of two decimal numbers of any length.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  const std::strong_ordering lengths = a.size() <=> b.size();
  return lengths != std::strong_ordering::equal ? lengths : a <=> b;
}

struct PluginVersion {
  std::vector<std::string_view> numbers;
  std::vector<std::string_view> pre_release;  // Empty: a release.
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) out.push_back(take_until(text, "."));
  return out;
}

std::optional<PluginVersion> parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  text = text.substr(0, text.find('+'));
  if (text.ends_with('.')) return std::nullopt;
  const std::size_t mark = text.find_first_of("-~");
  PluginVersion out;
  out.numbers = words_of(text.substr(0, mark));
  if (mark != std::string_view::npos) {
    out.pre_release = words_of(text.substr(mark + 1));
    if (out.pre_release.empty()) return std::nullopt;
  }
  if (out.numbers.empty() || !std::ranges::all_of(out.numbers, is_number)) return std::nullopt;
  return out;
}

/// Numbers come before words, and fewer words before more.
std::strong_ordering compare_pre_releases(const PluginVersion& a, const PluginVersion& b) {
  if (a.pre_release.empty() || b.pre_release.empty()) {
    return a.pre_release.empty() <=> b.pre_release.empty();
  }
  for (std::size_t i = 0; i < std::min(a.pre_release.size(), b.pre_release.size()); ++i) {
    const std::string_view one = a.pre_release[i];
    const std::string_view other = b.pre_release[i];
    std::strong_ordering order = is_number(other) <=> is_number(one);
    if (order == std::strong_ordering::equal) {
      order = is_number(one) ? compare_numbers(one, other) : one <=> other;
    }
    if (order != std::strong_ordering::equal) return order;
  }
  return a.pre_release.size() <=> b.pre_release.size();
}

void read_key(const YamlNode& node, const std::string& where, Fields& outer,
              SignatureSettings& settings) {
  TrustedKey key;
  std::string text;
  const std::size_t before = outer.mistakes().size();
  Fields in(node, where, outer.file(), outer.mistakes());
  in.name("name", key.name);
  in.name("publicKey", text);
  std::string until;
  in.name("until", until);
  in.finish();
  if (!until.empty() && !(key.until = parse_time(until))) {
    in.mistake(*node.find("until"),
               where + ".until must be a time such as \"2026-12-31T00:00:00Z\"");
  }
  if (outer.mistakes().size() != before) return;
  const YamlNode* const given = node.find("publicKey");
  if (given == nullptr || key.name.empty()) {
    in.mistake(node, where + " needs name and publicKey");
    return;
  }
  Result<std::string> bytes = parse_public_key(text);
  if (!bytes) {
    in.mistake(*given, where + ".publicKey " + bytes.error().message());
    return;
  }
  key.public_key = std::move(*bytes);
  for (const TrustedKey& each : settings.keys) {
    if (each.name != key.name && each.public_key != key.public_key) continue;
    in.mistake(node, where + " repeats the key " + each.name);
  }
  settings.keys.push_back(std::move(key));
}

void read_lowest_versions(const YamlNode& node, Fields& outer, SignatureSettings& settings) {
  Fields in(node, outer.path("lowestVersions"), outer.file(), outer.mistakes());
  for (const YamlMember& member : node.members) {
    std::string& version = settings.lowest_versions[member.key];
    in.name(member.key, version);
    if (version.empty() || compare_versions(version, version)) continue;
    in.mistake(member.value, in.path(member.key) + " must be a version such as 1.2.0, not " +
                                 member.value.describe());
  }
  in.finish();
}

void read_refused_digests(Fields& in, const YamlNode& node, SignatureSettings& settings) {
  constexpr std::size_t kHexDigits = 64;
  in.texts("refusedDigests", settings.refused_digests);
  for (const std::string& each : settings.refused_digests) {
    if (is_lower_hex(each) && each.size() == kHexDigits) continue;
    in.mistake(*node.find("refusedDigests"),
               in.path("refusedDigests") +
                   " must have 64 lower-case hex digits each, as sha256sum "
                   "prints them for a plugin");
  }
}

}  // namespace

Result<std::string> parse_public_key(std::string_view base64) {
  constexpr std::size_t kKeyBytes = 32;
  // A SubjectPublicKeyInfo of this kind begins with these bytes, and the key follows.
  constexpr std::string_view kPrefix("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12);
  const std::optional<std::string> bytes = decode_base64(base64);
  std::string_view key = bytes ? std::string_view(*bytes) : std::string_view();
  if (key.starts_with(kPrefix)) key.remove_prefix(kPrefix.size());
  if (key.size() == kKeyBytes) return std::string(key);
  return Status(Code::kInvalid,
                "must be an Ed25519 public key in base64, as davit plugin keygen prints it");
}

std::optional<std::strong_ordering> compare_versions(std::string_view a, std::string_view b) {
  const std::optional<PluginVersion> one = parse_version(a);
  const std::optional<PluginVersion> other = parse_version(b);
  if (!one || !other) return std::nullopt;
  for (std::size_t i = 0; i < std::max(one->numbers.size(), other->numbers.size()); ++i) {
    const auto number = [i](const PluginVersion& version) {
      return i < version.numbers.size() ? version.numbers[i] : std::string_view("0");
    };
    const std::strong_ordering order = compare_numbers(number(*one), number(*other));
    if (order != std::strong_ordering::equal) return order;
  }
  return compare_pre_releases(*one, *other);
}

void read_plugin_signatures(const YamlNode& node, Fields& in, SignatureSettings& settings) {
  in.boolean("required", settings.required);
  const YamlNode* keys = in.any("keys");
  in.texts("libraries", settings.libraries);
  if (const YamlNode* versions = in.any("lowestVersions")) {
    read_lowest_versions(*versions, in, settings);
  }
  read_refused_digests(in, node, settings);
  in.finish();
  if (keys != nullptr && keys->kind != YamlNode::Kind::kSequence) {
    in.mistake(*keys, in.path("keys") + " must be a list, not " + keys->describe());
  } else if (keys != nullptr) {
    for (std::size_t i = 0; i < keys->items.size(); ++i) {
      read_key(keys->items[i], in.path("keys") + "[" + std::to_string(i) + "]", in, settings);
    }
  }
  for (const std::string& each : settings.libraries) {
    if (each.find('/') == std::string::npos) continue;
    in.mistake(*node.find("libraries"),
               in.path("libraries") + " must have names such as libz.so.1, not paths");
  }
  // Without a key every plugin is loaded, which is not what somebody means who requires signatures.
  if (keys == nullptr && node.find("required") != nullptr) {
    in.mistake(node, "pluginSignatures.keys is missing: add a key (davit plugin keygen makes one)");
  }
}

}  // namespace davit::host
