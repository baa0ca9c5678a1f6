/* A plugin in C that is good, or bad in the one way that the build asks for. */
#include <davit/abi.h>

#ifndef SAMPLE_NOTE
#define SAMPLE_NOTE                                                                  \
  "{\"name\":\"sample\",\"version\":\"1.2.3\",\"abi\":\"1.0\","                      \
  "\"requires\":[\"davit.log/1\"],\"controllers\":[{\"name\":\"sample-controller\"," \
  "\"aliases\":[\"sample\"],\"workers\":3,"                                          \
  "\"rules\":[{\"group\":\"\",\"resource\":\"pods\",\"verbs\":[\"create\"]}],"       \
  "\"watches\":[{\"group\":\"apps\",\"version\":\"v1\",\"resource\":\"deployments\"}]}]}"
#endif
#ifndef SAMPLE_WITHOUT_NOTE
DAVIT_NOTE(SAMPLE_NOTE);
#endif

#ifdef SAMPLE_THREAD
#include <pthread.h>
static void* work(void* argument) { return argument; }
static int start_thread(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, work, NULL);
}
#endif
#ifdef SAMPLE_SIGNAL
#include <signal.h>
#endif
#ifdef SAMPLE_STATIC_TLS
extern __thread int sample_counter;
__thread int sample_counter __attribute__((tls_model("initial-exec"), visibility("hidden")));
#endif
#ifdef SAMPLE_UNDEFINED
extern int nobody_defines_this(void);
#endif

#if defined(SAMPLE_HANGS) || defined(SAMPLE_INIT_HANGS)
#include <string.h>
#include <unistd.h>
static void hang(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
  for (;;) pause();
}
#endif
#ifdef SAMPLE_HANGS
__attribute__((constructor)) static void hang_in_constructor(void) { hang("in the constructor\n"); }
#endif

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  (void)call;
  (void)context;
  (void)out;
#ifdef SAMPLE_INIT_HANGS
  hang("in the InitFunc\n");
#endif
#ifdef SAMPLE_THREAD
  if (start_thread() != 0) return DAVIT_FAILED;
#endif
#ifdef SAMPLE_SIGNAL
  signal(SIGUSR1, SIG_IGN);
#endif
#ifdef SAMPLE_STATIC_TLS
  sample_counter++;
#endif
#ifdef SAMPLE_UNDEFINED
  return nobody_defines_this();
#endif
  return DAVIT_SKIPPED;
}

#ifdef SAMPLE_SECOND_EXPORT
DAVIT_EXPORT int sample_extra(void);
int sample_extra(void) { return 1; }
#endif

#ifndef SAMPLE_ROW
#define SAMPLE_ROW "sample-controller"
#endif

static const davit_row rows[] = {{{SAMPLE_ROW, sizeof(SAMPLE_ROW) - 1}, init}};
#ifndef SAMPLE_ROW_SIZE
#define SAMPLE_ROW_SIZE sizeof(davit_row)
#endif
static const davit_plugin plugin = {sizeof(davit_plugin), SAMPLE_ROW_SIZE, rows, 1};

#ifdef SAMPLE_WITHOUT_ENTRY
const davit_plugin* sample_entry(void);
const davit_plugin* sample_entry(void) { return &plugin; }
#else
const davit_plugin* davit_plugin_v1(void) {
#ifdef SAMPLE_NULL_TABLE
  return plugin.size == 0 ? &plugin : NULL;
#else
  return &plugin;
#endif
}
#endif
