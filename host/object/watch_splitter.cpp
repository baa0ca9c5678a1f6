#include "host/object/watch_splitter.hpp"

#include <optional>
#include <utility>

namespace davit::host {

namespace {
std::optional<WatchType> type_of(std::string_view json) {
  const bool is_string = json.size() >= 2 && json.front() == '"' && json.back() == '"';
  return is_string ? watch_type_of(json.substr(1, json.size() - 2)) : std::nullopt;
}
}  // namespace

std::optional<WatchType> watch_type_of(std::string_view name) {
  constexpr std::pair<std::string_view, WatchType> kTypes[] = {
      {"ADDED", WatchType::kAdded},     {"MODIFIED", WatchType::kModified},
      {"DELETED", WatchType::kDeleted}, {"BOOKMARK", WatchType::kBookmark},
      {"ERROR", WatchType::kError},
  };
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

Status WatchSplitter::feed(std::string_view chunk, const WatchSink& sink) {
  if (!failed_.ok()) return failed_;
  const std::uint64_t chunk_offset = offset_;
  const char* at = chunk.data();
  const char* end = at + chunk.size();
  while (at < end) {
    offset_ = chunk_offset + static_cast<std::uint64_t>(at - chunk.data());
    if (!inside_) {
      at = skip_space(at, end);
      if (at == end) break;
      if (*at != '{') return fail("has an unexpected '" + std::string(1, *at) + "'");
      scanner_.start('{');
      inside_ = true;
    }
    const char* behind = scanner_.feed(at, end);
    const std::string_view text(at,
                                static_cast<std::size_t>((behind == nullptr ? end : behind) - at));
    const bool held = hold(text, behind);
    if (!failed_.ok()) return failed_;
    if (behind == nullptr) break;
    inside_ = false;
    at = behind;
    Status delivered = held ? deliver(text_.whole(text), sink) : deliver_large();
    if (!delivered.ok()) return delivered;
    text_.clear();
  }
  offset_ = chunk_offset + chunk.size();
  return Status();
}

bool WatchSplitter::hold(std::string_view text, const char* behind) {
  const HeldText::Outcome outcome =
      text_.add(text, behind != nullptr, large_.bytes_max, large_.skip != nullptr);
  if (outcome == HeldText::Outcome::kRefused) (void)fail("has an event of more than 64 MiB");
  return outcome == HeldText::Outcome::kHeld;
}

Status WatchSplitter::deliver_large() {
  const IdentityScan& passed = text_.passed_over();
  const std::optional<WatchType> type = type_of(passed.type_json());
  if (!type) return fail("has an event of unknown type " + passed.type_json().substr(0, 64));
  return failed_ = large_.skip(*type, passed.identity());
}

Status WatchSplitter::deliver(std::string_view document, const WatchSink& sink) {
  std::optional<WatchType> type;
  std::string_view type_text;
  std::string_view object;
  MemberWalk walk(document);
  while (walk.next()) {
    if (walk.key() == "type") type = type_of(type_text = walk.value());
    if (walk.key() == "object") object = walk.value();
  }
  if (!walk.ok()) return fail("has a malformed event");
  if (!type) return fail("has an event of unknown type " + std::string(type_text.substr(0, 64)));
  if (object.empty()) return fail("has an event without an object");
  return failed_ = sink(*type, object);
}

Status WatchSplitter::finish() {
  if (!failed_.ok()) return failed_;
  if (!inside_) return Status();
  return failed_ = Status(Code::kUnavailable, "watch stream ended within an event (offset " +
                                                  std::to_string(offset_) + ")");
}

Status WatchSplitter::fail(const std::string& what) {
  failed_ =
      Status(Code::kInvalid, "watch stream " + what + " (offset " + std::to_string(offset_) + ")");
  return failed_;
}

}  // namespace davit::host
