/* davit/cloud.h: providers of a cloud, an addition to abi.h in plain C11. Its conventions, marks and rules are those of abi.h.
 *
 * A provider is a controller that offers the optional side "davit.cloud-provider/1" (davit_controller.capability()). The
 * loops of a cloud, which decide what has to be done for which object, are controllers of another plugin. They reach the
 * provider through the host alone, by "davit.cloud/1": neither plugin holds a pointer into the other, and each is swapped
 * by itself.
 *
 * Notes. A provider's plugin requires "davit.cloud-host/1": the host makes such controllers before all others, so that the
 * loops find in their init what is offered. A loop's plugin requires "davit.cloud/1". There is at most one provider at a
 * time: the init of a second one fails.
 */
#ifndef DAVIT_CLOUD_H_
#define DAVIT_CLOUD_H_

#include <davit/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* davit_call.kind of a call of a provider. Host functions with the mark `sync` take such a call, too. */
enum { DAVIT_CALL_PROVIDER = 7 };

/* What a provider may offer, as bits. The set is open. */
enum { DAVIT_CLOUD_LOAD_BALANCERS = 1, DAVIT_CLOUD_INSTANCES = 2, DAVIT_CLOUD_ROUTES = 4 };

enum {
  DAVIT_CLOUD_ANSWER_BYTES_MAX = 1048576,   /* 1 MiB; a longer answer is not valid */
  DAVIT_CLOUD_ROUTES_BYTES_MAX = 16777216,  /* 16 MiB, for a list of routes: ten thousand fit */
  DAVIT_CLOUD_RETRY_AFTER_MS_MAX = 3600000, /* 1 h; what is longer is cut */
  DAVIT_CLOUD_BUSY_MS =
      1000 /* when to ask again while a provider is being swapped or is not ready */
};

/* The answer of a provider besides its code and text. Zero before each call. */
typedef struct davit_cloud_answer {
  uint32_t size;
  int32_t exists;    /* get and exists, with DAVIT_OK: 1 it is there; shutdown: 1 it is off */
  int32_t elsewhere; /* with DAVIT_OK: it belongs to somebody else, and nothing is to be done */
  uint32_t reserved;
  uint64_t
      retry_after_ms; /* with a failing code: again after exactly this time; 0: with back-off */
} davit_cloud_answer;

/* ---- The side of the provider: "davit.cloud-provider/1" ---------------------------------------------------------- */

/* Load balancers for Services. `service` and the Nodes are what the loop has in its cache, seen through the projections of
 * the provider's own watches: a provider reads what its note declares. They are borrowed until the call returns.
 *
 * Each function runs on a thread of the loop, may wait, has no time limit, and ends early when cancelled(call) becomes 1:
 * the host stops, or a swap of either plugin waits for it. Many run at once, never two for one Service. Only the leader's
 * loops call, and not before the provider's informers have synced and its handlers have seen every object.
 *
 * Codes. DAVIT_NOT_FOUND: it is not there, which is no failure. DAVIT_UNSUPPORTED: as if the part were not offered.
 * DAVIT_UNAVAILABLE and every unknown code: try again with back-off, never "it is not there". Say why through
 * davit_context.error_text; people read it in Events. DAVIT_CANCELLED counts while cancelled(call) is 1; otherwise it is
 * DAVIT_UNAVAILABLE. An exception or panic that escapes counts as DAVIT_INTERNAL, and the
 * provider is not called again before it is swapped or restarted.
 *
 * `status` takes a core/v1 LoadBalancerStatus as JSON, "{}" included. The host judges it before a loop sees it. */
typedef struct davit_load_balancers {
  uint32_t size;
  uint32_t reserved;
  /* Whether the Service has a load balancer, and its status if it has. @call(host; blocking) */
  davit_code (*get)(void* self, const davit_call* call, davit_str cluster, davit_value service,
                    davit_cloud_answer* answer, const davit_sink* status);
  /* Makes the load balancer, or brings it to what the Service asks for. Idempotent. The status is required unless it is
   * somebody else's. @call(host; blocking) */
  davit_code (*ensure)(void* self, const davit_call* call, davit_str cluster, davit_value service,
                       const davit_list* nodes, davit_cloud_answer* answer,
                       const davit_sink* status);
  /* The set of Nodes alone has changed. @call(host; blocking) */
  davit_code (*update)(void* self, const davit_call* call, davit_str cluster, davit_value service,
                       const davit_list* nodes, davit_cloud_answer* answer);
  /* Removes the load balancer. There is none: DAVIT_OK. @call(host; blocking) */
  davit_code (*remove)(void* self, const davit_call* call, davit_str cluster, davit_value service,
                       davit_cloud_answer* answer);
} davit_load_balancers;

