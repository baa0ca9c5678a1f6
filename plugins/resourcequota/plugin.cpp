/// The plugin's entry: its note and the table of its controllers.
#include "plugins/resourcequota/note.hpp"

DAVIT_PLUGIN(davit::resourcequota::declare);
