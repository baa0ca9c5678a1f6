/// The plugin's entry: its note and the table of its controllers.
#include "plugins/podgc/note.hpp"

DAVIT_PLUGIN(davit::podgc::declare);
