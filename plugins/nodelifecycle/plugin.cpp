/// The plugin's entry: its note, and the table of its controllers.
#include <davit/entry.hpp>

#include "plugins/nodelifecycle/node_lifecycle_controller.hpp"
#include "plugins/nodelifecycle/note.hpp"
#include "plugins/nodelifecycle/taint_eviction_controller.hpp"

DAVIT_PLUGIN(DAVIT_NODELIFECYCLE_NOTE,
             {"node-lifecycle-controller", &davit::nodelifecycle::NodeLifecycleController::open},
             {"taint-eviction-controller", &davit::nodelifecycle::TaintEvictionController::open});
