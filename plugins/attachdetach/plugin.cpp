/// The plugin's entry: its note and the table of its controllers.
#include "plugins/attachdetach/note.hpp"

DAVIT_PLUGIN(davit::attachdetach::declare);
