/// The plugin's entry: its note and the table of its controllers.
#include "plugins/deployment/note.hpp"

DAVIT_PLUGIN(davit::deployment::declare);
