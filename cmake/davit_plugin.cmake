# davit_plugin(NAME SOURCES ... [DEPS ...]): a controller plugin NAME.so with the flags that make it loadable and
# unloadable: hidden visibility, one exported symbol, no undefined symbols, no unique symbols.
set(DAVIT_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/davit_plugin.map)

function(davit_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${DAVIT_PLUGIN_EXPORTS})
  target_link_libraries(${name} PRIVATE davit::sdk ${ARG_DEPS})
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE -Wl,--version-script=${DAVIT_PLUGIN_EXPORTS})
  if(NOT DAVIT_SANITIZER)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
