// Limits of traces, with units in their names.

export const TRACE_ENTRIES_PER_PAGE_MAX = 500;
/** The length of each text of a turn or event in a stream and in a page; asked for whole, it is not cut. */
export const TRACED_TEXT_CHARACTERS_SHOWN = 16_000;
/** Events before a part of a story that are read to find where its items begin. */
export const STORY_CONTEXT_EVENTS_MAX = 1_000;
/** Recording the files after turns may take this long at once, and this share of the time of a run. */
export const TURN_STATES_FREE_MS = 10_000;
export const TURN_STATES_SHARE = 0.05;
/** Lines of output wait this long for others, which are recorded with them: up to so many, and so many characters. */
export const PRINTED_LINES_FLUSH_MS = 200;
export const PRINTED_LINES_PER_RECORD_MAX = 500;
export const PRINTED_CHARACTERS_PER_RECORD_MAX = 64 * 1_024;
/** The length of one line; the log of the run has it whole. */
export const PRINTED_LINE_CHARACTERS_MAX = 16_000;
/** Lines of output that one run adds to the trace, and their characters; the log of the run has more. */
export const PRINTED_LINES_PER_RUN_MAX = 100_000;
export const PRINTED_CHARACTERS_PER_RUN_MAX = 16 * 1_024 * 1_024;
