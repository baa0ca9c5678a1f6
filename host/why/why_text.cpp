#include "host/why/why_text.hpp"

#include <davit/abi.h>

#include <algorithm>
#include <cstdio>
#include <davit/kube/time.hpp>

#include "host/run/code_name.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

/// More of one sync are counted.
constexpr std::size_t kWritesShown = 20;
constexpr int kBarWidth = 32;

/// "2026-11-24 16:42:01.123"
std::string clock_text(WallTime time) {
  constexpr std::size_t kMilliseconds = 23;
  std::string text = format_micro_time(time).substr(0, kMilliseconds);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

/// "replicasets web-1", with the namespace where it is not `ns`.
std::string short_name(const JournalObject& object, const std::string& ns) {
  std::string out = object.resource + " ";
  if (!object.ns.empty() && object.ns != ns) out += object.ns + "/";
  return out + object.name;
}

std::string cause_text(const Wake& wake, const std::string& ns) {
  const auto change = [&](const char* what) {
    std::string out = short_name(wake.object, ns) + " was " + what;
    if (!wake.version.empty()) out += " (resourceVersion " + wake.version + ")";
    return out;
  };
  switch (wake.kind) {
    case Wake::Kind::kAdded:
      return change("added");
    case Wake::Kind::kUpdated:
      return change("updated");
    case Wake::Kind::kDeleted:
      return change("deleted");
    case Wake::Kind::kSync:
      return "the sync of " + wake.object.name + " asked for it";
    case Wake::Kind::kTimer:
      break;
  }
  return "a timer asked for it";
}

/// The causes of a sync that no event woke.
std::vector<std::string> put_off_texts(const StoryEntry& entry, const WhyAnswer& answer) {
  std::vector<std::string> out;
  const PutOff& put_off = *entry.put_off;
  if (put_off.again > Duration::zero()) {
    out.push_back("its sync of " + clock_text(answer.clock.wall(put_off.began)) +
                  " asked to run again in " + short_time(put_off.again));
  }
  for (const Wake& each : put_off.wakes) {
    out.push_back("before that, " + cause_text(each, answer.target.object.ns));
  }
  return out;
}

std::vector<std::string> causes_of(const StoryEntry& entry, const WhyAnswer& answer) {
  const WorkRecord& record = entry.record;
  const std::string& ns = answer.target.object.ns;
  std::vector<std::string> out;
  for (const Wake& each : record.wakes) out.push_back(cause_text(each, ns));
  if (record.more_wakes > 0) out.push_back(std::to_string(record.more_wakes) + " more events");
  if (record.attempt > 0) {
    out.push_back("its back-off had ended, after " + std::to_string(record.attempt) + " failures");
  }
  if (entry.put_off) {
    for (std::string& each : put_off_texts(entry, answer)) out.push_back(std::move(each));
  }
  if (!out.empty() || record.is_timer) return out;
  return {"no event: the first content of the caches, or a time that its last sync asked for"};
}

std::string request_text(const Write& write, const std::string& ns) {
  JournalObject object = write.object;
  if (!write.subresource.empty()) object.resource += "/" + write.subresource;
  return write.verb + " " + short_name(object, ns);
}

std::string response_text(const Write& write) {
  std::string out;
  if (write.http_status != 0) out = std::to_string(write.http_status);
  if (!write.reason.empty()) {
    out += (out.empty() ? "" : " ") + write.reason + ": " + write.message;
  } else if (!write.version.empty()) {
    out += ", resourceVersion " + write.version;
  }
  if (write.attempts > 1) out += ", after " + std::to_string(write.attempts) + " attempts";
  if (write.attempts == 0 && write.http_status == 0) out += " (never sent)";
  if (write.is_dry_run) out += " (dry run: nothing was changed)";
  return out;
}

std::string result_text(const WorkRecord& record) {
  std::string out;
  if (record.code != DAVIT_OK) {
    out = "failed: " + (record.error.empty() ? code_name(record.code) : record.error);
  }
  if (record.is_retried) out += std::string(out.empty() ? "" : "; ") + "again after a back-off";
  if (record.again > Duration::zero()) {
    out += std::string(out.empty() ? "" : "; ") + "again in " + short_time(record.again);
  }
  return out;
}

std::string head_text(const StoryEntry& entry) {
  std::string out = entry.controller + " (generation " + std::to_string(entry.record.generation);
  out += entry.record.is_timer ? ") timer" : ") sync of " + entry.record.key;
  return out;
}

/// Appends a line, whose text may have come from anywhere.
void add(std::string& out, std::size_t indent, const std::string& text) {
  if (!out.empty()) out += "\n";
  out.append(indent, ' ').append(printable(text));
}

void add_now(std::string& out, const WhyAnswer& answer) {
  for (const WhyNow& each : answer.now) {
    add(out, 2 + 2 * each.depth, each.subject + ": " + each.text);
  }
  if (answer.now.empty()) add(out, 2, "nothing is waited for");
}

void add_entry(std::string& out, const StoryEntry& entry, const WhyAnswer& answer) {
  const WorkRecord& record = entry.record;
  const std::string& ns = answer.target.object.ns;
  const std::size_t indent = 2 + 2 * entry.depth;
  add(out, indent,
      clock_text(answer.clock.wall(record.began)) + "  " + head_text(entry) + ", took " +
          short_time(record.took));
  for (const std::string& each : causes_of(entry, answer)) add(out, indent + 4, "because " + each);
  for (std::size_t i = 0; i < std::min(record.writes.size(), kWritesShown); ++i) {
    const Write& write = record.writes[i];
    add(out, indent + 4, "→ " + request_text(write, ns) + ": " + response_text(write));
  }
  const std::size_t shown = std::min(record.writes.size(), kWritesShown);
  if (const std::size_t more = record.writes.size() - shown + record.more_writes; more > 0) {
    add(out, indent + 4, "→ " + std::to_string(more) + " more writes");
  }
  if (const std::string result = result_text(record); !result.empty()) {
    add(out, indent + 4, result);
  }
}

/// "ReplicaSet web-1 of Deployment web".
std::string owners_text(const std::vector<StoryObject>& owners) {
  std::string out;
  for (const StoryObject& each : owners) {
    out += (out.empty() ? "" : " of ") + each.kind + " " + each.object.name;
  }
  return out;
}

std::string reach_text(const WhyAnswer& answer) {
  if (!answer.reaches_back_to) return "no controller of this host has worked yet";
  return "the journal reaches back to " + clock_text(answer.clock.wall(*answer.reaches_back_to));
}

/// A bar in a line that stands for the time from `from` to `to`.
std::string bar(Time began, Time ended, Time from, Time to) {
  const double span = std::max<double>(1.0, static_cast<double>((to - from).count()));
  const auto column = [&](Time time) {
    const double share = static_cast<double>((time - from).count()) / span;
    return std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth - 1);
  };
  std::string out;
  for (int i = 0; i < kBarWidth; ++i) {
    out += i >= column(began) && i <= column(ended) ? "█" : "·";
  }
  return out;
}

