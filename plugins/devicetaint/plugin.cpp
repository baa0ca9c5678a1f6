/// The plugin's entry: its note and the table of its controllers.
#include "plugins/devicetaint/note.hpp"

DAVIT_PLUGIN(davit::devicetaint::declare);
