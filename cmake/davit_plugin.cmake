# davit_plugin(NAME SOURCES ... [DEPS ...]): a controller plugin NAME.so with the flags that make it loadable and
# unloadable: hidden visibility, one exported symbol, no undefined symbols, no unique symbols. Sources are C or C++; C++
# plugins place their ELF note and table with DAVIT_PLUGIN of <davit/entry.hpp>. With DAVIT_PLUGIN_PCH, which `davit dev`
# sets, that header is precompiled: it is half of what a small plugin takes to compile, at each save.
function(davit_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/davit_plugin.map)
  add_library(${name} MODULE ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${exports})
  target_link_libraries(${name} PRIVATE davit::sdk ${ARG_DEPS})
  if(TARGET davit_options)
    target_link_libraries(${name} PRIVATE davit_options) # Warnings and sanitizers, inside davit's own tree.
  endif()
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  set(cxx_sources ${ARG_SOURCES})
  list(FILTER cxx_sources INCLUDE REGEX "\\.(cc|cpp|cxx)$")
  if(DAVIT_PLUGIN_PCH AND cxx_sources)
    target_precompile_headers(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<davit/entry.hpp$<ANGLE-R>>)
  endif()
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  if(NOT DAVIT_SANITIZER)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
