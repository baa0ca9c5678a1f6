# davit_library(NAME SOURCES ... DEPS ...): one folder of the host as a static library.
function(davit_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC davit_options davit_sdk_library Threads::Threads ${ARG_DEPS})
  if(DAVIT_PCH)
    target_precompile_headers(${name} REUSE_FROM davit_library_pch)
  endif()
endfunction()

# Precompiled headers halve what a build takes on a small machine, and joining sources (CMAKE_UNITY_BUILD) halves it again:
# most of a file's time are headers. The preset release joins only: no precompiled header may hide a missing include of the
# standard library. The presets clang and tidy compile file by file.
if(DAVIT_PCH)
  add_library(davit_library_pch OBJECT EXCLUDE_FROM_ALL cmake/precompiled.cpp)
  target_link_libraries(davit_library_pch PRIVATE davit_options davit_sdk)
  target_precompile_headers(davit_library_pch PRIVATE <algorithm> <chrono> <functional> <map> <memory> <mutex> <optional>
    <string> <thread> <vector>)
  set(davit_pchs davit_library_pch)
  if(DAVIT_TESTS)
    # Not an object library: those are compiled to be put into anything, programs are not.
    add_executable(davit_test_pch EXCLUDE_FROM_ALL cmake/precompiled.cpp)
    target_link_libraries(davit_test_pch PRIVATE davit_options davit_test_options davit_sdk GTest::gmock GTest::gtest_main)
    target_compile_options(davit_test_pch PRIVATE ${DAVIT_TEST_OPTIONS})
    target_precompile_headers(davit_test_pch PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono> <functional> <map>
      <memory> <mutex> <optional> <string> <thread> <vector>)
    list(APPEND davit_pchs davit_test_pch)
  endif()
  if(DAVIT_CCACHE)
    set(launcher ${CMAKE_COMMAND} -E env DAVIT_ROOT=${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/cmake/precompiled_sum.sh
      ${CMAKE_CXX_COMPILER_LAUNCHER})
    set_target_properties(${davit_pchs} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  endif()
endif()

# davit_rapidjson_sources(FILE ...): sources of this folder that include RapidJSON. It compares an empty stack's null pointer
# plus an offset, which a sanitizer reports, and the linker may take any source's copy of that function.
function(davit_rapidjson_sources)
  if(DAVIT_SANITIZER)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=pointer-overflow)
  endif()
endfunction()

# davit_program(NAME): what every program of the tree needs, davit and tests.
function(davit_program name)
  if(DAVIT_SANITIZER MATCHES address)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/sanitizer_options.cpp)
  endif()
endfunction()

# Builds every test program that runs under TSan.
add_custom_target(tsan_tests)
# Sets of .ci/run (.ci/sets) build these: the programs of live tests, and all others that may start threads.
add_custom_target(live_tests)
add_custom_target(threaded_tests)

# Makes ctest know the tests of `filter` by names with `prefix`. `fixture` is a filter for a test that runs before them, or "";
# the properties are those of the fixture where there is one, else of all.
function(davit_discover_tests name prefix filter fixture)
  # A listing takes long on a busy machine: five seconds, the default, were too few.
  set(discovery TEST_PREFIX "${prefix}" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)
  if(NOT fixture)
    gtest_discover_tests(${name} ${discovery} TEST_FILTER "${filter}" PROPERTIES ${ARGN})
    return()
  endif()
  cmake_parse_arguments(ARG "" "LABELS;ENVIRONMENT" "" ${ARGN})
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "${fixture}" PROPERTIES ${ARGN} FIXTURES_SETUP ${prefix}fixture)
  if(ARG_ENVIRONMENT)
    set(environment ENVIRONMENT ${ARG_ENVIRONMENT})
  endif()
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "${filter}" PROPERTIES LABELS ${ARG_LABELS} TIMEOUT 60
    ${environment} FIXTURES_REQUIRED ${prefix}fixture)
endfunction()

