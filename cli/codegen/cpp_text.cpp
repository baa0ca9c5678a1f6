#include "cli/codegen/cpp_text.hpp"

#include <array>
#include <davit/names.hpp>
#include <set>
#include <utility>

#include "cli/codegen/identifiers.hpp"
#include "lib/base/utf8.hpp"

namespace davit::host::codegen {
namespace {

constexpr std::size_t kCommentWidth = 96;

/// Characters that turn the direction of text: a comment with them could show what it is not.
bool turns_text(std::string_view sequence) {
  if (sequence.size() != 3 || sequence[0] != '\xe2') return false;
  const auto second = static_cast<unsigned char>(sequence[1]);
  const auto third = static_cast<unsigned char>(sequence[2]);
  return (second == 0x80 && third >= 0xaa && third <= 0xae) ||
         (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

/// A word without control characters, bytes that are not UTF-8, and characters that turn text.
std::string clean(std::string_view word) {
  std::string out;
  while (!word.empty()) {
    const std::size_t length = utf8_length(word);
    const std::string_view sequence = word.substr(0, length == 0 ? 1 : length);
    const bool control = length == 1 && (word[0] < 0x20 || word[0] == 0x7f);
    if (length != 0 && !control && !turns_text(sequence)) out.append(sequence);
    word.remove_prefix(sequence.size());
  }
  return out;
}

}  // namespace

std::string cpp_literal(std::string_view text) {
  constexpr char kDigits[] = "01234567";
  std::string out = "\"";
  for (const char each : text) {
    const auto c = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out.append("\\").push_back(each);
    } else if (c < 0x20 || c >= 0x7f) {
      // Three digits end the escape, whatever follows.
      out.append({'\\', kDigits[c >> 6], kDigits[(c >> 3) & 7], kDigits[c & 7]});
    } else {
      out.push_back(each);
    }
  }
  return out + "\"";
}

bool is_cpp_namespace(std::string_view text) {
  constexpr std::string_view kWord =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  while (true) {
    const std::size_t end = text.find("::");
    const std::string_view word = text.substr(0, end);
    const bool digit = !word.empty() && word[0] >= '0' && word[0] <= '9';
    if (word.empty() || digit || word.find_first_not_of(kWord) != std::string_view::npos) {
      return false;
    }
    if (is_cpp_keyword(word)) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

std::string cpp_index(const std::string& json_name) {
#define DAVIT_KNOWN_NAME(member, text) \
  if (json_name == text) return "&::davit::Names::" #member;
  DAVIT_WELL_KNOWN_NAMES(DAVIT_KNOWN_NAME)
#undef DAVIT_KNOWN_NAME
  return cpp_literal(json_name);
}

std::string doc_comment(std::string_view text, std::string_view indent) {
  const std::string begin = std::string(indent) + "///";
  std::string out;
  std::string line = begin;
  const auto finish = [&] {
    // A backslash at the end would continue the comment on the next line.
    while (line.ends_with('\\')) line.pop_back();
    if (line != begin) out += line + "\n";
    line = begin;
  };
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \t\r\n");
    const std::string word = clean(text.substr(0, end));
    if (line != begin && line.size() + 1 + word.size() > kCommentWidth) finish();
    if (!word.empty()) line += " " + word;
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') finish();
    text.remove_prefix(end + 1);
  }
  finish();
  return out;
}

Members members_of(const Module& module, const ObjectType& object) {
  // Members of the SDK's classes around the generated ones.
  static const ReservedNames kReserved = {.of_kinds = {"raw",
                                                       "value",
                                                       "metadata",
                                                       "ns",
                                                       "name",
                                                       "uid",
                                                       "resource_version",
                                                       "key",
                                                       "generation",
                                                       "labels",
                                                       "annotations",
                                                       "label",
                                                       "annotation",
                                                       "creation_time",
                                                       "deletion_time",
                                                       "is_being_deleted",
                                                       "has_finalizer",
                                                       "owner_references",
                                                       "controller",
                                                       "is_controlled_by",
                                                       "each_field"},
                                          .of_parts = {"raw", "each_field"},
                                          .is_keyword = is_cpp_keyword};
  return members_of(module, object, kReserved);
}

std::vector<std::string> enumerators_of(const EnumType& type) {
  Scope scope({"kUnrecognized"});
  std::vector<std::string> out;
  for (const std::string& each : type.values) out.push_back(scope.claim("k" + pascal_case(each)));
  return out;
}

}  // namespace davit::host::codegen
