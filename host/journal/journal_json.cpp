#include "host/journal/journal_json.hpp"

#include <davit/kube/time.hpp>

#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

long long micros(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

const char* word_of(Wake::Kind kind) {
  switch (kind) {
    case Wake::Kind::kAdded:
      return "added";
    case Wake::Kind::kUpdated:
      return "updated";
    case Wake::Kind::kDeleted:
      return "deleted";
    case Wake::Kind::kSync:
      return "sync";
    case Wake::Kind::kTimer:
      break;
  }
  return "timer";
}

void add_text(JsonText& out, std::string_view key, std::string_view value) {
  if (!value.empty()) out.text(key, value);
}

void add_object(JsonText& out, const JournalObject& object) {
  add_text(out, "group", object.group);
  add_text(out, "resource", object.resource);
  add_text(out, "namespace", object.ns);
  add_text(out, "name", object.name);
}

std::string json_of(const Wake& wake, const WallClockReading& clock) {
  JsonText out('{');
  out.text("kind", word_of(wake.kind));
  add_object(out, wake.object);
  add_text(out, "resourceVersion", wake.version);
  return out.text("time", format_micro_time(clock.wall(wake.at))).str();
}

std::string json_of(const Write& write, const WallClockReading& clock) {
  JsonText out('{');
  out.text("verb", write.verb);
  add_object(out, write.object);
  add_text(out, "subresource", write.subresource);
  if (!write.owner_kind.empty()) {
    out.raw("owner",
            JsonText('{').text("kind", write.owner_kind).text("name", write.owner_name).str());
  }
  out.number("status", write.http_status);
  add_text(out, "resourceVersion", write.version);
  add_text(out, "reason", write.reason);
  add_text(out, "message", write.message);
  out.text("time", format_micro_time(clock.wall(write.began)))
      .number("microseconds", micros(write.took))
      .number("attempts", write.attempts);
  if (write.is_dry_run) out.boolean("dryRun", true);
  return out.str();
}

}  // namespace

std::string json_of(const std::vector<Wake>& wakes, const WallClockReading& clock) {
  JsonText out('[');
  for (const Wake& each : wakes) out.raw("", json_of(each, clock));
  return out.str();
}

std::string json_of(const WorkRecord& record, std::string_view controller,
                    const WallClockReading& clock, std::string_view put_off) {
  JsonText writes('[');
  for (const Write& each : record.writes) writes.raw("", json_of(each, clock));
  JsonText out('{');
  out.text("controller", controller).number("generation", record.generation);
  add_text(out, "queue", record.queue);
  if (record.is_timer) {
    out.boolean("timer", true);
  } else {
    out.text("key", record.key);
  }
  out.text("time", format_micro_time(clock.wall(record.began)))
      .number("microseconds", micros(record.took))
      .number("failuresBefore", record.attempt)
      .number("code", record.code);
  add_text(out, "error", record.error);
  if (record.again > Duration::zero()) out.number("againMicroseconds", micros(record.again));
  if (record.is_retried) out.boolean("backOff", true);
  if (!put_off.empty()) out.raw("putOff", put_off);
  return out.raw("because", json_of(record.wakes, clock))
      .number("becauseNotKept", record.more_wakes)
      .raw("writes", writes.str())
      .number("writesNotKept", record.more_writes)
      .str();
}

std::string recent_json(const Journal& journal, std::string_view controller, std::size_t count,
                        const Clock& clock) {
  const ControllerJournal* const kept = journal.find(controller);
  JsonText out('[');
  if (kept != nullptr) {
    const WallClockReading reading(clock);
    for (const WorkRecord& each : kept->recent(count)) {
      out.raw("", json_of(each, controller, reading));
    }
  }
  return out.str();
}

}  // namespace davit::host
