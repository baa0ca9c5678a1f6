/// The caches and clients of a sync.
#pragma once

#include <davit/client.hpp>
#include <davit/event.hpp>
#include <davit/informer.hpp>
#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/log.hpp>
#include <davit/queue.hpp>
#include <davit/time.hpp>
#include <davit/write_window.hpp>

namespace davit::deployment {

/// Handles of one controller; the caches are the host's.
struct Cluster {
  Informer<Deployment> deployments;
  Informer<ReplicaSet> replica_sets;
  Informer<Pod> pods;
  Client client;
  EventRecorder events;
  Log log;
  Queue queue;                 ///< The Deployments' keys.
  WriteWindow& status_window;  ///< For writes that only count on.
};

}  // namespace davit::deployment
