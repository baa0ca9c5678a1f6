#include "testing/explore/plan.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "lib/base/take_until.hpp"

namespace davit::explore {
namespace {

constexpr char kUndisturbed[] = "undisturbed";
constexpr char kBetween[] = ", ";

struct ChoiceRow {
  Choice choice;
  Point point;
  std::string_view name;
  std::string_view meaning;
};

constexpr ChoiceRow kChoices[] = {
    {Choice::kCrashBefore, Point::kRequest, "crash-before",
     "the process ends before the server has the request"},
    {Choice::kCrashAfter, Point::kRequest, "crash-after",
     "the process ends after the request was applied"},
    {Choice::kTakeoverBefore, Point::kRequest, "takeover-before",
     "the leader ends before the server has the request, and a standby takes over"},
    {Choice::kTakeoverAfter, Point::kRequest, "takeover-after",
     "the leader ends after the request was applied, and a standby takes over"},
    {Choice::kLostResponse, Point::kRequest, "lost-response",
     "the request is applied, and the connection breaks before the response"},
    {Choice::kErrorAfter, Point::kRequest, "error-after",
     "the request is applied, and the response is 500"},
    {Choice::kConflict, Point::kRequest, "conflict", "the response is 409"},
    {Choice::kEmptyBody, Point::kRequest, "empty-body",
     "the request is applied, and the body of the response is {}"},
    {Choice::kStatusBody, Point::kRequest, "status-body",
     "the request is applied, and the response has a Status of success for its body"},
    {Choice::kOtherKind, Point::kRequest, "other-kind",
     "the request is applied, and the response has an object of another kind for its body"},
    {Choice::kNoMetadata, Point::kRequest, "no-metadata",
     "the request is applied, and the body of the response lacks metadata"},
    {Choice::kTruncated, Point::kRequest, "truncated",
     "the request is applied, and the body of the response is cut"},
    {Choice::kSuspend, Point::kRequest, "suspend",
     "the process stands still while another one leads and gives the lease back"},
    {Choice::kNoCoreGroup, Point::kDiscovery, "no-core-group", "the document lacks the core group"},
    {Choice::kEmptyCatalog, Point::kDiscovery, "empty-catalog", "the document lists nothing"},
    {Choice::kUnavailable, Point::kDiscovery, "unavailable", "the response is 503"},
    {Choice::kSwap, Point::kTurn, "swap", "another build of each controller takes its place"},
    {Choice::kEnable, Point::kTurn, "enable", "each controller is disabled and enabled"},
    {Choice::kHold, Point::kTurn, "hold",
     "the caches show nothing new until nothing else is left to do"},
    {Choice::kLate, Point::kTurn, "late", "the caches show nothing new for one sync"},
    {Choice::kOnly, Point::kTurn, "only",
     "only the cache of this resource shows anything new until nothing else is left to do"},
    {Choice::kDisable, Point::kTurn, "disable",
     "the controllers are disabled while the scenario changes the cluster next"},
    {Choice::kUnload, Point::kTurn, "unload",
     "the controllers and their caches are gone while the scenario changes the cluster next"},
    {Choice::kReverse, Point::kTurn, "reverse",
     "the controllers take turns in the opposite order from here on"},
    {Choice::kRestore, Point::kTurn, "restore", "the server is restored to an older state"},
    {Choice::kAfterSync, Point::kTimer, "after-sync", "a sync runs before the timer"},
};

constexpr std::pair<Point, std::string_view> kPoints[] = {{Point::kRequest, "request"},
                                                          {Point::kDiscovery, "discovery"},
                                                          {Point::kTurn, "turn"},
                                                          {Point::kTimer, "timer"}};

const ChoiceRow& row_of(Choice choice) {
  return *std::ranges::find(kChoices, choice, &ChoiceRow::choice);
}

std::optional<int> number_of(std::string_view text) {
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0) return std::nullopt;
  return out;
}

Status wrong(std::string_view part, const std::string& what) {
  return Status(Code::kInvalid, "\"" + std::string(part) + "\": " + what);
}

/// The choices of a point, for a message.
std::string names_at(Point point) {
  std::string out;
  for (const ChoiceRow& each : kChoices) {
    if (each.point != point) continue;
    out += (out.empty() ? "" : kBetween) + std::string(each.name);
  }
  return out;
}

bool is_among(Choice choice, std::initializer_list<Choice> choices) {
  return std::ranges::find(choices, choice) != choices.end();
}

/// The mistake in a decision with a number, a resource, or without; empty: there is no mistake.
std::string mistake_in(const Decision& decision) {
  const Choice choice = decision.choice;
  const std::string name(row_of(choice).name);
  const bool is_once =
      decision.point == Point::kDiscovery ||
      is_among(choice, {Choice::kLostResponse, Choice::kErrorAfter, Choice::kNoMetadata});
  const bool is_of_turn =
      is_among(choice, {Choice::kSwap, Choice::kEnable, Choice::kHold, Choice::kLate});
  const bool takes_both = choice <= Choice::kTakeoverAfter || is_of_turn;
  const bool takes_number = takes_both || is_once || choice == Choice::kRestore;
  if (decision.behind > 0 && !takes_number) return name + " takes no @K";
  if (decision.behind > 1 && is_once) return name + " takes no other number than @1";
  if (decision.behind == 0 && choice == Choice::kRestore) return "restore takes @K, from @1";
  if (decision.resource.empty()) {
    return choice == Choice::kOnly ? "only takes a resource, as in only:pods" : "";
  }
  if (!takes_both && choice != Choice::kOnly) return name + " takes no resource";
  const bool stands_alone = is_among(choice, {Choice::kOnly, Choice::kHold, Choice::kLate});
  if (decision.behind == 0 && !stands_alone) return name + " takes a resource only after @K";
  return "";
}

Result<Decision> parse_decision(std::string_view part) {
  std::string_view rest = part;
  const std::string_view point = take_until(rest, "#");
  const auto* const known =
      std::ranges::find(kPoints, point, &std::pair<Point, std::string_view>::second);
  if (known == std::end(kPoints)) {
    return wrong(part, "a decision begins with request#, discovery#, turn# or timer#");
  }
  const std::optional<int> number = number_of(take_until(rest, "="));
  if (!number || *number == 0) return wrong(part, "the number of a point counts from 1");
  Decision out;
  out.point = known->first;
  out.number = *number;
  std::string_view choice = take_until(rest, ":");
  out.resource = rest;
  if (part.ends_with(':')) return wrong(part, "a resource follows :");
  const std::size_t at = choice.find('@');
  if (at != std::string_view::npos) {
    const std::optional<int> behind = number_of(choice.substr(at + 1));
    if (!behind || *behind == 0) return wrong(part, "a number follows @, from 1");
    out.behind = *behind;
    choice = choice.substr(0, at);
  }
  const auto* const row = std::ranges::find(kChoices, choice, &ChoiceRow::name);
  if (row == std::end(kChoices) || row->point != out.point) {
    return wrong(part, "the choices at a " + std::string(point) + " are " + names_at(out.point));
  }
  out.choice = row->choice;
  const std::string mistake = mistake_in(out);
  if (!mistake.empty()) return wrong(part, mistake);
  return out;
}

}  // namespace

