// Limits of many agents at once, with units in their names.

/** While runs of one repository work side by side, the changed files of each are looked for so often. */
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

/** Notices are looked for so often, and each kind of place is told about a subject at most so often. */
export const NOTICES_TICK_MS = 1_000;
export const NOTICES_APART_MS = 60_000;
/** More notices that wait for one place are given up, the oldest first. */
export const NOTICES_WAITING_MAX = 1_000;
export const NOTICE_CHARACTERS_MAX = 500;
export const NOTICE_TEXTS_MAX = 3;
/** The time that one call of a program or a web address may take. */
export const NOTICE_MS_MAX = 10_000;
/** The first wait after a failure; each further one is twice as long, up to the second. */
export const NOTICE_RETRY_MS = 5_000;
export const NOTICE_RETRY_MS_MAX = 300_000;
export const NOTICE_ATTEMPTS_MAX = 8;
/** A node that ends waits so long for notices on their way. */
export const NOTICES_AT_END_MS_MAX = 3_000;
export const NOTICE_SECRET_BYTES_MAX = 4_096;
