#include "lib/base/log_line.hpp"

#include <ctime>
#include <vector>

#include "lib/base/json_text.hpp"
#include "lib/base/printable.hpp"

namespace davit {
namespace {

constexpr std::string_view kProgram = "davit";
constexpr std::string_view kErrorKey = "err";

char letter(Severity severity) {
  switch (severity) {
    case Severity::kWarning:
      return 'W';
    case Severity::kError:
      return 'E';
    case Severity::kInfo:
      break;
  }
  return 'I';
}

/// The fields in the order of the line: `err` first, and of each key the last.
std::vector<const LogPair*> in_order(std::span<const LogPair> fields) {
  std::vector<const LogPair*> order;
  order.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    bool repeated = false;
    for (std::size_t j = i + 1; j < fields.size(); ++j) repeated |= fields[j].key == fields[i].key;
    if (repeated) continue;
    const bool first = fields[i].key == kErrorKey;
    order.insert(first ? order.begin() : order.end(), &fields[i]);
  }
  return order;
}

void append_time(std::string& out, WallTime time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(micros);
  const std::time_t moment = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(seconds));
  std::tm local{};
  localtime_r(&moment, &local);
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%02d%02d %02d:%02d:%02d.%06d",
                                   local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min,
                                   local.tm_sec, static_cast<int>((micros - seconds).count()));
  out.append(text, static_cast<std::size_t>(length));
}

/// klog writes a value of several lines as a block of its own.
void append_block(std::string& out, std::string_view value) {
  out += "<\n";
  std::size_t at = 0;
  while (at <= value.size()) {
    const std::size_t end = std::min(value.find('\n', at), value.size());
    out += '\t';
    out += printable(value.substr(at, end - at));
    out += '\n';
    at = end + 1;
  }
  out += " >";
}

void append_value(std::string& out, const LogPair& field) {
  if (!field.quoted) {
    out += printable(field.text());
  } else if (field.value.find('\n') != std::string_view::npos) {
    append_block(out, field.value);
  } else {
    append_quoted(out, field.value);
  }
}

/// JSON has no NaN and no infinities.
bool is_json_literal(std::string_view text) {
  return text == "true" || text == "false" ||
         (!text.empty() && text.find_first_not_of("0123456789+-.e") == std::string_view::npos);
}

void append_pair(std::string& out, std::string_view key, std::string_view value) {
  out += ',';
  append_quoted(out, key);
  out += ':';
  append_quoted(out, value);
}

}  // namespace

std::string text_log_line(const LogRecord& record) {
  std::string out;
  out.reserve(64 + record.message.size() + record.fields.size() * 32);
  out += letter(record.severity);
  append_time(out, record.time);
  char process[16];
  const int length = std::snprintf(process, sizeof process, " %7ld ", record.process);
  out.append(process, static_cast<std::size_t>(length));
  out += record.logger.empty() ? kProgram : printable(record.logger);
  out += "] ";
  append_quoted(out, record.message);
  for (const LogPair* field : in_order(record.fields)) {
    out += ' ';
    out += printable(field->key);
    out += '=';
    append_value(out, *field);
  }
  return out;
}

std::string json_log_line(const LogRecord& record) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(record.time.time_since_epoch()).count();
  char time[48];
  const int length =
      std::snprintf(time, sizeof time, "{\"ts\":%lld.%03d", static_cast<long long>(micros / 1000),
                    static_cast<int>(micros % 1000));
  std::string out(time, static_cast<std::size_t>(length));
  append_pair(out, "caller", record.logger.empty() ? kProgram : record.logger);
  append_pair(out, "msg", record.message);
  if (record.severity == Severity::kInfo) out += ",\"v\":" + std::to_string(record.verbosity);
  if (record.severity == Severity::kWarning) append_pair(out, "level", "warning");
  if (!record.logger.empty()) append_pair(out, "logger", record.logger);
  for (const LogPair* field : in_order(record.fields)) {
    if (field->quoted || !is_json_literal(field->text())) {
      append_pair(out, field->key, field->text());
      continue;
    }
    out += ',';
    append_quoted(out, field->key);
    out += ':';
    out += field->text();
  }
  out += '}';
  return out;
}

}  // namespace davit
