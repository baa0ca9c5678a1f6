/// Controller: what a plugin implements.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace davit {

class JsonWriter;
class Value;

/// A controller's knowledge that its next build can get neither from the cluster nor from the
/// queues, as JSON ("davit.state/1" in abi.h). A hot swap calls write() of the old build and read()
/// of the new one while no sync, timer or handler of either runs. Times of Context::now() mean the
/// same to both.
class HandedState {
 public:
  HandedState() = default;
  HandedState(const HandedState&) = delete;
  HandedState& operator=(const HandedState&) = delete;

  /// The version of the form that write() writes, from 1. Raise it if an earlier build would
  /// misread it.
  [[nodiscard]] virtual std::uint32_t version() const = 0;
  /// The oldest form that read() understands.
  [[nodiscard]] virtual std::uint32_t oldest() const { return version(); }
  /// Writes one JSON value; changes nothing.
  virtual void write(JsonWriter& out) const = 0;
  /// Takes over the state that a build wrote in the form `version`. An error ends the swap, and the
  /// old build keeps serving. Return one for every defect, since the text may be arbitrary.
  [[nodiscard]] virtual Status read(std::uint32_t version, Value state) = 0;

 protected:
  ~HandedState() = default;
};

/// A page that a controller shows of itself.
struct DebugPage {
  std::string body = {};
  std::string content_type = "text/plain; charset=utf-8";
  int http_status = 200;
};

/// One running controller. Its constructor opens queues and informers through the Context; syncs
/// are the functions given to Context::open_queue. Destroyed after the last of them returned.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller();

  /// The health that /readyz and /livez report. Must not take a lock that a sync holds while it
  /// waits.
  [[nodiscard]] virtual Status health() const { return {}; }

  /// The page of GET /debug/controllers/<name>/<path>; kNotFound if there is none. Called from a
  /// thread of the host's, at any time.
  [[nodiscard]] virtual Result<DebugPage> debug(std::string_view path,
                                                std::string_view query) const;

  /// The operator has changed the controller's configuration in the manifest; absent if there is
  /// none any more. Ok: it counts from now on. kUnsupported: this change is possible at the start
  /// only, and the host swaps to another instance, which finds it in its constructor; the default.
  /// Every other error refuses it: the old one stays, and the operator reads why. May run beside
  /// syncs and handlers, so what it changes needs a lock.
  [[nodiscard]] virtual Status configure(const Value& config);

  /// The state that a hot swap hands over; null: none, and the next build begins as after a
  /// restart. Called once; lives as long as the controller.
  [[nodiscard]] virtual HandedState* state() { return nullptr; }
};

/// A controller, null when there is nothing to do here (see Context::skip), or why it cannot run.
using InitResult = Result<std::unique_ptr<Controller>>;

}  // namespace davit
