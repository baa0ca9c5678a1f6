#include <gtest/gtest.h>

#include <thread>

#include "sandbox/controllers/event_expiry.hpp"
#include "tests/sandbox/controllers/cluster.hpp"

namespace davit::sandbox {
namespace {

TEST(ControllersThreadTest, RunStepsWhenSomethingChangesOrIsDue) {
  Cluster cluster;
  Mutex mutex;
  CondVar changed;
  bool gone = false;
  const auto subscription = cluster.store.subscribe({"", "events"}, [&] {
    MutexLock lock(mutex);
    gone = cluster.store.list({"", "events"}, "").objects.empty();
    changed.notify_all();
  });
  std::jthread thread([&](const std::stop_token& stop) { cluster.controllers().run(stop); });
  cluster.create("/api/v1/namespaces/default/events",
                 R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}})");
  cluster.clock.await_deadline(cluster.clock.now() + kEventLifetime);
  cluster.clock.advance(kEventLifetime);
  {
    MutexLock lock(mutex);
    while (!gone) changed.wait(mutex);
  }
  thread.request_stop();
}

}  // namespace
}  // namespace davit::sandbox
