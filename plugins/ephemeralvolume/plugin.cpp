/// The plugin's entry: its note and the table of its controllers.
#include "plugins/ephemeralvolume/note.hpp"

DAVIT_PLUGIN(davit::ephemeralvolume::declare);
