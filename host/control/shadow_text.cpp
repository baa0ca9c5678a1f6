#include "host/control/shadow_text.hpp"

#include <vector>

#include "host/control/build_text.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

std::string side_text(const char* who, const ShadowDifference::Side& side) {
  std::string out = std::string(who) + ": " + std::to_string(side.syncs) + " syncs, " +
                    std::to_string(side.failed) + " of them failed";
  if (!side.last_error.empty()) out += ", last with: " + side.last_error;
  if (side.beyond > 0) out += "; " + std::to_string(side.beyond) + " writes beyond the limit";
  return out;
}

void append_writes(std::string& out, const char* sign, const std::vector<IntendedWrite>& writes) {
  for (const IntendedWrite& each : writes) {
    out += std::string("\n") + sign + " " + each.verb + " " + each.resource + " " + each.object;
    if (!each.content.empty()) out += "\n    " + each.content;
  }
}

std::string text_of(const ShadowReport& report) {
  std::string out = report.text;
  const ShadowDifference& all = report.difference;
  if (!report.ok() || report.age == Duration::zero()) return out;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(report.age).count();
  out += ", for " + std::to_string(seconds) + " s";
  out += "\n" + side_text("serving", all.serving) + "\n" + side_text("shadow ", all.shadow);
  out += "\nwrites: " + std::to_string(all.alike) + " alike, " +
         std::to_string(all.serving.only.size()) + " only of the serving build (-), " +
         std::to_string(all.shadow.only.size()) + " only of the shadow (+), " +
         std::to_string(all.pending) + " too new to compare";
  append_writes(out, "-", all.serving.only);
  append_writes(out, "+", all.shadow.only);
  return out;
}

std::string json_of(const ShadowDifference::Side& side) {
  JsonText only('[');
  for (const IntendedWrite& each : side.only) {
    only.raw("", JsonText('{')
                     .text("verb", each.verb)
                     .text("resource", each.resource)
                     .text("object", each.object)
                     .text("content", each.content)
                     .str());
  }
  return JsonText('{')
      .raw("only", only.str())
      .number("syncs", side.syncs)
      .number("failed", side.failed)
      .text("lastError", side.last_error)
      .number("beyond", side.beyond)
      .str();
}

}  // namespace

std::string line_of(const ShadowReport& report) {
  JsonText out('{');
  out.boolean("ok", report.ok())
      .text("outcome", to_string(report.outcome))
      .text("text", text_of(report))
      .text("plugin", report.plugin);
  if (!report.ok()) return out.str() + "\n";
  return out.raw("from", json_of(report.from))
             .raw("to", json_of(report.to))
             .number("keys", report.keys)
             .number("ageMicroseconds",
                     std::chrono::duration_cast<std::chrono::microseconds>(report.age).count())
             .number("alike", report.difference.alike)
             .number("pending", report.difference.pending)
             .raw("serving", json_of(report.difference.serving))
             .raw("shadow", json_of(report.difference.shadow))
             .str() +
         "\n";
}

}  // namespace davit::host
