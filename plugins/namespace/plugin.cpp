/// The plugin's entry: its note and the table of its controllers.
#include "plugins/namespace/note.hpp"

DAVIT_PLUGIN(davit::namespaces::declare);
