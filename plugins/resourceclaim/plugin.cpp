/// The plugin's entry: its note and the table of its controllers.
#include "plugins/resourceclaim/note.hpp"

DAVIT_PLUGIN(davit::resourceclaim::declare);
