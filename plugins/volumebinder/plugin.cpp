/// The plugin's entry: its note and the table of its controllers.
#include "plugins/volumebinder/note.hpp"

DAVIT_PLUGIN(davit::volumebinder::declare);