std::string_view to_text(Point point) {
  return std::ranges::find(kPoints, point, &std::pair<Point, std::string_view>::first)->second;
}

std::string_view to_text(Choice choice) { return row_of(choice).name; }

std::optional<Choice> find_choice(std::string_view name) {
  const auto* const row = std::ranges::find(kChoices, name, &ChoiceRow::name);
  if (row == std::end(kChoices)) return std::nullopt;
  return row->choice;
}

bool stops_caches(const Decision& decision) {
  return decision.point == Point::kTurn && decision.behind > 0 &&
         decision.choice != Choice::kRestore;
}

std::string_view meaning(Choice choice) { return row_of(choice).meaning; }

std::string_view mistake_of(const Plan& plan) {
  const auto has = [&plan](auto check) { return std::ranges::any_of(plan, check); };
  const auto lacks_news = [](const Decision& each) {
    return (each.behind > 0 && each.choice != Choice::kRestore) || each.choice == Choice::kHold ||
           each.choice == Choice::kLate || each.choice == Choice::kOnly;
  };
  const auto is_stop = [](const Decision& each) {
    return each.choice <= Choice::kTakeoverAfter || each.choice == Choice::kDisable ||
           each.choice == Choice::kUnload;
  };
  const auto loses_response = [](const Decision& each) {
    return each.choice == Choice::kLostResponse || each.choice == Choice::kErrorAfter;
  };
  if (plan.empty()) return "goes wrong without any fault";
  if (has(lacks_news)) return "acts on a cache that is old";
  if (has(is_stop)) return "loses work, or does it again, when it stops in between";
  if (has(loses_response)) return "acts again when the response to a write is lost";
  return "goes wrong after a fault";
}

std::string to_text(const Decision& decision) {
  std::string out(to_text(decision.point));
  out += "#" + std::to_string(decision.number) + "=";
  out += to_text(decision.choice);
  if (decision.behind > 0) out += "@" + std::to_string(decision.behind);
  if (!decision.resource.empty()) out += ":" + decision.resource;
  return out;
}

std::string to_text(const Plan& plan) {
  std::string out;
  for (const Decision& each : plan) out += (out.empty() ? "" : kBetween) + to_text(each);
  return out.empty() ? kUndisturbed : out;
}

Result<Plan> parse_plan(std::string_view text) {
  Plan out;
  if (text == kUndisturbed) return out;
  while (!text.empty()) {
    Result<Decision> decision = parse_decision(take_until(text, kBetween));
    if (!decision) return decision.error();
    out.push_back(std::move(*decision));
  }
  return out;
}

std::vector<Choice> choices_at(Point point) {
  std::vector<Choice> out;
  for (const ChoiceRow& each : kChoices) {
    if (each.point == point) out.push_back(each.choice);
  }
  return out;
}

}  // namespace davit::explore
