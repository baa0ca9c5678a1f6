#include <davit/api.hpp>

namespace davit {
namespace {

/// Finds the host's tables of one context.
class Finder {
 public:
  explicit Finder(const davit_context& context, const davit_call* call)
      : context_(context), call_(call) {}

  /// Copies a table; `out` stays null if the host lacks it, which is then in `missing`.
  template <typename Table>
  void find(std::string_view id, Table& copy, const Table*& out, Status& missing) const {
    if (read(id, &copy, sizeof(copy), missing)) out = &copy;
  }

 private:
  bool read(std::string_view id, void* copy, std::size_t capacity, Status& missing) const {
    const void* const table = context_.capability(call_, to_c(id));
    if (table != nullptr) {
      std::uint32_t size = 0;
      std::memcpy(&size, table, sizeof(size));
      std::memcpy(copy, table, std::min<std::size_t>(size, capacity));
      return true;
    }
    if (missing.ok()) {
      missing = Status(Code::kUnsupported, "the host lacks the capability " + std::string(id));
    }
    return false;
  }

  const davit_context& context_;
  const davit_call* call_;
};

}  // namespace

davit_sink append_to(std::string& out) {
  return {sizeof(davit_sink), 0, &out, [](void* self, davit_str chunk) -> davit_code {
            static_cast<std::string*>(self)->append(from_c(chunk));
            return DAVIT_OK;
          }};
}

Status Api::open(const davit_context& context) {
  error_text = context.error_text;
  last_error = context.last_error;
  const Finder finder(context, call());
  Status status;
  finder.find("davit.object/1", tables_.object, object, status);
  finder.find("davit.informer/1", tables_.informer, informer, status);
  finder.find("davit.queue/1", tables_.queue, queue, status);
  finder.find("davit.client/1", tables_.client, client, status);
  finder.find("davit.timer/1", tables_.timer, timer, status);
  finder.find("davit.event/1", tables_.event, event, status);
  finder.find("davit.log/1", tables_.log, log, status);
  finder.find("davit.clock/1", tables_.clock, clock, status);
  finder.find("davit.random/1", tables_.random, random, status);
  finder.find("davit.metric/1", tables_.metric, metric, status);
  finder.find("davit.config/1", tables_.config, config, status);
  Status optional;
  finder.find("davit.freshness/1", tables_.freshness, freshness, optional);
  finder.find("davit.discovery/1", tables_.discovery, discovery, optional);
  finder.find("davit.informer/2", tables_.dynamic_informer, dynamic_informer, optional);
  finder.find("davit.waker/1", tables_.waker, waker, optional);
  finder.find("davit.http/1", tables_.http, http, optional);
  if (!status.ok()) return status;
  names = Names::resolve([this](std::string_view text) { return intern(text).id; });
  return status;
}

Status to_status(davit_code code, std::string_view message, ApiDetail detail,
                 std::string_view causes) {
  while (!causes.empty()) {
    const std::size_t comma = causes.find(',');
    detail.causes.emplace_back(causes.substr(0, comma));
    causes = comma == std::string_view::npos ? std::string_view() : causes.substr(comma + 1);
  }
  std::string text(message);
  if (text.empty()) text = "the host answered with code " + std::to_string(code);
  return Status(from_c(code), std::move(text), std::move(detail));
}

Status Api::failure() const {
  davit_error error{};
  error.size = sizeof(error);
  if (last_error(call(), &error) != DAVIT_OK || error.code == DAVIT_OK) return {};
  ApiDetail detail;
  detail.http_status = error.http_status;
  detail.reason = from_c(error.reason);
  detail.retry_after_ms = error.retry_after_ms;
  return to_status(error.code, from_c(error.message), std::move(detail), from_c(error.causes));
}

Status Api::failure_of(davit_code code, std::string_view fallback) const {
  Status why = failure();
  if (to_c(why.code()) == code && !why.message().empty()) return why;
  return Status(from_c(code), std::string(fallback));
}

}  // namespace davit
