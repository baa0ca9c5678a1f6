/// The plugin's entry: its note and the table of its controllers.
#include "plugins/nodeipam/note.hpp"

DAVIT_PLUGIN(davit::nodeipam::declare);
