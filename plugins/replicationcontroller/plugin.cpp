/// The plugin's entry: its note and the table of its controllers.
#include "plugins/replicationcontroller/note.hpp"

DAVIT_PLUGIN(davit::replicationcontroller::declare);
