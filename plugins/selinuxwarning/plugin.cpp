/// The plugin's entry: its note and the table of its controllers.
#include "plugins/selinuxwarning/note.hpp"

DAVIT_PLUGIN(davit::selinuxwarning::declare);
