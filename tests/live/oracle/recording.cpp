#include "tests/live/oracle/recording.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "host/loading/digest.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/patch/patch.hpp"

namespace davit::oracle {

namespace {

using Numbers = std::set<std::size_t>;

constexpr std::string_view kSum = "sum ";

/// "1-3,5"
std::string ranges(const Numbers& numbers) {
  std::string out;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::size_t first = *at;
    std::size_t last = first;
    for (++at; at != numbers.end() && *at == last + 1; ++at) last = *at;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (last != first) out += '-' + std::to_string(last);
  }
  return out;
}

/// A number at the front of `text`, which is taken away with the character after it.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return out;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Ranges as ranges() writes them, taken away from the front of `text`; numbers from 1 to `max`
/// only.
std::optional<Numbers> take_ranges(std::string_view& text, std::size_t max) {
  Numbers out;
  do {
    const std::optional<std::size_t> first = take_number(text);
    std::optional<std::size_t> last = first;
    if (first && take(text, "-")) last = take_number(text);
    if (!first || !last || *first == 0 || *last < *first || *last > max) return std::nullopt;
    for (std::size_t i = *first; i <= *last; ++i) out.insert(i);
  } while (take(text, ","));
  return out;
}

Numbers all_of(std::size_t count) {
  Numbers out;
  for (std::size_t i = 1; i <= count; ++i) out.insert(i);
  return out;
}

/// Lines of text have no breaks in them.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    if (is_escape) ++i;
    out += is_escape && text[i] == 'n' ? '\n' : text[i];
  }
  return out;
}

/// The merge patch that makes `to` of `from`. Both are objects without nulls.
Json merge_patch(const Json& from, const Json& to) {
  Json out = Json::object();
  for (const Json::Member& each : from.members()) {
    if (!to.contains(each.key)) out.set(each.key, Json());
  }
  for (const Json::Member& each : to.members()) {
    const Json* before = from.find(each.key);
    if (before == nullptr) {
      out.set(each.key, each.value);
    } else if (before->is_object() && each.value.is_object()) {
      Json change = merge_patch(*before, each.value);
      if (change.size() != 0) out.set(each.key, std::move(change));
    } else if (*before != each.value) {
      out.set(each.key, each.value);
    }
  }
  return out;
}

/// The objects of a file, numbered from 1, each in full or as a change of an earlier one.
class Table {
 public:
  /// The number of an object with this canonical text.
  std::size_t number_of(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, numbers_.size() + 1);
    if (is_new) add(text);
    return at->second;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(const std::string& text) {
    Json object = json_literal(text);
    std::string shortest = text;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      std::string change =
          std::to_string(i + 1) + " + " + to_canonical_text(merge_patch(objects_[i], object));
      if (change.size() < shortest.size()) shortest = std::move(change);
    }
    objects_.push_back(std::move(object));
    text_ += "object " + std::to_string(objects_.size()) + " = " + shortest + '\n';
  }

  std::map<std::string, std::size_t> numbers_;
  std::vector<Json> objects_;
  std::string text_;
};

/// "2 pod web-#1-POD = 7" for each object, with how many of them there are.
std::set<std::string> facts_of(const Picture& picture, Table& table) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, text] : picture) {
    ++counts[name + " = " + std::to_string(table.number_of(text))];
  }
  std::set<std::string> out;
  for (const auto& [fact, count] : counts) out.insert(std::to_string(count) + ' ' + fact);
  return out;
}

std::set<std::string> facts_of(const Record& record) {
  std::set<std::string> out;
  for (const auto& [line, count] : record) out.insert(std::to_string(count) + ' ' + escaped(line));
  return out;
}

/// The facts of each play; all have the same sections.
using FactsOfPlays = std::vector<std::set<std::string>>;

/// The facts by the plays that have them.
std::map<Numbers, std::set<std::string>> by_plays(const FactsOfPlays& plays) {
  std::map<std::string, Numbers> plays_of;
  for (std::size_t i = 0; i < plays.size(); ++i) {
    for (const std::string& each : plays[i]) plays_of[each].insert(i + 1);
  }
  std::map<Numbers, std::set<std::string>> out;
  for (const auto& [fact, numbers] : plays_of) out[numbers].insert(fact);
  return out;
}

