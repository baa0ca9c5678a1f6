#include "lib/kube/schema/constraints.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "lib/base/assert.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/schema/build.hpp"

namespace davit {

namespace {

using Table = std::map<std::string_view, std::vector<FieldConstraints>>;

/// The next word; one in quotes comes without them and may hold blanks.
std::string_view take_word(std::string_view& rest, bool& quoted) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  quoted = rest.starts_with('"');
  if (quoted) rest.remove_prefix(1);
  return take_until(rest, quoted ? "\"" : " ");
}

std::optional<std::int64_t> number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  DAVIT_ASSERT(error == std::errc() && end == text.data() + text.size());
  return out;
}

/// Whether `word` says when the value is checked.
bool read_presence(std::string_view word, Constraint& out) {
  constexpr std::pair<std::string_view, Presence> kWords[] = {
      {"required", Presence::kRequired},
      {"filled", Presence::kFilled},
      {"judged", Presence::kAlways},
      {"optional", Presence::kUnlessEmpty},
  };
  for (const auto& [name, presence] : kWords) {
    if (word != name) continue;
    out.presence = presence;
    return true;
  }
  return false;
}

void read_word(std::string_view word, Constraint& out) {
  constexpr std::string_view kItems = "items<=";
  if (read_presence(word, out)) return;
  if (word == "fields") {
    out.fields = true;
  } else if (word == "immutable") {
    out.immutable = true;
  } else if (word.starts_with(kItems)) {
    out.items_max = static_cast<std::size_t>(*number(word.substr(kItems.size())));
  } else if (const std::size_t dots = word.find(".."); dots != word.npos) {
    out.minimum = number(word.substr(0, dots));
    out.maximum = number(word.substr(dots + 2));
  } else if (word.find('|') != word.npos) {
    while (!word.empty()) out.allowed.push_back(take_until(word, "|"));
  } else {
    out.formats.push_back(word);
  }
}

/// The presence that `field` requires if the table does not state it.
Presence usual_presence(const Field& field) {
  const bool behind_pointer =
      field.pointer || field.type == FieldType::kIntOrString ||
      (field.type == FieldType::kMessage && field.shape == FieldShape::kOne);
  return behind_pointer ? Presence::kUnlessMissing : Presence::kUnlessEmpty;
}

FieldConstraints read_field(const Field& field, std::string_view words) {
  FieldConstraints out{field.name, {}, std::nullopt};
  out.value.presence = usual_presence(field);
  Constraint* target = &out.value;
  std::string_view before;
  while (!words.empty()) {
    bool quoted = false;
    const std::string_view word = take_word(words, quoted);
    if (quoted) {
      (before == "required" ? target->required_detail : target->detail) = word;
    } else if (word == "each") {
      target = &out.elements.emplace();
      target->presence = Presence::kAlways;
    } else if (!word.empty()) {
      read_word(word, *target);
    }
    before = word;
  }
  return out;
}

/// Adds a line of fields to all `types`.
void read_line(std::string_view line, std::string_view types, Table& table) {
  std::string_view names = take_until(line, ":");
  while (!types.empty()) {
    const std::string_view type = take_until(types, " ");
    const Message* message = schemas().find(type);
    DAVIT_ASSERT(message != nullptr);
    for (std::string_view rest = names; !rest.empty();) {
      bool quoted = false;
      const Field* field = message->find(take_word(rest, quoted));
      DAVIT_ASSERT(field != nullptr);
      table[message->name].push_back(read_field(*field, line));
    }
  }
}

Table read_table() {
  Table out;
  std::string_view rest = constraint_facts();
  std::string_view types;
  while (!rest.empty()) {
    const std::string_view line = take_until(rest, "\n");
    if (line.starts_with(' ')) {
      read_line(line, types, out);
    } else if (!line.empty()) {
      types = line;
    }
  }
  return out;
}

}  // namespace

std::span<const FieldConstraints> constraints_of(std::string_view type) {
  static const Table kTable = read_table();
  const auto found = kTable.find(type);
  return found == kTable.end() ? std::span<const FieldConstraints>() : found->second;
}

}  // namespace davit
