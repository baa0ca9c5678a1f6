/// The plugin's entry: its note and the table of its controllers.
#include "plugins/storageversion/note.hpp"

DAVIT_PLUGIN(davit::storageversion::declare);
