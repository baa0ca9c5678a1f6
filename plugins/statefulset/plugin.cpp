/// The plugin's entry: its note and the table of its controllers.
#include "plugins/statefulset/note.hpp"

DAVIT_PLUGIN(davit::statefulset::declare);