/* The machines of Nodes. The rules are those of davit_load_balancers; never two of these calls run for one Node: while one
 * does, the host answers the next itself, with DAVIT_UNAVAILABLE.
 *
 * A Node that is not Ready is DELETED when exists() says that its machine is not there: DAVIT_OK with exists 0, or
 * DAVIT_NOT_FOUND. A provider that is not sure, since its listing is eventually consistent or its credentials have ended,
 * answers DAVIT_UNAVAILABLE. */
typedef struct davit_instances {
  uint32_t size;
  uint32_t reserved;
  /* Whether the machine exists, running or not. @call(host; blocking) */
  davit_code (*exists)(void* self, const davit_call* call, davit_value node,
                       davit_cloud_answer* answer);
  /* Whether the machine is switched off. DAVIT_UNSUPPORTED: no. @call(host; blocking) */
  davit_code (*shutdown)(void* self, const davit_call* call, davit_value node,
                         davit_cloud_answer* answer);
  /* The facts of a new Node, as JSON; each member is optional:
   *   {"providerID": "", "instanceType": "", "zone": "", "region": "",
   *    "nodeAddresses": [{"type": "InternalIP", "address": "192.0.2.1"}], "additionalLabels": {"name": "value"}}
   * Nothing written: they are not known yet. @call(host; blocking) */
  davit_code (*metadata)(void* self, const davit_call* call, davit_value node,
                         davit_cloud_answer* answer, const davit_sink* out);
} davit_instances;

/* Routes to the pods of Nodes. The rules are those of davit_load_balancers; many calls run at once, and a create() begins
 * after the remove() of the same destination has ended. A route is a JSON object:
 *   {"name": "", "targetNode": "n1", "targetNodeAddresses": [{"type": "InternalIP", "address": "192.0.2.1"}],
 *    "enableNodeAddresses": false, "destinationCIDR": "10.244.1.0/24", "blackhole": false} */
typedef struct davit_routes {
  uint32_t size;
  uint32_t reserved;
  /* All routes, also those that others have made, as a JSON array: required. destinationCIDR is the text that create() was
   * given. enableNodeAddresses: the route is made again when the Node's addresses differ from targetNodeAddresses; then all
   * routes say so. @call(host; blocking) */
  davit_code (*list)(void* self, const davit_call* call, davit_str cluster,
                     davit_cloud_answer* answer, const davit_sink* out);
  /* Makes a route with targetNode, targetNodeAddresses and destinationCIDR. `name_hint` is unique to the Node.
   * @call(host; blocking) */
  davit_code (*create)(void* self, const davit_call* call, davit_str cluster, davit_str name_hint,
                       davit_str route, davit_cloud_answer* answer);
  /* Removes a route as list() has it. There is none: DAVIT_OK. @call(host; blocking) */
  davit_code (*remove)(void* self, const davit_call* call, davit_str cluster, davit_str route,
                       davit_cloud_answer* answer);
} davit_routes;

/* Read once, after init, and constant. A part counts only with all of its functions. NULL: the part is not offered. */
typedef struct davit_cloud_provider_v1 {
  uint32_t size;
  uint32_t reserved;
  const davit_load_balancers* load_balancers;
  const davit_instances* instances;
  const davit_routes* routes;
  /* The load balancers are for Services with one of these values of spec.loadBalancerClass, separated by commas, and,
   * unless only_classes is 1, for those without a class. Others belong to other controllers. */
  davit_str classes;
  int32_t only_classes;
  uint32_t reserved_end;
} davit_cloud_provider_v1;

/* ---- What a provider gets: "davit.cloud-host/1" ------------------------------------------------------------------ */

