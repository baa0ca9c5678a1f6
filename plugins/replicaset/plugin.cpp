/// The plugin's entry: its note, and the table with its one controller.
#include <davit/entry.hpp>

#include "plugins/replicaset/note.hpp"
#include "plugins/replicaset/replicaset_controller.hpp"

DAVIT_PLUGIN(DAVIT_REPLICASET_NOTE,
             {"replicaset-controller", &davit::replicaset::ReplicaSetController::open});
