/// The plugin's entry: its note and the table of its controllers.
#include "plugins/daemonset/note.hpp"

DAVIT_PLUGIN(davit::daemonset::declare);
