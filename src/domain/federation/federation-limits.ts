import { KIB, MIB } from '../limits.ts';

// Limits and default timings of the federation, with units in their names.

/** runtime:cursor-lease: events are kept at least this long. */
export const OUTBOX_KEPT_MS = 7 * 24 * 3_600_000;
/** Runtime §6, default timings. */
export const GAP_TIMEOUT_SECONDS = 30;
export const CURSOR_LEASE_SECONDS = 300;
export const ACCEPTED_ACK_TIMEOUT_SECONDS = 20;
export const PROCESSED_SLA_GRACE_SECONDS = 120;
/** runtime:resend */
export const RESEND_MS = 2_000;
export const RESEND_FACTOR = 2;
export const RESEND_MS_MAX = 5 * 60_000;
export const RESEND_SPREAD = 0.2;
export const SEND_ATTEMPTS_MAX = 15;
/** runtime:liveness */
export const NODE_HEARTBEAT_MS = 30_000;
export const NODE_DEAD_MS = 90_000;
/** Two heartbeats are missing: people are told, and nothing is done about it yet. */
export const NODE_SILENT_MS = 60_000;
/** Nodes that the ledger remembers as they were seen last; anybody who can write to the store can make up others. */
export const KNOWN_NODES_MAX = 500;
export const KNOWN_NODE_BYTES_MAX = 64 * KIB;
/** The time of the last sign of life is written this often; a change of a node at once. */
export const KNOWN_WRITTEN_MS = 5 * 60_000;
/** A command shows or uses what the ledger knows where the store does not answer within this time. */
export const STORE_ANSWER_MS_MAX = 1_000;
/** All nodes are looked at with a heartbeat, but so seldom that a large federation costs a node no more than this many records a second. */
export const NODES_LOOKED_AT_PER_SECOND = 2;
/** A node acts for agents that others could take over only this long after its last heartbeat. */
export const NODE_LEASE_MS = 60_000;
/** Nodes that a person is asked to trust at the same time. */
export const JOIN_REQUESTS_MAX = 100;
/** An event as text: below the largest message that a NATS server accepts unless it is told otherwise. */
export const ENVELOPE_BYTES_MAX = 512 * KIB;
/** NATS keeps at most five copies. */
export const FEDERATION_REPLICAS_MAX = 5;
/** Tasks of other nodes that a node takes at the same time, unless it is told otherwise. */
export const FEDERATION_ROOM_DEFAULT = 8;
/** The unit in which work and skills travel. */
export const BLOB_BYTES_MAX = 4 * MIB;
/** Work that travels: its files together, unless the node is told otherwise, and the most that it can be told. */
export const WORK_MIB_DEFAULT = 256;
export const WORK_MIB_SETTING_MAX = 2_048;
export const WORK_FILES_MAX = 200_000;
/** Objects of git in one parcel: files, folders and commits. */
export const PARCEL_OBJECTS_MAX = 600_000;
/** The blobs of one parcel: those of the largest work, and room for files that do not shrink. */
export const PARCEL_BLOBS_MAX = 640;
/** The story of a round that comes back: its steps, the size of all of them, and the end of each of its logs. */
export const RESULT_STEPS_MAX = 10_000;
export const RESULT_STEPS_BYTES_MAX = 16 * MIB;
export const RESULT_LOG_BYTES_MAX = 8 * MIB;
/** Recorded states that come back, to be rewound to: the last ones. */
export const RESULT_STATES_MAX = 200;
/** A skill: its files, and all of them together. */
export const SKILL_FILES_MAX = 1_000;
export const SKILL_BYTES_MAX = 4 * MIB;
/** The JSON Schema of a capability's results. */
export const CONTRACT_BYTES_MAX = 64 * KIB;
/** runtime:skill-distribution: the time that agents have to install a skill. */
export const SKILL_REQUIRED_MS = 2 * 3_600_000;
/** The estimate in the task_accept of an agent that installs a skill. */
export const SKILL_ETA_SECONDS = 60;
/** A node that was told to stop a task has this long to say so; then the order ends here. */
export const RECALL_GRACE_MS = 30_000;
/** The estimate in a task_accept where no capability tells one. */
export const TASK_ETA_SECONDS_DEFAULT = 900;
/** runtime:contracts: this many failed routes within this time are a review. */
export const ROUTE_FAILURES_MAX = 3;
export const ROUTE_FAILURES_MS = 10 * 60_000;
/** The pause before an order that found no route is routed again. */
export const ROUTE_RETRY_MS = 15_000;
/** Updates about the progress of one task are at least this far apart. */
export const TASK_UPDATE_MS = 30_000;
/** The result of a task that travels inside of its event. */
export const TASK_OUTPUT_BYTES_MAX = 64 * KIB;
/** Checks that an answer tells of, and the end of the output of each. */
export const ANSWER_CHECKS_MAX = 50;
export const ANSWER_TAIL_CHARACTERS_MAX = 1_000;
export const ANSWER_TEXT_CHARACTERS_MAX = 4_000;
/** Correlations that a review names. */
export const REVIEW_SAMPLES_MAX = 20;