std::string section(const std::string& head, const Numbers& plays, std::size_t count,
                    const std::set<std::string>& facts) {
  std::string out = head + (plays.size() == count ? "" : " in plays " + ranges(plays)) + '\n';
  for (const std::string& each : facts) out += "  " + each + '\n';
  return out;
}

std::string sections_of_record(const std::string& head, const std::vector<Play>& plays,
                               Record Play::*record) {
  FactsOfPlays facts;
  for (const Play& each : plays) facts.push_back(facts_of(each.*record));
  std::string out;
  for (const auto& [numbers, those] : by_plays(facts)) {
    out += section(head, numbers, plays.size(), those);
  }
  return out;
}

/// A fact that several rests show in the same plays is written once.
std::string sections_of_rests(const std::vector<Play>& plays, Table& table) {
  std::map<std::pair<std::string, Numbers>, Numbers> rests_of;  // The key: fact and plays.
  for (std::size_t rest = 0; rest < plays.front().rests.size(); ++rest) {
    FactsOfPlays facts;
    for (const Play& each : plays) facts.push_back(facts_of(each.rests[rest], table));
    for (const auto& [numbers, those] : by_plays(facts)) {
      for (const std::string& each : those) rests_of[{each, numbers}].insert(rest + 1);
    }
  }
  std::map<std::pair<Numbers, Numbers>, std::set<std::string>> sections;
  for (const auto& [fact, rests] : rests_of) sections[{rests, fact.second}].insert(fact.first);
  std::string out;
  for (const auto& [where, facts] : sections) {
    out += section("rests " + ranges(where.first), where.second, plays.size(), facts);
  }
  return out;
}

/// Reads the lines of a file.
class RecordingReader {
 public:
  [[nodiscard]] Result<Recording> read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (!read_line(text.substr(0, end))) {
        return Status(Code::kInvalid, "line " + std::to_string(line_) + " makes no sense");
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (out_.plays.empty()) return Status(Code::kInvalid, "it has no plays");
    for (Play& each : out_.plays) {
      for (Picture& picture : each.rests) std::sort(picture.begin(), picture.end());
    }
    return std::move(out_);
  }

 private:
  bool read_line(std::string_view line) {
    if (line.starts_with('#')) return true;
    if (take(line, "  ")) return read_fact(line);
    if (take(line, "steps ")) {
      out_.steps = line;
      return true;
    }
    if (take(line, "plays ")) return read_plays(line);
    if (take(line, "object ")) return read_object(line);
    return read_head(line);
  }

  bool read_plays(std::string_view line) {
    const std::optional<std::size_t> plays = take_number(line);
    if (!plays || *plays == 0 || !take(line, " rests ")) return false;
    const std::optional<std::size_t> rests = take_number(line);
    if (!rests || !line.empty()) return false;
    rests_ = *rests;
    out_.plays.resize(*plays);
    for (Play& each : out_.plays) each.rests.resize(rests_);
    return true;
  }

  bool read_object(std::string_view line) {
    const std::optional<std::size_t> number = take_number(line);
    if (number != objects_.size() + 1 || !take(line, " = ")) return false;
    Json object;
    const std::optional<std::size_t> base = take_number(line);
    if (base) {
      if (*base == 0 || *base > objects_.size() || !take(line, " + ")) return false;
      object = objects_[*base - 1];
    }
    const Result<Json> json = parse_json(line);
    if (!json) return false;
    if (!base) {
      object = *json;
    } else if (apply_merge_patch(object, *json)) {
      return false;
    }
    objects_.push_back(std::move(object));
    return true;
  }

  bool read_head(std::string_view line) {
    record_ = nullptr;
    at_rests_.clear();
    if (take(line, "rests ")) {
      std::optional<Numbers> rests = take_ranges(line, rests_);
      if (!rests) return false;
      at_rests_ = *std::move(rests);
    } else if (take(line, "history")) {
      record_ = &Play::history;
    } else if (take(line, "events")) {
      record_ = &Play::events;
    } else {
      return false;
    }
    in_plays_ = all_of(out_.plays.size());
    if (take(line, " in plays ")) {
      std::optional<Numbers> plays = take_ranges(line, out_.plays.size());
      if (!plays) return false;
      in_plays_ = *std::move(plays);
    }
    return line.empty();
  }

