/* What the builds of the soak note, in memory that outlives each of them: its address is in their
 * configuration. All members but the first are changed with __atomic_* only. */
#ifndef DAVIT_TESTS_HOST_SWAP_SAMPLES_TALLY_H_
#define DAVIT_TESTS_HOST_SWAP_SAMPLES_TALLY_H_

#include <stdint.h>

typedef struct swap_tally {
  uint32_t keys;   /* "pod-<i>" is key i; every other name is key 0 */
  uint32_t builds; /* that were begun */
  uint32_t oldest; /* build that may sync */
  uint32_t reserved;
  uint64_t syncs;
  uint64_t overlaps; /* syncs of a key that was running */
  uint64_t strays;   /* syncs of a build that is older than `oldest` */
  uint32_t* running; /* per key */
  uint64_t* seen;    /* per key: the object's version in the last sync that began */
  /* Of the neighbour, which is never swapped. */
  uint64_t* neighbour_seen; /* per key, as `seen` */
  uint64_t* changed_ns;     /* per key: when a change came that no sync has answered; 0: none */
  uint64_t* waited_ns;      /* per answered change */
  uint64_t waits;           /* answered changes */
  uint64_t waits_max;
} swap_tally;

#endif
