/// The plugin's entry: its note and the table of its controllers.
#include "plugins/podautoscaler/note.hpp"

DAVIT_PLUGIN(davit::podautoscaler::declare);
