#include "host/crash/crash_text.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <davit/hex.hpp>

namespace davit::host {
namespace {

/// Longer than any key of a Kubernetes object, "namespace/name": 63 + 1 + 253.
constexpr std::size_t kQuotedMax = 512;
/// The number of no signal: see CrashFacts.
constexpr int kExit = 0;

/// As the log has its lines (json_log_line()); the time in milliseconds.
void add_json_head(const CrashFacts& facts, std::string_view message, CrashText& out) {
  out.add(R"({"ts":)").add_number(static_cast<std::uint64_t>(facts.unix_seconds));
  out.add(R"(000.000,"caller":"davit","msg":)").add_quoted(message);
}

void add_hex_member(std::string_view key, std::uint64_t number, CrashText& out) {
  out.add(",").add_quoted(key).add(":\"").add_hex(number).add("\"");
}

bool has_address(const CrashFacts& facts) {
  return facts.signal != SIGABRT && facts.signal != kExit;
}

void add_status(int status, CrashText& out) {
  if (status < 0) out.add("-");
  out.add_number(static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(status))));
}

void add_json_report(const CrashFacts& facts, CrashText& out) {
  if (facts.signal == kExit) {
    add_json_head(facts, "A plugin ended the process by exit()", out);
    out.add(R"(,"status":)");
    add_status(facts.exit_status, out);
  } else {
    add_json_head(facts, "Crashed", out);
    out.add(R"(,"signal":)").add_quoted(signal_name(facts.signal));
  }
  if (has_address(facts)) add_hex_member("address", facts.address, out);
  if (facts.crumb != nullptr) {
    const Breadcrumb& crumb = *facts.crumb;
    out.add(R"(,"plugin":)").add_quoted(crumb.plugin);
    out.add(R"(,"build":)").add_quoted(crumb.build_id);
    out.add(R"(,"generation":)").add_number(crumb.generation);
    if (!crumb.controller.empty()) out.add(R"(,"controller":)").add_quoted(crumb.controller);
    out.add(R"(,"activity":)").add_quoted(crumb.activity);
    if (!crumb.key.empty()) out.add(R"(,"key":)").add_quoted(crumb.key);
  }
  if (facts.signal != kExit) add_hex_member("code", facts.instruction, out);
  if (!facts.module.empty()) {
    out.add(R"(,"module":)").add_quoted(facts.module);
    add_hex_member("offset", facts.instruction - facts.module_base, out);
  }
  out.add("}\n");
}

}  // namespace

CrashText& CrashText::add(std::string_view text) {
  const std::size_t count = std::min(text.size(), bytes_.size() - size_);
  std::memcpy(bytes_.data() + size_, text.data(), count);
  size_ += count;
  return *this;
}

CrashText& CrashText::add_number(std::uint64_t number) {
  std::array<char, 20> digits;
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return add({digits.data() + first, digits.size() - first});
}

CrashText& CrashText::add_hex(std::uint64_t number) {
  std::array<char, 16> digits;
  std::size_t first = digits.size();
  do {
    digits[--first] = hex_digits()[number % 16];
    number /= 16;
  } while (number != 0);
  return add("0x").add({digits.data() + first, digits.size() - first});
}

CrashText& CrashText::add_quoted(std::string_view text) {
  add("\"");
  for (const char each : text.substr(0, kQuotedMax)) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x20 || byte >= 0x7f) {
      add("?");
    } else if (each == '"' || each == '\\') {
      add("\\").add({&each, 1});
    } else {
      add({&each, 1});
    }
  }
  return add("\"");
}

std::string_view signal_name(int signal) {
  switch (signal) {
    case kExit:
      return "exit";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    case SIGABRT:
      return "SIGABRT";
    default:
      return "signal";
  }
}

void add_report(const CrashFacts& facts, LogFormat format, CrashText& out) {
  if (format == LogFormat::kJson) return add_json_report(facts, out);
  if (facts.signal == kExit) {
    out.add("davit: exit(");
    add_status(facts.exit_status, out);
    out.add(") was called");
  } else {
    out.add("davit: crashed with ").add(signal_name(facts.signal));
  }
  if (has_address(facts)) out.add(" at address ").add_hex(facts.address);
  if (facts.crumb == nullptr) {
    out.add(", outside any call into a plugin");
  } else {
    const Breadcrumb& crumb = *facts.crumb;
    out.add(" in plugin ").add(crumb.plugin).add(", build ").add(crumb.build_id);
    out.add(", generation ").add_number(crumb.generation);
    if (!crumb.controller.empty()) out.add(", controller ").add(crumb.controller);
    out.add(", ").add(crumb.activity);
    if (!crumb.key.empty()) out.add(" of key ").add_quoted(crumb.key);
  }
  if (facts.signal != kExit) out.add("; the code was at ").add_hex(facts.instruction);
  if (!facts.module.empty()) {
    out.add(", ").add(facts.module).add("+").add_hex(facts.instruction - facts.module_base);
  }
  out.add("\n");
}

void add_loss(const CrashFacts& facts, std::string_view journal, int error, LogFormat format,
              CrashText& out) {
  // Unlike strerror(), safe in a signal handler. Null for a number that is no error.
  const char* const known = ::strerrordesc_np(error);
  const std::string_view why = known == nullptr ? "unknown error" : known;
  if (format == LogFormat::kJson) {
    add_json_head(facts, "The crash is not recorded and counts for no quarantine", out);
    out.add(R"(,"err":)").add_quoted(why).add(R"(,"file":)").add_quoted(journal).add("}\n");
    return;
  }
  out.add("davit: the crash is not recorded in ").add(journal);
  out.add(", so it counts for no quarantine: ").add(why).add("\n");
}

void add_record(const CrashFacts& facts, CrashText& out) {
  const Breadcrumb nowhere{};
  const Breadcrumb& crumb = facts.crumb == nullptr ? nowhere : *facts.crumb;
  out.add(R"({"time":)").add_number(static_cast<std::uint64_t>(facts.unix_seconds));
  out.add(R"(,"signal":)").add_quoted(signal_name(facts.signal));
  out.add(R"(,"plugin":)").add_quoted(crumb.plugin);
  out.add(R"(,"build":)").add_quoted(crumb.build_id);
  out.add(R"(,"controller":)").add_quoted(crumb.controller);
  out.add(R"(,"activity":)").add_quoted(crumb.activity);
  out.add(R"(,"key":)").add_quoted(crumb.key);
  out.add(R"(,"module":)").add_quoted(facts.module).add("}\n");
}

}  // namespace davit::host
