#include "cli/status_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

enum class Tone { kPlain, kHead, kDim, kGood, kWarning, kBad };

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      break;
    case Tone::kHead:
      return "\033[1m";
    case Tone::kDim:
      return "\033[2m";
    case Tone::kGood:
      return "\033[32m";
    case Tone::kWarning:
      return "\033[33m";
    case Tone::kBad:
      return "\033[31m";
  }
  return {};
}

struct Cell {
  std::string text = {};
  Tone tone = Tone::kPlain;
};
using Row = std::vector<Cell>;

/// Characters of UTF-8 text, each a column wide.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The first `columns` characters of `text`.
std::string_view cut(std::string_view text, std::size_t columns) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80) continue;
    if (columns-- == 0) return text.substr(0, i);
  }
  return text;
}

/// Lines that never exceed the limits of the options.
class Screen {
 public:
  explicit Screen(const StatusTextOptions& options) : options_(options) {}

  void line(const Row& cells) {
    if (options_.rows_max != 0 && rows_ >= options_.rows_max) return;
    ++rows_;
    std::size_t left = options_.columns_max == 0 ? SIZE_MAX : options_.columns_max;
    for (const Cell& each : cells) {
      const std::string_view shown = cut(each.text, left);
      left -= width_of(shown);
      const std::string_view code =
          options_.colours == Colours::kOn ? code_of(each.tone) : std::string_view();
      out_.append(code).append(shown).append(code.empty() ? "" : "\033[0m");
    }
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
  }

  /// Heads that begin with '#' are of numbers, which stand on the right.
  void table(const std::vector<std::string>& heads, std::vector<Row> rows) {
    Row first;
    std::vector<bool> is_number;
    for (const std::string& head : heads) {
      is_number.push_back(head.starts_with('#'));
      first.push_back({head.substr(is_number.back() ? 1 : 0), Tone::kDim});
    }
    rows.insert(rows.begin(), std::move(first));
    std::vector<std::size_t> widths(heads.size(), 0);
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], width_of(row[i].text));
      }
    }
    for (Row& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string blank(widths[i] - width_of(row[i].text), ' ');
        row[i].text = is_number[i] ? blank + row[i].text + "  " : row[i].text + blank + "  ";
      }
      line(row);
    }
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  const StatusTextOptions options_;
  std::size_t rows_ = 0;
  std::string out_;
};

std::string text_of(const Json& object, std::string_view key) {
  return printable(object.get(key).text());
}

double value_of(const Json& object, std::string_view key) {
  return std::strtod(object.get(key).text().c_str(), nullptr);
}

