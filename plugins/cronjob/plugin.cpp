/// The plugin's entry: its note and the table of its controllers.
#include "plugins/cronjob/note.hpp"

DAVIT_PLUGIN(davit::cronjob::declare);
