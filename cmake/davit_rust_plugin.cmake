# davit_rust_plugin(NAME CARGO): a controller plugin NAME.so from the Cargo package in this folder, which has the same name and finds
# davit's crate as { path = ".davit" }. Nothing is downloaded. DAVIT_CARGO_NAME becomes the command that calls cargo.
# davit_rust_plugin(NAME SOURCE FILE): a controller plugin NAME.so from one Rust file, with rustc alone; `use davit` is the
# crate that is installed with davit. Further modules of the plugin are found from FILE as Rust finds them.
if(NOT DAVIT_RUST_CRATE)
  set(DAVIT_RUST_CRATE ${CMAKE_CURRENT_LIST_DIR}/rust/src/lib.rs) # Where it is installed.
endif()
function(davit_cargo_plugin_ name)
  find_program(CARGO cargo REQUIRED)
  cmake_path(GET DAVIT_RUST_CRATE PARENT_PATH sources)
  cmake_path(GET sources PARENT_PATH crate)
  set(link ${CMAKE_CURRENT_SOURCE_DIR}/.davit)
  if(EXISTS ${link} AND NOT IS_SYMLINK ${link})
    message(FATAL_ERROR "${link} is in the way of the link to davit's crate: move it")
  endif()
  file(CREATE_LINK ${crate} ${link} SYMBOLIC)
  set(target ${CMAKE_CURRENT_BINARY_DIR}/cargo)
  set(command ${CMAKE_COMMAND} -E env CARGO_TARGET_DIR=${target} ${CARGO})
  set(profile release)
  set(flags --release)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(profile debug)
    set(flags "")
  endif()
  string(REPLACE - _ library ${name})
  # Cargo knows what is up to date.
  add_custom_target(${name} ALL WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM
    BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.so
    COMMAND ${command} build --offline ${flags} --lib
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${target}/${profile}/lib${library}.so
      ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  set(DAVIT_CARGO_${name} ${CMAKE_COMMAND} -E chdir ${CMAKE_CURRENT_SOURCE_DIR} ${command} PARENT_SCOPE)
endfunction()
function(davit_rust_plugin name)
  cmake_parse_arguments(ARG "CARGO" "SOURCE" "" ${ARGN})
  if(ARG_CARGO)
    davit_cargo_plugin_(${name})
    set(DAVIT_CARGO_${name} ${DAVIT_CARGO_${name}} PARENT_SCOPE)
    return()
  endif()
  find_program(RUSTC rustc REQUIRED)
  set(flags --edition=2021 -O -C panic=unwind)
  set(crate ${CMAKE_CURRENT_BINARY_DIR}/libdavit.rlib) # One for all plugins of a folder.
  set(plugin ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  string(MAKE_C_IDENTIFIER ${name} crate_name)
  cmake_path(GET DAVIT_RUST_CRATE PARENT_PATH sources)
  file(GLOB_RECURSE modules CONFIGURE_DEPENDS ${sources}/*.rs)
  add_custom_command(OUTPUT ${crate} DEPENDS ${modules} VERBATIM
    COMMAND ${RUSTC} ${flags} --crate-type=rlib --crate-name=davit -o ${crate} ${DAVIT_RUST_CRATE})
  add_custom_command(OUTPUT ${plugin} DEPENDS ${ARG_SOURCE} ${crate} VERBATIM
    DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${name}.d
    COMMAND ${RUSTC} ${flags} --crate-type=cdylib --crate-name=${crate_name} --extern davit=${crate}
      --emit=link=${plugin},dep-info=${CMAKE_CURRENT_BINARY_DIR}/${name}.d
      ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE})
  add_custom_target(${name} ALL DEPENDS ${plugin})
endfunction()
