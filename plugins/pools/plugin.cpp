/// The plugin's entry: its note and the table of its controllers.
#include "plugins/pools/note.hpp"

DAVIT_PLUGIN(davit::pools::declare);
