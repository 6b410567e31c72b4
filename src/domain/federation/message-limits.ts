// Limits on the messages of the five protocols, with the clause that each comes from.

const KIB = 1024;
const MIB = 1024 * KIB;

// common:limits
export const JSON_DEPTH_MAX = 64;
export const NDJSON_LINE_BYTES_MAX = 16 * MIB;

/** Errors or warnings reported for one message; of more, only their number is. */
export const MESSAGE_FINDINGS_MAX = 1_000;

// common:ids
export const ID_CHARACTERS_MAX = 128;
export const HASH_CHARACTERS_MAX = 256;

// AOP §4. Only the rows marked HARD reject; the others warn.
export const AOP_OBJECTIVE_WARN_CHARACTERS = 40_000;
export const AOP_INPUTS_MAX = 100;
export const AOP_EXPECTED_OUTPUTS_MAX = 50;
export const AOP_PHASES_ADVISED_MAX = 10;
export const AOP_CHECKPOINTS_PER_PHASE_ADVISED_MAX = 20;
export const AOP_ACTIONS_ADVISED_MAX = 200;
export const AOP_TASK_BYTES_MAX = 200 * KIB;
export const AOP_RESPONSE_BYTES_MAX = 500 * KIB;
export const AOP_INPUT_PREVIEW_CHARACTERS = 200;

// afp:stream: error lines of one stream that are stored; the others are counted.
export const AFP_STREAM_ERRORS_MAX = 100;

// AFP §3.1 has no number; RFC 6838 allows 255 for the names, the rest is for parameters.
export const AFP_MEDIA_TYPE_CHARACTERS_MAX = 1_024;

// AOF/1, aof:limits
export const AOF_NOTES_CHARACTERS_MAX = 10_000;
export const AOF_PROGRESS_CHARACTERS_MAX = 1_000;
export const AOF_REASON_CHARACTERS_MAX = 512;
export const AOF_LIST_ITEM_CHARACTERS_MAX = 256;
export const AOF_DELIVERABLES_MAX = 50;
export const AOF_BLOCKERS_MAX = 20;
export const AOF_HANDOFF_LIST_ITEMS_MAX = 50;
export const AOF_FRONT_MATTER_BYTES_MAX = MIB;
export const AOF_FRONT_MATTER_TOKENS_MAX = 50_000;
export const AOF_FRONT_MATTER_ALIASES_MAX = 10;

// Runtime v1 §2
export const RUNTIME_ETA_SECONDS_MIN = 30;
export const RUNTIME_ETA_SECONDS_MAX = 86_400;
