/// The plugin's entry: its note and the table of its controllers.
#include "plugins/cloud/note.hpp"

DAVIT_PLUGIN(davit::cloud::declare);
