#include "host/cache/reflector_log.hpp"

#include <davit/mutant.hpp>

namespace davit::host {
namespace {

using Note = ReflectorReport::Note;
using RequestKind = ReflectorRequest::Kind;

std::string_view verb_of(const ReflectorRequest& request) {
  return request.kind == RequestKind::kList ? "list" : "watch";
}

}  // namespace

bool is_failure(Note note) {
  return note == Note::kListFailed || note == Note::kWatchFailed || note == Note::kUnreachable;
}

void ReflectorLog::report(const ReflectorReport& report, const ReflectorRequest& request,
                          const std::string& known_version) {
  const std::string resource = resource_.text();
  switch (report.note) {
    case Note::kNone:
    case Note::kSame:
      return;
    case Note::kPopulated:
      log_.info(failure_.empty() ? 2 : 0, "Caches populated",
                {{"resource", resource}, {"resourceVersion", report.version}});
      failure_.clear();
      return;
    case Note::kListFailed:
      return failure("Failed to list", report, request);
    case Note::kUnreachable:
      return failure("Cannot reach the server", report, request);
    case Note::kWatchFailed:
      return failure("Failed to watch", report, request);
    case Note::kWatchEnded:
    case Note::kWatchTooShort:
      return log_.warning("Watch ended with an error; listing again",
                          {{"resource", resource}, {"err", report.status.message()}});
    case Note::kWatchStalled:
      return log_.warning("A watch was silent for too long; watching again",
                          {{"resource", resource}, {"resourceVersion", known_version}});
    case Note::kWentBack:
      return log_.error(
          "The server's versions have gone back, as after a restore from a backup; "
          "listing everything again",
          {{"resource", resource},
           {"known", report.known_version},
           {"resourceVersion", report.version}});
    case Note::kBehind:
    case Note::kUnproven:
      return log_.info(2, "A response did not show how current the cache is; listing again",
                       {{"resource", resource}, {"resourceVersion", known_version}});
    case Note::kWatchSilent:
    case Note::kExpired:
    case Note::kStreamingRefused:
    case Note::kRetried:
      return log_.info(report.status.ok() ? 5 : 4, "Retrying a list or watch",
                       {{"resource", resource}, {"err", report.status.message()}});
  }
}

void ReflectorLog::failure(std::string_view message, const ReflectorReport& report,
                           const ReflectorRequest& request) {
  if (mutant("refusal-reported")) return;
  const std::string_view verb = verb_of(request);
  std::string hint = "retrying with back-off";
  if (report.status.code() == Code::kForbidden) {
    const ApiDetail* detail = report.status.detail();
    if (detail != nullptr && detail->http_status == 401) {
      hint = "the server does not accept the credentials; renew them (retrying with back-off)";
    } else {
      hint = "grant the verbs get, list and watch on " + resource_.text() +
             " (retrying with back-off)";
    }
  } else if (report.status.code() == Code::kNotFound) {
    hint = "the server does not serve this resource (retrying with back-off)";
  }
  std::string text = std::string(verb) + " " + report.status.message();
  if (text == failure_) {
    log_.info(2, message, {{"resource", resource_.text()}, {"verb", verb}, {"err", text}});
    return;
  }
  failure_ = std::move(text);
  log_.error(message, {{"resource", resource_.text()},
                       {"verb", verb},
                       {"err", report.status.message()},
                       {"hint", hint}});
}

void ReflectorLog::fell_back_to_json(const Status& why) {
  log_.warning("Cannot read protobuf of this server in full; reading JSON from now on",
               {{"resource", resource_.text()}, {"err", why.message()}});
}

}  // namespace davit::host
