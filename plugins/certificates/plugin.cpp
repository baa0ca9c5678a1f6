/// The plugin's entry: its note and the table of its controllers.
#include "plugins/certificates/note.hpp"

DAVIT_PLUGIN(davit::certificates::declare);
