# davit_rust_plugin(NAME SOURCE FILE): a controller plugin NAME.so from one Rust file, with rustc alone; `use davit` is the
# crate that is installed with davit. Further modules of the plugin are found from FILE as Rust finds them.
if(NOT DAVIT_RUST_CRATE)
  set(DAVIT_RUST_CRATE ${CMAKE_CURRENT_LIST_DIR}/rust/davit.rs) # Where it is installed.
endif()
function(davit_rust_plugin name)
  cmake_parse_arguments(ARG "" "SOURCE" "" ${ARGN})
  find_program(RUSTC rustc REQUIRED)
  set(flags --edition=2021 -O -C panic=unwind)
  set(crate ${CMAKE_CURRENT_BINARY_DIR}/libdavit.rlib) # One for all plugins of a folder.
  set(plugin ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  string(MAKE_C_IDENTIFIER ${name} crate_name)
  cmake_path(GET DAVIT_RUST_CRATE PARENT_PATH sources)
  file(GLOB modules CONFIGURE_DEPENDS ${sources}/*.rs)
  add_custom_command(OUTPUT ${crate} DEPENDS ${modules} VERBATIM
    COMMAND ${RUSTC} ${flags} --crate-type=rlib --crate-name=davit -o ${crate} ${DAVIT_RUST_CRATE})
  add_custom_command(OUTPUT ${plugin} DEPENDS ${ARG_SOURCE} ${crate} VERBATIM
    DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${name}.d
    COMMAND ${RUSTC} ${flags} --crate-type=cdylib --crate-name=${crate_name} --extern davit=${crate}
      --emit=link=${plugin},dep-info=${CMAKE_CURRENT_BINARY_DIR}/${name}.d
      ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE})
  add_custom_target(${name} ALL DEPENDS ${plugin})
endfunction()
