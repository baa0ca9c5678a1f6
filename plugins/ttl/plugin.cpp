/// The plugin's entry: its note and the table of its controllers.
#include "plugins/ttl/note.hpp"

DAVIT_PLUGIN(davit::ttl::declare);
