/// Controller: the interface that a plugin implements.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace davit {

class JsonWriter;
class Value;

/// Knowledge of a controller that its next build can get neither from the cluster nor from the
/// queues, as JSON ("davit.state/1" in abi.h). A hot swap calls write() of the old build and read()
/// of the new one while no sync, timer or handler of either runs. Times of Context::now() are valid
/// in both.
class HandedState {
 public:
  HandedState() = default;
  HandedState(const HandedState&) = delete;
  HandedState& operator=(const HandedState&) = delete;

  /// The version of the format that write() writes, from 1. Raise it if an earlier build would
  /// misread the state.
  [[nodiscard]] virtual std::uint32_t version() const = 0;
  /// The oldest format that read() accepts.
  [[nodiscard]] virtual std::uint32_t oldest() const { return version(); }
  /// Writes one JSON value; changes nothing.
  virtual void write(JsonWriter& out) const = 0;
  /// Reads the state that another build wrote in the format `version`. An error ends the swap, and
  /// the old build keeps serving. Return an error for every defect: the text may be arbitrary.
  [[nodiscard]] virtual Status read(std::uint32_t version, Value state) = 0;

 protected:
  ~HandedState() = default;
};

/// A debug page of a controller.
struct DebugPage {
  std::string body = {};
  std::string content_type = "text/plain; charset=utf-8";
  int http_status = 200;
};

/// One running controller. Its constructor opens queues and informers through the Context; its
/// syncs are the functions passed to Context::open_queue. Destroyed after the last sync has
/// returned.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller();

  /// The health that /readyz and /livez report. Must not take a lock that a sync holds while it
  /// waits.
  [[nodiscard]] virtual Status health() const { return {}; }

  /// The page of GET /debug/controllers/<name>/<path>; kNotFound if there is none. Called on a
  /// thread of the host, at any time.
  [[nodiscard]] virtual Result<DebugPage> debug(std::string_view path,
                                                std::string_view query) const;

  /// The operator has changed the controller's configuration in the manifest; absent if it was
  /// removed. Ok: it applies from now on. kUnsupported, the default: this change is possible only
  /// at the start, so the host swaps to another instance, whose constructor reads it. Any other
  /// error refuses the change: the old configuration stays, and the log and `davit ctl status` show
  /// the error. May run concurrently with syncs and handlers, so the data that it changes needs a
  /// lock.
  [[nodiscard]] virtual Status configure(const Value& config);

  /// The state that a hot swap hands over; null if there is none: the next build then begins as
  /// after a restart. Called once; the result lives as long as the controller.
  [[nodiscard]] virtual HandedState* state() { return nullptr; }
};

/// A controller, null if there is nothing to do here (see Context::skip), or the reason why it
/// cannot run.
using InitResult = Result<std::unique_ptr<Controller>>;

}  // namespace davit