std::string rounded(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string mebibytes(double bytes) { return rounded(bytes / (1024.0 * 1024.0), 1) + " MiB"; }

Cell count_of(const Json& object, std::string_view key, Tone if_any = Tone::kPlain) {
  const std::string text = text_of(object, key);
  return {text, text.empty() || text == "0" ? Tone::kPlain : if_any};
}

Tone tone_of_state(std::string_view state) {
  if (state == "running" || state == "done" || state == "leader") return Tone::kGood;
  if (state == "off" || state == "standby") return Tone::kDim;
  return Tone::kWarning;
}

void add_head(Screen& screen, const Json& status) {
  const Json& leadership = status.get("leadership");
  const std::string role = text_of(leadership, "role");
  std::string lease;
  if (role == "leader" || role == "standby") {
    lease = " of " + text_of(leadership, "lease") + ", holder " + text_of(leadership, "holder");
  }
  screen.line({{"davit " + text_of(status, "version") + "  ", Tone::kHead},
               {text_of(status, "time") + "  ", Tone::kDim},
               {role, tone_of_state(role)},
               {lease + "  "},
               {"cpu " + rounded(value_of(status, "cpu") * 100, 1) + " %  memory " +
                mebibytes(value_of(status, "residentBytes")) + ", " +
                mebibytes(value_of(status, "allocatedBytes")) + " of it in use  journal " +
                mebibytes(value_of(status.get("journal"), "bytes")) + "  threads " +
                text_of(status, "threads")}});
  for (const Json& each : status.get("notes").items()) {
    screen.line({{printable(each.text()), Tone::kWarning}});
  }
  if (const std::string busy = text_of(status, "busy"); !busy.empty()) {
    screen.line({{"under way: " + busy, Tone::kWarning}});
  }
  screen.line({});
}

/// The columns of controllers' numbers, and the members of the document that they show.
struct NumberColumn {
  std::string_view head;
  std::string_view key;
};
constexpr std::array<NumberColumn, 9> kNumberColumns = {{{"QUEUE", "waiting"},
                                                         {"RUN", "running"},
                                                         {"BACKOFF", "delayed"},
                                                         {"CHANGES", "pendingChanges"},
                                                         {"SYNC/S", "syncsPerSecond"},
                                                         {"ERR/S", "errorsPerSecond"},
                                                         {"SYNCS", "syncs"},
                                                         {"ERRORS", "errors"},
                                                         {"CPU%", "cpu"}}};

std::vector<Json> sorted_controllers(const Json& status, std::string_view sort_by) {
  const auto& items = status.get("controllers").items();
  std::vector<Json> out(items.begin(), items.end());
  const auto column = std::ranges::find(kNumberColumns, sort_by, &NumberColumn::head);
  if (column == kNumberColumns.end()) return out;
  std::ranges::stable_sort(out, [key = column->key](const Json& a, const Json& b) {
    return value_of(a, key) > value_of(b, key);
  });
  return out;
}

void add_controllers(Screen& screen, const Json& status, std::string_view sort_by) {
  std::vector<std::string> heads = {"CONTROLLER", "STATE"};
  for (const NumberColumn& each : kNumberColumns) {
    heads.push_back("#" + std::string(each.head) + (each.head == sort_by ? "▼" : ""));
  }
  std::vector<Row> rows;
  for (const Json& each : sorted_controllers(status, sort_by)) {
    const std::string state = text_of(each, "state");
    const double errors = value_of(each, "errorsPerSecond");
    rows.push_back({{text_of(each, "name")},
                    {state, tone_of_state(state)},
                    count_of(each, "waiting"),
                    count_of(each, "running"),
                    count_of(each, "delayed"),
                    count_of(each, "pendingChanges"),
                    {rounded(value_of(each, "syncsPerSecond"), 1)},
                    {rounded(errors, 1), errors > 0 ? Tone::kBad : Tone::kPlain},
                    count_of(each, "syncs"),
                    count_of(each, "errors", Tone::kBad),
                    {rounded(value_of(each, "cpu") * 100, 1)}});
  }
  screen.table(heads, std::move(rows));
  screen.line({});
}

void add_failing(Screen& screen, const Json& status) {
  std::vector<Row> rows;
  std::vector<Row> more;
  for (const Json& controller : status.get("controllers").items()) {
    const std::string name = text_of(controller, "name");
    for (const Json& each : controller.get("failing").items()) {
      rows.push_back({{each.get("timer").boolean() ? "a timer" : text_of(each, "key")},
                      {name},
                      {text_of(each, "since")},
                      count_of(each, "failures", Tone::kBad),
                      {text_of(each, "error"), Tone::kBad}});
    }
    const std::string others = text_of(controller, "failingOthers");
    if (others.empty() || others == "0") continue;
    more.push_back({{others + " further keys of " + name + " fail", Tone::kBad}});
  }
  if (rows.empty() && more.empty()) return;
  screen.table({"FAILING KEY", "CONTROLLER", "SINCE", "#FAILURES", "ERROR"}, std::move(rows));
  for (const Row& each : more) screen.line(each);
  screen.line({});
}

void add_holdings(Screen& screen, const Json& status) {
  std::vector<Row> rows;
  for (const Json& controller : status.get("controllers").items()) {
    const Json& held = controller.get("held");
    if (text_of(held, "objects").empty()) continue;  // A host of an earlier release.
    rows.push_back({{text_of(controller, "name")},
                    count_of(held, "objects"),
                    {mebibytes(value_of(held, "objectBytes"))},
                    count_of(held, "informers"),
                    count_of(held, "timers"),
                    count_of(held, "backOffs"),
                    count_of(held, "unseenWrites"),
                    {mebibytes(value_of(held, "journalBytes"))}});
  }
  if (rows.empty()) return;
  screen.table({"HELD BY", "#OBJECTS", "#MEMORY", "#INFORMERS", "#TIMERS", "#BACKOFFS",
                "#UNSEEN WRITES", "#JOURNAL"},
               std::move(rows));
  screen.line({});
}

void add_plugins(Screen& screen, const Json& status) {
  std::vector<Row> rows;
  for (const Json& each : status.get("plugins").items()) {
    rows.push_back({{text_of(each, "name")},
                    {text_of(each, "version")},
                    count_of(each, "generation"),
                    {text_of(each, "digest").substr(0, 12)},
                    {text_of(each, "grade")},
                    {value_of(each, "probationSeconds") > 0
                         ? "probation " + rounded(value_of(each, "probationSeconds"), 0) + " s"
                         : "",
                     Tone::kWarning}});
  }
  screen.table({"PLUGIN", "VERSION", "#GENERATION", "BUILD", "GRADE", "NOTE"}, std::move(rows));
  for (const Json& each : status.get("quarantined").items()) {
    screen.line({{printable(each.text()), Tone::kBad}});
  }
  screen.line({});
}

void add_history(Screen& screen, const Json& status) {
  std::vector<Row> swaps;
  for (const Json& each : status.get("swaps").items()) {
    const std::string outcome = text_of(each, "outcome");
    swaps.push_back({{text_of(each, "time")},
                     {text_of(each, "plugin")},
                     {outcome, outcome == "done" ? Tone::kGood : Tone::kBad},
                     {rounded(value_of(each, "pauseSeconds") * 1000, 1) + " ms"},
                     {text_of(each, "text")}});
  }
  if (!swaps.empty()) {
    screen.table({"SWAPPED", "PLUGIN", "OUTCOME", "#PAUSE", "REPORT"}, std::move(swaps));
    screen.line({});
  }
  std::vector<Row> crashes;
  for (const Json& each : status.get("crashes").items()) {
    crashes.insert(crashes.begin(), {{text_of(each, "time")},
                                     {text_of(each, "signal"), Tone::kBad},
                                     {text_of(each, "plugin")},
                                     {text_of(each, "build")},
                                     {text_of(each, "controller")},
                                     {text_of(each, "key")}});
  }
  if (crashes.empty()) return;
  screen.table({"CRASHED", "SIGNAL", "PLUGIN", "BUILD", "CONTROLLER", "KEY"}, std::move(crashes));
  screen.line({});
}

void add_informers(Screen& screen, const Json& status) {
  std::vector<Row> rows;
  for (const Json& each : status.get("informers").items()) {
    const bool is_stale = each.get("stale").boolean();
    const std::string selection = text_of(each, "selection");
    rows.push_back({{text_of(each, "resource") + (selection.empty() ? "" : " (" + selection + ")")},
                    {is_stale ? "stale" : "current", is_stale ? Tone::kBad : Tone::kGood},
                    count_of(each, "objects"),
                    {mebibytes(value_of(each, "bytes"))},
                    {rounded(value_of(each, "unconfirmedSeconds"), 1) + " s"},
                    count_of(each, "skipped", Tone::kBad)});
  }
  screen.table({"INFORMER", "STATE", "#OBJECTS", "#MEMORY", "#CONFIRMED", "#UNREADABLE"},
               std::move(rows));
  screen.line({});
}

}  // namespace

Colours output_colours() {
  const char* const off = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_off = off != nullptr && *off != '\0';
  const bool is_dumb = terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
  return isatty(STDOUT_FILENO) == 1 && !is_off && !is_dumb ? Colours::kOn : Colours::kOff;
}

std::string_view number_column_after(std::string_view head) {
  if (head.empty()) return kNumberColumns.front().head;
  const auto found = std::ranges::find(kNumberColumns, head, &NumberColumn::head);
  if (found == kNumberColumns.end() || found + 1 == kNumberColumns.end()) return {};
  return (found + 1)->head;
}

std::string status_text(const Json& status, const StatusTextOptions& options) {
  Screen screen(options);
  add_head(screen, status);
  add_controllers(screen, status, options.sort_by);
  add_failing(screen, status);
  add_informers(screen, status);
  add_holdings(screen, status);
  add_plugins(screen, status);
  add_history(screen, status);
  return screen.take();
}

}  // namespace davit::host
