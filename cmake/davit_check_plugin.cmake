# cmake -DPROGRAM=… -DPLUGIN=… [-DCONFIG=…] -P davit_check_plugin.cmake: starts a plugin that was just built on the cluster in
# memory, so that an informer that the note does not declare is an error of the build. Prints nothing if all is well.
set(options "")
if(CONFIG)
  set(options --config ${CONFIG})
endif()
execute_process(COMMAND ${PROGRAM} plugin validate --check init ${options} ${PLUGIN} RESULT_VARIABLE result OUTPUT_VARIABLE text
  ERROR_VARIABLE text)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The plugin does not start:\n${text}\nCorrect the function that DAVIT_PLUGIN names. If the plugin needs a "
    "configuration to start, add CONFIG FILE to davit_plugin(); if it cannot start here, NO_START_CHECK.")
endif()
