/// The plugin's entry: its note and the table of its controllers.
#include "plugins/replicaset/note.hpp"

DAVIT_PLUGIN(davit::replicaset::declare);
