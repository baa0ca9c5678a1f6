/// The plugin's entry: its note and the table of its controllers.
#include "plugins/admissionpolicy/note.hpp"

DAVIT_PLUGIN(davit::admissionpolicy::declare);
