/// Controller: what a plugin implements.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace davit {

/// One running controller. Its constructor opens queues and informers through the Context; syncs
/// are the functions given to Context::open_queue. Destroyed after the last of them returned.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller() = default;

  /// What /readyz and /livez ask. Must not take a lock that a sync holds while it waits.
  [[nodiscard]] virtual Status health() const { return {}; }

  /// The text of GET /debug/controllers/<name>/<path>; kNotFound when there is no such page. Called
  /// from a thread of the host's, at any time.
  [[nodiscard]] virtual Result<std::string> debug(std::string_view path,
                                                  std::string_view query) const {
    static_cast<void>(path);
    static_cast<void>(query);
    return Status(Code::kNotFound, "no such page");
  }
};

/// A controller, null when there is nothing to do here (see Context::skip), or why it cannot run.
using InitResult = Result<std::unique_ptr<Controller>>;

}  // namespace davit
