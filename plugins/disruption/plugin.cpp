/// The plugin's entry: its note and the table of its controllers.
#include "plugins/disruption/note.hpp"

DAVIT_PLUGIN(davit::disruption::declare);
