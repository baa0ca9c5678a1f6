/* davit/testing/cluster.h: the in-memory cluster of davit/testing/cluster.hpp for tests in C, Rust
 * and other languages, which link or open libdavit_testing.so.
 *
 * A cluster belongs to one thread. Nothing happens by itself and nothing takes time. Texts are
 * borrowed for the call; what is given out lives as long as the cluster. A mistake of the test,
 * such as a malformed object, is an error of the call, with the reason in `why` or on standard
 * error. */
#ifndef DAVIT_TESTING_CLUSTER_H_
#define DAVIT_TESTING_CLUSTER_H_

#include <davit/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAVIT_CLUSTER_FUNCTION __attribute__((visibility("default")))

typedef struct davit_cluster davit_cluster;

/* Makes a cluster whose controllers have this note; empty: everything is allowed. NULL: the host
 * would refuse the note. */
DAVIT_CLUSTER_FUNCTION davit_cluster* davit_cluster_open(davit_str note);
/* Ends the controllers and frees it. NULL does nothing. */
DAVIT_CLUSTER_FUNCTION void davit_cluster_close(davit_cluster* cluster);

/* Makes a controller and fills its caches; its syncs run later. `config` is JSON text, maybe empty.
 * The reason of a failure goes to `why`, which may be NULL. DAVIT_UNSUPPORTED: it was skipped. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_start(davit_cluster* cluster, davit_str name,
                                                      davit_init_fn init, davit_str config,
                                                      const davit_sink* why);
DAVIT_CLUSTER_FUNCTION void davit_cluster_stop(davit_cluster* cluster, davit_str name);
/* Replaces the running build of a controller, like a hot swap. After an error, whose reason goes
 * to `why`, the old build keeps running. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_swap(davit_cluster* cluster, davit_str name,
                                                     davit_init_fn init, davit_str config,
                                                     const davit_sink* why);
/* Gives a controller another configuration, JSON text, while it runs. DAVIT_UNSUPPORTED: the host
 * would swap. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_configure(davit_cluster* cluster, davit_str name,
                                                          davit_str config, const davit_sink* why);
/* Asks a controller for its health. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_health(davit_cluster* cluster, davit_str name,
                                                       const davit_sink* why);
/* Returns the HTTP status of GET /debug/controllers/<name>/<path>?<query>, and writes the page: for
 * 404 and 500 the reason. */
DAVIT_CLUSTER_FUNCTION int32_t davit_cluster_debug_page(davit_cluster* cluster, davit_str name,
                                                        davit_str path, davit_str query,
                                                        const davit_sink* content_type,
                                                        const davit_sink* body);
/* 0: the replica does not lead from now on; else it does, as at the beginning. */
DAVIT_CLUSTER_FUNCTION void davit_cluster_set_leading(davit_cluster* cluster, int32_t leads);
/* The number of lists of a resource, "widgets.example.com", that filled a cache; -1 after a
 * failure. */
DAVIT_CLUSTER_FUNCTION int32_t davit_cluster_lists(davit_cluster* cluster, davit_str resource);

/* Delivers events and runs timers and syncs until nothing is left that is due. Returns the number
 * of syncs; SIZE_MAX if a controller never becomes idle, or a mistake of the test shows. */
DAVIT_CLUSTER_FUNCTION size_t davit_cluster_run_until_idle(davit_cluster* cluster);
/* Moves the clock, and runs at each instant what is due then. DAVIT_INTERNAL: a controller never
 * becomes idle, or a mistake of the test shows. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_advance(davit_cluster* cluster, uint64_t ms);

/* Stores an object, JSON text, as if it had been in etcd before: nothing judges it. Replaces a
 * present one. A kind that is not served becomes a custom resource. DAVIT_INVALID: malformed JSON,
 * or a definition that the server refuses. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_add(davit_cluster* cluster, davit_str json);
/* The same for each document of a YAML text. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_add_yaml(davit_cluster* cluster, davit_str yaml);
/* Carries out a request of an administrator, "DELETE" and "/api/v1/namespaces/default/pods/web",
 * and returns the HTTP status; 0 after a failure of the cluster. A body needs its `content_type`.
 * `out` may be NULL; else it is the object of the response, absent if the body is not JSON. */
DAVIT_CLUSTER_FUNCTION int32_t davit_cluster_request(davit_cluster* cluster, davit_str method,
                                                     davit_str path, davit_str content_type,
                                                     davit_str body, davit_value* out);
/* The table that reads values of any cluster. */
DAVIT_CLUSTER_FUNCTION const davit_object_v1* davit_cluster_objects(void);

/* Makes the next requests of controllers fail, as often as `times`. `resource` "pods", `reason`
 * "Conflict". */
DAVIT_CLUSTER_FUNCTION void davit_cluster_fail_next(davit_cluster* cluster, int32_t verb,
                                                    davit_str resource, int32_t http_status,
                                                    davit_str reason, int32_t times);
/* Plays the servers outside the cluster. `serve` writes the body of the response and returns its
 * HTTP status; 0: no connection. */
DAVIT_CLUSTER_FUNCTION void davit_cluster_on_http(davit_cluster* cluster, void* self,
                                                  int32_t (*serve)(void* self, davit_str method,
                                                                   davit_str url, davit_str body,
                                                                   const davit_sink* response));

/* What has happened since the cluster was opened. */
enum {
  DAVIT_CLUSTER_REQUESTS = 1,   /* "patch replicasets/web/status 200" */
  DAVIT_CLUSTER_BODIES = 2,     /* of the same requests, in their order */
  DAVIT_CLUSTER_EVENTS = 3,     /* "Normal Created Created pod: web-x" */
  DAVIT_CLUSTER_FAILURES = 4,   /* of syncs: "default/web: its reason" */
  DAVIT_CLUSTER_LOG = 5,        /* "message key=value" */
  DAVIT_CLUSTER_METRICS = 6,    /* "name 3 label" */
  DAVIT_CLUSTER_HTTP = 7,       /* "PUT https://dns.example.com/a 200" */
  DAVIT_CLUSTER_VIOLATIONS = 8, /* what the note lacks */
  DAVIT_CLUSTER_UNUSED = 9      /* what the note declares and nothing has needed */
};
/* Writes each text with one call of `each`. DAVIT_MISUSE: there is no such kind of records. */
DAVIT_CLUSTER_FUNCTION davit_code davit_cluster_records(davit_cluster* cluster, int32_t kind,
                                                        const davit_sink* each);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DAVIT_TESTING_CLUSTER_H_ */
