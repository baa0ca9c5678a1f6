/// The plugin's entry: its note, and the table with its one controller.
#include <davit/entry.hpp>

#include "plugins/garbagecollector/garbage_collector.hpp"
#include "plugins/garbagecollector/note.hpp"

DAVIT_PLUGIN(DAVIT_GARBAGECOLLECTOR_NOTE,
             {"garbage-collector-controller", &davit::garbage::GarbageCollector::open});