std::string offset_text(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%+12.3f s", std::chrono::duration<double>(time).count());
  return text;
}

std::string json_of(const StoryObject& object) {
  JsonText out('{');
  out.text("group", object.object.group)
      .text("resource", object.object.resource)
      .text("kind", object.kind)
      .text("namespace", object.object.ns)
      .text("name", object.object.name)
      .number("depth", object.depth);
  if (object.is_deleted) out.boolean("deleted", true);
  return out.str();
}

std::string json_of(const PutOff& put_off, const WhyAnswer& answer) {
  JsonText out('{');
  out.text("time", format_micro_time(answer.clock.wall(put_off.began)));
  if (put_off.again > Duration::zero()) {
    const auto again = std::chrono::duration_cast<std::chrono::microseconds>(put_off.again);
    out.number("againMicroseconds", again.count());
  }
  return out.raw("because", host::json_of(put_off.wakes, answer.clock)).str();
}

std::string json_of(const std::vector<StoryEntry>& entries, const WhyAnswer& answer) {
  JsonText out('[');
  for (const StoryEntry& each : entries) {
    const std::string put_off = each.put_off ? json_of(*each.put_off, answer) : std::string();
    out.raw("", host::json_of(each.record, each.controller, answer.clock, put_off));
  }
  return out.str();
}

}  // namespace

