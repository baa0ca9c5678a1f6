// The library of semantic versions, with the rules of github.com/blang/semver/v4.
#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

struct Version {
  std::array<std::uint64_t, 3> numbers{};
  std::vector<std::string> pre;
  std::string text;
};

class SemverValue : public OpaqueValue {
 public:
  explicit SemverValue(Version version) : version_(std::move(version)) {}
  [[nodiscard]] std::string_view type_name() const override { return "kubernetes.Semver"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override;
  [[nodiscard]] const Version& version() const { return version_; }

 private:
  const Version version_;
};

constexpr std::string_view kNumerals = "0123456789";

bool is_numeric(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kNumerals) == std::string_view::npos;
}

/// Two identifiers of a pre-release: numbers by value and before words.
std::strong_ordering compare_identifiers(const std::string& a, const std::string& b) {
  const bool numeric = is_numeric(a);
  if (numeric != is_numeric(b))
    return numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  // Numbers have no leading zeros.
  if (numeric && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::strong_ordering compare_versions(const Version& a, const Version& b) {
  if (a.numbers != b.numbers) return a.numbers <=> b.numbers;
  if (a.pre.empty() || b.pre.empty())
    return b.pre.size() == a.pre.size() ? std::strong_ordering::equal
           : a.pre.empty()              ? std::strong_ordering::greater
                                        : std::strong_ordering::less;
  for (std::size_t i = 0; i < std::min(a.pre.size(), b.pre.size()); ++i) {
    const std::strong_ordering order = compare_identifiers(a.pre[i], b.pre[i]);
    if (order != 0) return order;
  }
  return a.pre.size() <=> b.pre.size();
}

Result<std::uint64_t> version_number(std::string_view text, std::string_view part) {
  const std::string name(part);
  if (!is_numeric(text)) {
    return Status(Code::kInvalid, "Invalid character(s) found in " + name + " number \"" +
                                      std::string(text) + "\"");
  }
  if (text.size() > 1 && text[0] == '0') {
    std::string capital = name;
    capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
    return Status(Code::kInvalid, capital + " number must not contain leading zeroes \"" +
                                      std::string(text) + "\"");
  }
  std::uint64_t out = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) {
    return Status(Code::kInvalid,
                  "strconv.ParseUint: parsing \"" + std::string(text) + "\": value out of range");
  }
  return out;
}

/// Identifiers between dots. `pre`: numbers must not begin with 0.
Result<std::vector<std::string>> identifiers(std::string_view text, bool pre) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const std::string part(text.substr(0, dot));
    if (part.empty()) {
      return Status(Code::kInvalid, pre ? "Prerelease is empty" : "Build meta data is empty");
    }
    const bool valid = std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!valid) {
      return Status(Code::kInvalid, std::string("Invalid character(s) found in ") +
                                        (pre ? "prerelease" : "build meta data") + " \"" + part +
                                        "\"");
    }
    if (pre && is_numeric(part) && part.size() > 1 && part[0] == '0') {
      return Status(Code::kInvalid,
                    "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
    }
    out.push_back(part);
    if (dot == text.size()) return out;
    text.remove_prefix(dot + 1);
  }
}

Result<Version> parse_version(std::string_view text) {
  Version out;
  out.text = text;
  if (text.empty()) return Status(Code::kInvalid, "Version string empty");
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos)
    return Status(Code::kInvalid, "No Major.Minor.Patch elements found");
  std::string_view patch = text.substr(second + 1);
  std::optional<std::string_view> pre;
  std::optional<std::string_view> build;
  if (const std::size_t plus = patch.find('+'); plus != std::string_view::npos) {
    build = patch.substr(plus + 1);
    patch = patch.substr(0, plus);
  }
  if (const std::size_t dash = patch.find('-'); dash != std::string_view::npos) {
    pre = patch.substr(dash + 1);
    patch = patch.substr(0, dash);
  }
  const std::array<std::string_view, 3> parts = {text.substr(0, first),
                                                 text.substr(first + 1, second - first - 1), patch};
  constexpr std::array<std::string_view, 3> kNames = {"major", "minor", "patch"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Result<std::uint64_t> number = version_number(parts.at(i), kNames.at(i));
    if (!number) return number.error();
    out.numbers.at(i) = *number;
  }
  if (pre) {
    Result<std::vector<std::string>> found = identifiers(*pre, true);
    if (!found) return found.error();
    out.pre = std::move(*found);
  }
  if (build) {
    const Result<std::vector<std::string>> found = identifiers(*build, false);
    if (!found) return found.error();
  }
  return out;
}

/// Without "v" and leading zeros, with three numbers.
Result<Version> parse_tolerant(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (std::size_t dot = 0; parts.size() < 2 && (dot = text.find('.')) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() < 2) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || kNumerals.find(part[0]) == std::string_view::npos) part.insert(0, "0");
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return Status(Code::kInvalid, "short version cannot contain PreRelease/Build meta data");
  }
  while (parts.size() < 3) parts.emplace_back("0");
  return parse_version(parts[0] + "." + parts[1] + "." + parts[2]);
}

Result<Version> version_of(Args args) {
  const bool tolerant = args.size() == 2 && args[1].is_true();
  return tolerant ? parse_tolerant(args[0].text()) : parse_version(args[0].text());
}

Value semver_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s?b")) return no_overload("semver", args);
  Result<Version> version = version_of(args);
  if (!version) return error_value(version.error().message());
  return OpaqueRef(std::make_shared<const SemverValue>(std::move(*version)));
}

Value is_semver_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s?b")) return no_overload("isSemver", args);
  return static_cast<bool>(version_of(args));
}

Value number_of(Args args, std::size_t part, std::string_view name) {
  const auto* version = args.size() == 1 ? opaque_as<SemverValue>(args, 0) : nullptr;
  if (version == nullptr) return no_overload(name, args);
  return static_cast<std::int64_t>(version->version().numbers.at(part));
}

Value major_function(FunctionContext& /*context*/, Args args) {
  return number_of(args, 0, "major");
}
Value minor_function(FunctionContext& /*context*/, Args args) {
  return number_of(args, 1, "minor");
}
Value patch_function(FunctionContext& /*context*/, Args args) {
  return number_of(args, 2, "patch");
}

bool SemverValue::equals(const OpaqueValue& other) const {
  const auto* version = dynamic_cast<const SemverValue*>(&other);
  return version != nullptr && compare_versions(version->version_, version_) == 0;
}

}  // namespace

std::optional<std::strong_ordering> semver_order(std::span<const Value> args) {
  const auto* a = opaque_as<SemverValue>(args, 0);
  const auto* b = opaque_as<SemverValue>(args, 1);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return compare_versions(a->version(), b->version());
}

FunctionTable semver_functions() {
  static constexpr std::array<NamedFunction, 2> kTable = {
      {{"semver", semver_function}, {"isSemver", is_semver_function}}};
  return kTable;
}

FunctionTable semver_members() {
  static constexpr std::array<NamedFunction, 3> kTable = {
      {{"major", major_function}, {"minor", minor_function}, {"patch", patch_function}}};
  return kTable;
}

}  // namespace davit::cel
