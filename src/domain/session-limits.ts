// Limits of many agents at once, with units in their names.

/** While runs of one repository go on side by side, the changed files of each are looked for so often. */
export const OVERLAP_LOOK_MS = 2_000;
/** Looking may take this long at once, and this share of the time of a run. */
export const OVERLAP_LOOKS_FREE_MS = 2_000;
export const OVERLAP_LOOKS_SHARE = 0.02;
/** More changed files of a run are not compared. */
export const OVERLAP_PATHS_MAX = 10_000;
/** Files that are compared with the user's own in one call of git. */
export const OVERLAP_PATHS_PER_CALL_MAX = 500;
/** Files of an overlap that are named. */
export const OVERLAP_PATHS_SHOWN = 10;
/** Ended orders whose changes in the user's files are known as Baton's. */
export const OVERLAP_EARLIER_ORDERS_MAX = 50;
