/// The plugin's entry: its note and the table of its controllers.
#include "plugins/volumeprotection/note.hpp"

DAVIT_PLUGIN(davit::volumeprotection::declare);
