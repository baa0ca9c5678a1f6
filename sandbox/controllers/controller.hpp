/// The interface of a controller inside the sandbox: it observes changes, then acts.
#pragma once

#include <functional>
#include <memory>

#include "sandbox/controllers/api_writer.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The dependencies of the controllers, which they must outlive.
struct ControllerParts {
  Store& store;
  /// The server that receives their writes, without injected faults.
  HttpHandler& server;
  Clock& clock;
  std::function<std::shared_ptr<const ResourceSet>()> resources;
};

/// One controller. All calls come from one thread.
class Controller {
 public:
  Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  virtual ~Controller() = default;

  /// Discards all knowledge of the collection; its objects follow as kAdded.
  virtual void on_relist(const Collection& collection) = 0;
  virtual void observe(const Collection& collection, const Change& change) = 0;
  /// Does the work that is due. Returns when to call it again even if nothing changes; Time::max():
  /// never.
  [[nodiscard]] virtual Time act(Time now) = 0;
};

}  // namespace davit::sandbox
