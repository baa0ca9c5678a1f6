/* A library that a plugin may need. */
int swap_helper(void);
int swap_helper(void) { return 1; }
