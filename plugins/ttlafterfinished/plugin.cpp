/// The plugin's entry: its note and the table of its controllers.
#include "plugins/ttlafterfinished/note.hpp"

DAVIT_PLUGIN(davit::ttlafterfinished::declare);
