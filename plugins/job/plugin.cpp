/// The plugin's entry: its note and the table of its controllers.
#include "plugins/job/note.hpp"

DAVIT_PLUGIN(davit::job::declare);
