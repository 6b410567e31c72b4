// Limits of traces, with units in their names.

export const TRACE_ENTRIES_PER_PAGE_MAX = 500;
/** Of each text of a turn or event in a stream and in a page; asked for whole, it is not cut. */
export const TRACED_TEXT_CHARACTERS_SHOWN = 16_000;
/** Recording the files after turns may take this long at once, and this share of the time of a run. */
export const TURN_STATES_FREE_MS = 10_000;
export const TURN_STATES_SHARE = 0.05;
