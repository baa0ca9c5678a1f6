/// The plugin's entry: its note and the table of its controllers.
#include "plugins/servicecidr/note.hpp"

DAVIT_PLUGIN(davit::servicecidr::declare);
