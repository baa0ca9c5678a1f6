/// The plugin's entry: its note and the table of its controllers.
#include "plugins/garbagecollector/note.hpp"

DAVIT_PLUGIN(davit::garbage::declare);
