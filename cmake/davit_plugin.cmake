# davit_plugin(NAME SOURCES ... [DEPS ...] [CONFIG FILE] [NO_START_CHECK]): a controller plugin NAME.so with the flags that make it
# loadable and unloadable: hidden visibility, one exported symbol, no undefined symbols, no unique symbols. Sources are C or C++; C++
# plugins place their ELF note and table with DAVIT_PLUGIN of <davit/entry.hpp>. With DAVIT_PLUGIN_PCH, which `davit dev`
# sets, that header is precompiled: it is half of what a small plugin takes to compile, at each save.
function(davit_plugin name)
  cmake_parse_arguments(ARG "NO_START_CHECK" "CONFIG" "SOURCES;DEPS" ${ARGN})
  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/davit_plugin.map)
  add_library(${name} MODULE ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${exports})
  set(cxx_sources ${ARG_SOURCES})
  list(FILTER cxx_sources INCLUDE REGEX "\\.(cc|cpp|cxx)$")
  if(cxx_sources)
    target_link_libraries(${name} PRIVATE ${ARG_DEPS} davit::sdk_library)
  else() # Without C++'s library.
    target_link_libraries(${name} PRIVATE ${ARG_DEPS} davit::sdk)
  endif()
  if(TARGET davit_options)
    target_link_libraries(${name} PRIVATE davit_options) # Warnings and sanitizers, inside davit's own tree.
  endif()
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  if(DAVIT_PLUGIN_PCH AND cxx_sources)
    target_precompile_headers(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<davit/entry.hpp$<ANGLE-R>>)
  endif()
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  if(NOT DAVIT_SANITIZER)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  # Starts the plugin, with the configuration if it needs one. `davit dev` starts it anyway, and tests do it inside davit's own
  # tree.
  if(NOT ARG_NO_START_CHECK AND NOT DAVIT_PLUGIN_PCH AND NOT TARGET davit_options AND NOT CMAKE_CROSSCOMPILING
      AND EXISTS "${DAVIT_PROGRAM}")
    set(config "")
    if(ARG_CONFIG)
      cmake_path(ABSOLUTE_PATH ARG_CONFIG OUTPUT_VARIABLE config)
    endif()
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND} -DPROGRAM=${DAVIT_PROGRAM}
      -DPLUGIN=$<TARGET_FILE:${name}> -DCONFIG=${config} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/davit_check_plugin.cmake)
  endif()
endfunction()
