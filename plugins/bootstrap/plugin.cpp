/// The plugin's entry: its note and the table of its controllers.
#include "plugins/bootstrap/note.hpp"

DAVIT_PLUGIN(davit::bootstrap::declare);