  bool read_fact(std::string_view line) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (error != std::errc() || !take(line, " ")) return false;
    if (record_ != nullptr) {
      for (const std::size_t play : in_plays_) {
        (out_.plays[play - 1].*record_)[unescaped(line)] = count;
      }
      return true;
    }
    const std::size_t equals = line.rfind(" = ");
    if (equals == std::string_view::npos || at_rests_.empty()) return false;
    std::string_view object = line.substr(equals + 3);
    const std::optional<std::size_t> number = take_number(object);
    if (!number || *number == 0 || *number > objects_.size() || !object.empty()) return false;
    const std::pair entry(std::string(line.substr(0, equals)),
                          to_canonical_text(objects_[*number - 1]));
    for (const std::size_t play : in_plays_) {
      for (const std::size_t rest : at_rests_) {
        Picture& picture = out_.plays[play - 1].rests[rest - 1];
        picture.insert(picture.end(), static_cast<std::size_t>(count), entry);
      }
    }
    return true;
  }

  Recording out_;
  std::vector<Json> objects_;
  std::size_t rests_ = 0;
  Record Play::*record_ = nullptr;  // The record of the facts below; null: they are of rests.
  Numbers at_rests_;
  Numbers in_plays_;
  int line_ = 0;
};

/// Advice on a recording that is missing, damaged or of another scenario.
std::string advice(const std::string& scenario) {
  return "; record it: docs/TESTING.md, \"Recordings\", with DAVIT_ORACLE_ONLY=" + scenario;
}

}  // namespace

Recording recording_of(const Scenario& scenario, std::vector<Play> plays) {
  std::sort(plays.begin(), plays.end());
  plays.erase(std::unique(plays.begin(), plays.end()), plays.end());
  return {scenario.digest, std::move(plays)};
}

std::string text_of(const Recording& recording, const std::string& scenario,
                    const std::string& release) {
  const std::vector<Play>& plays = recording.plays;
  Table table;
  const std::string rests = sections_of_rests(plays, table);
  std::string out = "# " + scenario + ": what kube-controller-manager " + release +
                    " does (docs/TESTING.md, \"Recordings\").\nsteps " + recording.steps +
                    "\nplays " + std::to_string(plays.size()) + " rests " +
                    std::to_string(plays.front().rests.size()) + '\n' + table.text() + rests +
                    sections_of_record("history", plays, &Play::history) +
                    sections_of_record("events", plays, &Play::events);
  return out + std::string(kSum) + host::sha256_hex(out) + '\n';
}

Result<Recording> read_recording(std::string_view text) {
  const std::size_t sum = text.rfind(kSum);
  if (sum == std::string_view::npos ||
      text.substr(sum) != std::string(kSum) + host::sha256_hex(text.substr(0, sum)) + '\n') {
    return Status(Code::kInvalid, "its last line is not the sum of the others");
  }
  return RecordingReader().read(text.substr(0, sum));
}

std::string recording_file(const std::string& folder, const std::string& release,
                           const std::string& scenario) {
  return folder + '/' + release + '/' + scenario + ".txt";
}

Result<Recording> load_recording(const std::string& folder, const std::string& release,
                                 const Scenario& scenario) {
  const std::string file = recording_file(folder, release, scenario.name);
  const auto wrong = [&](const std::string& what) {
    return Status(Code::kInvalid,
                  scenario.name + ": the recording " + file + ' ' + what + advice(scenario.name));
  };
  const Result<std::string> text = read_text_file(file);
  if (!text) {
    return wrong(text.error().code() == Code::kNotFound ? "is missing"
                                                        : "is damaged: " + text.error().message());
  }
  Result<Recording> out = read_recording(*text);
  if (!out) return wrong("is damaged: " + out.error().message());
  if (out->steps != scenario.digest) return wrong("is of other steps than the scenario has now");
  return out;
}

}  // namespace davit::oracle
