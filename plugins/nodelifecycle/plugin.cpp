/// The plugin's entry: its note and the table of its controllers.
#include "plugins/nodelifecycle/note.hpp"

DAVIT_PLUGIN(davit::nodelifecycle::declare);
