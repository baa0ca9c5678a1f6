#include "host/control/control_service.hpp"

#include <utility>

#include "host/control/build_text.hpp"
#include "host/control/control_request.hpp"
#include "host/control/shadow_text.hpp"
#include "host/control/state_text.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

std::string json_of(const std::vector<Finding>& findings) {
  JsonText out('[');
  for (const Finding& each : findings) {
    out.raw("", JsonText('{')
                    .text("id", each.id)
                    .text("grade", to_string(each.grade))
                    .text("text", each.text)
                    .str());
  }
  return out.str();
}

long long micros(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

std::string text_of(const SwapReport& report) {
  std::string out = report.text;
  if (!report.ok()) return out;
  if (report.from.generation > 0 && report.to.generation > 0) {
    out +=
        "; " + std::to_string(report.keys) + " keys kept, pause " + milliseconds_text(report.pause);
  }
  for (const std::string& each : report.listed) {
    out += "\nrelisted, because this build reads more of their fields: " + each;
  }
  for (const std::string& each : report.not_started) {
    out += "\nnew in this build and not started: " + each + " (davit ctl enable " + each + ")";
  }
  for (const std::string& each : report.state_left) {
    out += "\nstarts without state, because the new build takes none: " + each;
  }
  for (const std::string& each : report.grade_reasons) out += "\nthe new build " + each;
  for (const Finding& each : report.blockers) {
    out += "\nthe old build is still in memory: it " + each.text + " (" + each.id + ")";
  }
  for (const std::string& each : report.left_behind) {
    out += "\nthe old build is unloaded, but not the library that it brought: " + each;
  }
  return out;
}

std::string line_of(const SwapReport& report) {
  JsonText out('{');
  out.boolean("ok", report.ok())
      .text("outcome", to_string(report.outcome))
      .text("text", text_of(report))
      .text("plugin", report.plugin);
  if (report.from.generation > 0) out.raw("from", json_of(report.from));
  if (report.to.generation > 0) {
    out.raw("to", json_of(report.to))
        .text("grade", to_string(report.grade))
        .texts("gradeReasons", report.grade_reasons)
        .texts("notStarted", report.not_started);
  }
  if (report.from.generation > 0 && report.to.generation > 0) {
    out.texts("listed", report.listed)
        .number("keysKept", report.keys)
        .number("keysDropped", report.keys_dropped)
        .number("stateBytes", report.state_bytes)
        .texts("stateLeft", report.state_left)
        .number("drainMicroseconds", micros(report.drain))
        .number("pauseMicroseconds", micros(report.pause))
        .text("resident", report.resident);
  }
  if (report.from.generation > 0) {
    out.raw("blockers", json_of(report.blockers)).texts("leftBehind", report.left_behind);
  }
  return out.number("residents", report.residents).str() + "\n";
}

std::string line_of(const Status& status, const std::string& done) {
  return JsonText('{')
             .boolean("ok", status.ok())
             .text("outcome", status.ok() ? "done" : "unknown")
             .text("text", status.ok() ? done : status.message())
             .str() +
         "\n";
}

std::string json_of(const PluginState& plugin) {
  JsonText controllers('[');
  for (const ControllerState& each : plugin.controllers) {
    controllers.raw("", JsonText('{')
                            .text("name", each.name)
                            .text("state", each.state)
                            .number("waiting", each.waiting)
                            .str());
  }
  return JsonText('{')
      .text("name", plugin.name)
      .text("file", plugin.file.string())
      .raw("build", json_of(plugin.build))
      .text("grade", to_string(plugin.grade))
      .texts("gradeReasons", plugin.grade_reasons)
      .number("probationMicroseconds", micros(plugin.probation))
      .raw("controllers", controllers.str())
      .str();
}

std::string line_of(const SetState& state, const std::vector<std::string>& notes,
                    const std::string& host) {
  JsonText plugins('[');
  for (const PluginState& each : state.plugins) plugins.raw("", json_of(each));
  JsonText residents('[');
  for (const Resident& each : state.residents) {
    residents.raw("", JsonText('{')
                          .text("plugin", each.plugin)
                          .raw("build", json_of(each.build))
                          .text("reason", each.reason)
                          .raw("blockers", json_of(each.blockers))
                          .str());
  }
  return JsonText('{')
             .boolean("ok", true)
             .text("outcome", "done")
             .text("text", state_text(state, notes))
             .raw("plugins", plugins.str())
             .raw("residents", residents.str())
             .text("busy", state.busy)
             .texts("notes", notes)
             .raw("host", host)
             .str() +
         "\n";
}

SwapRequest swap_of(const ControlRequest& request) {
  SwapRequest swap{.plugin = request.name, .file = request.file};
  if (request.state == "none") swap.memory = SwapRequest::Memory::kLeave;
  if (request.watch_ms >= 0) {
    swap.probation = {std::chrono::milliseconds(request.watch_ms),
                      static_cast<unsigned>(request.max_error_percent)};
  }
  return swap;
}

std::string respond_why(const ControlHooks& hooks, const ControlRequest& request) {
  if (!hooks.why) return line_of(Status(Code::kUnsupported, "this host keeps no journal"), "");
  const Result<std::string> answer =
      hooks.why(why_request(request.name, request.ns, request.output));
  return answer ? line_of(Status(), *answer) : line_of(answer.error(), "");
}

}  // namespace

std::string ControlService::respond(std::string_view line) {
  const Result<ControlRequest> request = parse_request(line);
  if (!request) return refusal_line(request.error().message());
  const std::string& command = request->command;
  const std::string& name = request->name;
  if (command == "swap") return line_of(plugins_.swap(swap_of(*request)));
  if (command == "load") {
    return line_of(hooks_.load ? hooks_.load(request->file) : plugins_.load({request->file}));
  }
  if (command == "shadow") {
    return line_of(request->file.empty() ? plugins_.shadows().compare(name)
                                         : plugins_.shadows().start({name, request->file}));
  }
  if (command == "shadow-commit") return line_of(plugins_.commit_shadow(name));
  if (command == "shadow-drop") return line_of(plugins_.shadows().drop(name));
  if (command == "unload") return line_of(plugins_.unload(name));
  if (command == "enable") return line_of(plugins_.enable(name));
  if (command == "disable") return line_of(plugins_.disable(name));
  if (command == "why") return respond_why(hooks_, *request);
  if (command == "pause") return line_of(plugins_.serving().pause(name), name + " is paused");
  if (command == "resume") return line_of(plugins_.serving().resume(name), name + " is resumed");
  return line_of(plugins_.serving().state(),
                 hooks_.notes ? hooks_.notes() : std::vector<std::string>(),
                 hooks_.host ? hooks_.host() : "{}");
}

}  // namespace davit::host
