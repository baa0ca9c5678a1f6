/// The plugin's entry: its note and the table of its controllers.
#include "plugins/serviceaccount/note.hpp"

DAVIT_PLUGIN(davit::serviceaccount::declare);