# davit_test(NAME [APART] [SINGLE_THREADED] [EACH] SOURCES ... DEPS ... LABELS ... LOCK ... FIXTURE ... OLDEST ...): one test
# program. The unit tests of a program, which is without LABELS, run in one process, and ctest knows the program by its name. It
# knows each of the other tests by name, and runs it in its own process.
# ENVIRONMENT: a variable for the tests of EACH, as NAME=VALUE.
# EACH: its tests take seconds, so that ctest knows each of them though they are unit tests.
# APART: its sources are never joined, since they use the same short names (Case, kCases) for their tables.
# SINGLE_THREADED: its tests start no threads, so TSan cannot find anything in them and leaves them out. The program aborts at
# the start of a thread. The unit tests of all other programs have the label unit_with_threads.
# LOCK: live tests with the same one never run at once. There are three, and each is held for about as long as the others:
# control_plane, which is the default, second_control_plane and, with all tests of the oldest server, third_control_plane.
# FIXTURE: a filter for the test that runs before all others of the program, and leaves in files what they look at.
# OLDEST: a filter for the tests that ctest also knows as `oldest.NAME.…`, which run on the server of DAVIT_OLDEST_ASSETS. A
# suite whose name has OldServer in it runs only there.
function(davit_test name)
  cmake_parse_arguments(ARG "APART;SINGLE_THREADED;EACH" "LOCK;FIXTURE;OLDEST;ENVIRONMENT" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  davit_program(${name})
  if(ARG_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  target_link_libraries(${name} PRIVATE davit_options davit_test_options davit_sdk_library GTest::gmock GTest::gtest_main
    Threads::Threads ${ARG_DEPS})
  target_compile_options(${name} PRIVATE ${DAVIT_TEST_OPTIONS})
  if(DAVIT_PCH)
    target_precompile_headers(${name} REUSE_FROM davit_test_pch)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_LABELS MATCHES "^(unit|system|server|live|validate)$")
    message(FATAL_ERROR "${name}: no set of .ci/sets selects tests with the label ${ARG_LABELS}.")
  endif()
  if(ARG_LABELS STREQUAL live)
    add_dependencies(live_tests ${name})
  elseif(NOT ARG_SINGLE_THREADED)
    add_dependencies(threaded_tests ${name})
    string(REGEX REPLACE "^unit$" "unit_with_threads" ARG_LABELS ${ARG_LABELS})
  endif()
  if(ARG_SINGLE_THREADED)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/single_thread.cpp)
    if(DAVIT_SANITIZER STREQUAL thread)
      return() # ctest does not know them there, and nothing builds them.
    endif()
  elseif(ARG_LABELS MATCHES "unit|system")
    add_dependencies(tsan_tests ${name})
  endif()
  set(properties LABELS "${ARG_LABELS}" TIMEOUT 600)
  if(ARG_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${ARG_ENVIRONMENT}")
  endif()
  if(ARG_LABELS MATCHES "^unit" AND NOT ARG_EACH)
    # The start of a process takes a third of a second under ASan, most unit tests a millisecond.
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${properties} ENVIRONMENT GTEST_BRIEF=1)
    return()
  endif()
  if(live IN_LIST ARG_LABELS)
    # Each has a control plane of its own, and waits for two thirds of its time: three at a time on two cores. They take the
    # longest by far, so they begin first and the others run beside them.
    if(NOT ARG_LOCK)
      set(ARG_LOCK control_plane)
    endif()
    set(properties LABELS live TIMEOUT 1800 RESOURCE_LOCK ${ARG_LOCK} COST 1000)
  endif()
  set(filter "*-*OldServer*")
  if(ARG_FIXTURE)
    string(APPEND filter ":${ARG_FIXTURE}")
  endif()
  davit_discover_tests(${name} "${name}." "${filter}" "${ARG_FIXTURE}" ${properties})
  if(ARG_OLDEST)
    list(TRANSFORM properties REPLACE "^${ARG_LOCK}$" third_control_plane)
    davit_discover_tests(${name} "oldest.${name}." "${ARG_OLDEST}" "${ARG_FIXTURE}" ${properties}
      ENVIRONMENT DAVIT_LIVE_SERVER=oldest)
  endif()
endfunction()

# davit_target_of_folder(NAME FOLDER [TARGET...]): a target that builds everything in FOLDER, which the default target leaves
# out, except each TARGET.
function(davit_target_of_folder name folder)
  if(NOT TARGET ${name})
    add_custom_target(${name})
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  if(targets AND ARGN)
    list(REMOVE_ITEM targets ${ARGN})
  endif()
  if(targets)
    add_dependencies(${name} ${targets})
  endif()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    davit_target_of_folder(${name} ${below} ${ARGN})
  endforeach()
endfunction()
