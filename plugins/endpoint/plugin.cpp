/// The plugin's entry: its note and the table of its controllers.
#include "plugins/endpoint/note.hpp"

DAVIT_PLUGIN(davit::endpoint::declare);