/* The host as a provider reaches it. */
typedef struct davit_cloud_host_v1 {
  uint32_t size;
  uint32_t reserved;
  /* The loops of this part shall look again, because something has changed in the cloud or in the provider's own
   * configuration: at one key ("namespace/name" of a Service, "name" of a Node), or, if it is empty, at everything. Nothing happens without
   * such a loop. Threads of the plugin's own wake a queue of the provider's, whose sync calls this.
   * @call(any; nonblocking) */
  davit_code (*again)(const davit_call* call, uint32_t part, davit_str key);
} davit_cloud_host_v1;

/* ---- What the loops get: "davit.cloud/1" ------------------------------------------------------------------------- */

/* The provider as the loops know it. Texts live like borrowed values. */
typedef struct davit_cloud_offer {
  uint32_t size;
  uint32_t parts;      /* DAVIT_CLOUD_*, as bits */
  davit_str name;      /* of the provider's controller */
  uint64_t generation; /* rises when another build or instance takes over */
  int32_t is_ready;    /* 1: it can be called now */
  uint32_t reserved;
  davit_str classes; /* as the provider has them */
  int32_t only_classes;
  uint32_t reserved_end;
} davit_cloud_offer;

/* The functions of the provider, with the loop's own call. Beside what the provider answers:
 *   DAVIT_NOT_FOUND    there is no provider
 *   DAVIT_UNSUPPORTED  it does not offer this
 *   DAVIT_UNAVAILABLE  it is being swapped, or is not ready yet, with retry_after_ms; or it has failed for good
 *   DAVIT_INVALID      its answer is not valid; the text says where
 * In a dry run and in a shadow of either side ensure(), update(), remove(), create_route() and remove_route() are not
 * called: they answer DAVIT_OK, with the status that the Service has. When a swap changes the offered parts or classes, and when a provider comes or goes,
 * the host restarts the loops, with their init. */
typedef struct davit_cloud_v1 {
  uint32_t size;
  uint32_t reserved;

  /* DAVIT_NOT_FOUND: there is none. @call(any; nonblocking) */
  davit_code (*provider)(const davit_call* call, davit_cloud_offer* out);

  /* From now on keys of again() for this part are added to `queue`: the empty one, too, which means everything.
   * Ends with the controller. DAVIT_STALE for a queue that is none of the controller's.
   * @call(init; nonblocking) */
  davit_code (*follow)(const davit_call* call, uint32_t part, davit_handle queue);

  /* DAVIT_OK with exists 0: there is none. @call(sync; blocking) */
  davit_code (*get)(const davit_call* call, davit_str cluster, davit_value service,
                    davit_cloud_answer* answer, const davit_sink* status);
  /* DAVIT_OK, neither elsewhere nor anything written: the provider gave no status. @call(sync; blocking) */
  davit_code (*ensure)(const davit_call* call, davit_str cluster, davit_value service,
                       const davit_list* nodes, davit_cloud_answer* answer,
                       const davit_sink* status);
  /* @call(sync; blocking) */
  davit_code (*update)(const davit_call* call, davit_str cluster, davit_value service,
                       const davit_list* nodes, davit_cloud_answer* answer);
  /* DAVIT_OK when there is none. @call(sync; blocking) */
  davit_code (*remove)(const davit_call* call, davit_str cluster, davit_value service,
                       davit_cloud_answer* answer);

  /* DAVIT_OK with exists 0: the provider says that there is no machine. @call(sync; blocking) */
  davit_code (*exists)(const davit_call* call, davit_value node, davit_cloud_answer* answer);
  /* @call(sync; blocking) */
  davit_code (*shutdown)(const davit_call* call, davit_value node, davit_cloud_answer* answer);
  /* @call(sync; blocking) */
  davit_code (*metadata)(const davit_call* call, davit_value node, davit_cloud_answer* answer,
                         const davit_sink* out);
  /* @call(sync; blocking) */
  davit_code (*list_routes)(const davit_call* call, davit_str cluster, davit_cloud_answer* answer,
                            const davit_sink* out);
  /* @call(sync; blocking) */
  davit_code (*create_route)(const davit_call* call, davit_str cluster, davit_str name_hint,
                             davit_str route, davit_cloud_answer* answer);
  /* DAVIT_OK when there is none. @call(sync; blocking) */
  davit_code (*remove_route)(const davit_call* call, davit_str cluster, davit_str route,
                             davit_cloud_answer* answer);
} davit_cloud_v1;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DAVIT_CLOUD_H_ */