std::string short_time(Duration time) {
  using std::chrono::duration;
  char text[64];
  const double seconds = std::max(0.0, duration<double>(time).count());
  if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.1f ms", seconds * 1000);
  } else if (seconds < 60) {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (seconds < 3600) {
    const long whole = static_cast<long>(seconds);
    std::snprintf(text, sizeof text, "%ld m %ld s", whole / 60, whole % 60);
  } else {
    const long minutes = static_cast<long>(seconds / 60);
    std::snprintf(text, sizeof text, "%ld h %ld m", minutes / 60, minutes % 60);
  }
  return text;
}

std::string name_text(const JournalObject& object) {
  std::string out = object.resource;
  if (!object.group.empty()) out += "." + object.group;
  out += " " + object.name;
  if (!object.ns.empty()) out += " in namespace " + object.ns;
  return out;
}

std::string to_text(const WhyAnswer& answer) {
  std::string out;
  add(out, 0, name_text(answer.target.object));
  if (!answer.story.owners.empty()) {
    add(out, 2, "belongs to " + owners_text(answer.story.owners));
  }
  out += "\n";
  add(out, 0, "Now");
  add_now(out, answer);
  out += "\n";
  add(out, 0, "What davit did, oldest first (" + reach_text(answer) + ")");
  if (answer.left_out > 0) {
    add(out, 2, std::to_string(answer.left_out) + " earlier syncs are left out");
  }
  for (const StoryEntry& each : answer.story.entries) add_entry(out, each, answer);
  if (answer.story.entries.empty()) add(out, 2, "nothing");
  return out;
}

std::string to_timeline(const WhyAnswer& answer) {
  std::string out;
  add(out, 0, name_text(answer.target.object));
  const std::vector<StoryEntry>& entries = answer.story.entries;
  if (entries.empty()) {
    add(out, 0, "davit did nothing to it (" + reach_text(answer) + ")");
  } else {
    const Time from = entries.front().record.began;
    Time to = from;
    for (const StoryEntry& each : entries) to = std::max(to, each.record.began + each.record.took);
    add(out, 0, clock_text(answer.clock.wall(from)) + " to " + clock_text(answer.clock.wall(to)));
    for (const StoryEntry& each : entries) {
      const WorkRecord& record = each.record;
      const Time ended = record.began + record.took;
      add(out, 0,
          offset_text(record.began - from) + " " + bar(record.began, ended, from, to) + " " +
              std::string(2 * each.depth, ' ') + head_text(each) +
              (record.code == DAVIT_OK ? "" : " ✗ " + code_name(record.code)));
      for (std::size_t i = 0; i < std::min(record.writes.size(), kWritesShown); ++i) {
        const Write& write = record.writes[i];
        add(out, 0,
            offset_text(write.began - from) + " " +
                bar(write.began, write.began + write.took, from, to) + " " +
                std::string(2 * each.depth + 2, ' ') +
                request_text(write, answer.target.object.ns) + " " +
                (write.reason.empty() ? "" : "✗ ") + std::to_string(write.http_status));
      }
    }
  }
  add(out, 0, "Now");
  add_now(out, answer);
  return out;
}

std::string to_json(const WhyAnswer& answer) {
  JsonText now('[');
  for (const WhyNow& each : answer.now) {
    now.raw("", JsonText('{').text("subject", each.subject).text("text", each.text).str());
  }
  JsonText objects('[');
  for (const StoryObject& each : answer.story.objects) objects.raw("", json_of(each));
  JsonText owners('[');
  for (const StoryObject& each : answer.story.owners) owners.raw("", json_of(each));
  JsonText out('{');
  out.raw("object", json_of(answer.target)).raw("now", now.str()).raw("objects", objects.str());
  out.raw("owners", owners.str());
  if (answer.reaches_back_to) {
    out.text("reachesBackTo", format_micro_time(answer.clock.wall(*answer.reaches_back_to)));
  }
  return out.number("recordsLeftOut", answer.left_out)
      .raw("records", json_of(answer.story.entries, answer))
      .raw("idle", json_of(answer.story.last, answer))
      .str();
}

}  // namespace davit::host
