/// Keeps the catalog of the server's resources current.
#pragma once

#include <davit/result.hpp>
#include <stop_token>
#include <string>
#include <thread>

#include "host/api/discovery.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Refreshes a Discovery every kPeriod, and soon after Discovery::request_refresh(). Discovery
/// itself notifies its listeners. One for the whole process, however many controllers listen; the
/// host starts it when the first one does.
///
/// A poll rather than a watch on CustomResourceDefinitions and APIServices: it needs no right that
/// not every identity has, it sees aggregated servers fail and recover, which changes none of these
/// objects, and it cannot be too early (discovery follows such objects with a delay). It costs two
/// requests on servers with aggregated discovery. A controller that watches definitions itself
/// requests a refresh when one changes.
class DiscoveryPoll {
 public:
  /// The period of kube-controller-manager's RESTMapper and of its garbage collector.
  static constexpr Duration kPeriod = std::chrono::seconds(30);
  /// The shortest time between two refreshes: a chart with fifty definitions is one or two
  /// refreshes, not fifty.
  static constexpr Duration kGapMin = std::chrono::seconds(1);
  /// A requested refresh is repeated once, after this time: what a definition offers appears in
  /// discovery later than the definition itself changes.
  static constexpr Duration kSecondLook = std::chrono::seconds(2);

  /// The references must outlive this.
  DiscoveryPoll(Discovery& discovery, Clock& clock, Logger log);
  DiscoveryPoll(const DiscoveryPoll&) = delete;
  DiscoveryPoll& operator=(const DiscoveryPoll&) = delete;

  /// Starts the thread; the destructor ends it. kUnavailable: the system has none.
  Status start();

  /// Refreshes if that is due or requested. Returns when to call again at the latest. Belongs
  /// to one thread: that of start(), or the caller's without start().
  Time step(const std::stop_token& stop);

 private:
  void run(const std::stop_token& stop);

  Discovery& discovery_;
  Clock& clock_;
  const Logger log_;
  Time due_ = Time::min();       // The next refresh without a request.
  Time earliest_ = Time::min();  // The next refresh with one.
  Time repeat_ = Time::max();    // The second look, if one is due.
  std::string failure_;          // The last failure that was logged; a repeated one is not.
  std::jthread thread_;          // Last: it uses the others.
};

}  // namespace davit::host
