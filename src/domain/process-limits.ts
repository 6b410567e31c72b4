import { NDJSON_LINE_BYTES_MAX } from './federation/message-limits.ts';
import { KIB, MIB } from './limits.ts';

// Limits of processes: how they are started, sandboxed, watched and ended.

// Processes
export const PROCESS_LINE_BYTES_MAX = NDJSON_LINE_BYTES_MAX;
/** The part of a longer line that is retained. */
export const PROCESS_LINE_HEAD_BYTES = 64 * KIB;
export const PROCESS_STOP_GRACE_MS = 5_000;
export const PROCESS_DRAIN_MS_MAX = 2_000;
export const PROCESS_START_MS_MAX = 30_000;
/** A start waits this long for free file descriptors. */
export const DESCRIPTORS_WAIT_MS_MAX = 2_000;
export const DESCRIPTORS_LOOK_MS = 20;
/** Baton waits this long for killed processes to exit, and checks at this interval. */
export const PROCESS_SWEEP_MS_MAX = 5_000;
export const PROCESS_SWEEP_EVERY_MS = 5;
/** The interval at which descendants of a process without a sandbox are recorded, so that no double fork escapes. */
export const PROCESS_TREE_LOOK_MS = 250;
export const PROCESS_DESCENDANTS_MAX = 10_000;
/** Shorter values would mask ordinary words. */
export const SECRET_CHARACTERS_MIN = 6;
export const COMMAND_TAIL_CHARACTERS = 8 * KIB;

// The sandbox
/** The size of each of its own /tmp, /var/tmp and /dev/shm, which are in memory. */
export const SANDBOX_PRIVATE_BYTES_MAX = 1_024 * MIB;
/** Parent folders of a program that are searched for its package. */
export const COMMAND_PACKAGE_LEVELS_MAX = 6;
/** Depth and number of folders below a granted one that are searched for git repositories. */
export const GIT_GUARD_DEPTH_MAX = 2;
export const GIT_GUARD_FOLDERS_MAX = 500;
export const SANDBOX_STATUS_BYTES_MAX = 4 * KIB;
export const SANDBOX_GRANT_PATHS_MAX = 1_000;
/** Threads count; Node alone has a dozen. */
export const SANDBOX_PROCESSES_MAX = 4_096;
export const SANDBOX_OPEN_FILES_MAX = 65_536;
/** Writable memory of each process; reserved address space, as of Node and Java, does not count. */
export const SANDBOX_MEMORY_BYTES_MAX = 8 * 1_024 * MIB;
/** The share of the machine's memory at most, and the minimum on a small machine. */
export const SANDBOX_MEMORY_PART_OF_MACHINE = 0.75;
export const SANDBOX_MEMORY_BYTES_MIN = 1_024 * MIB;
export const SANDBOX_MEMORY_MIB_SETTING_MIN = 64;
export const SANDBOX_MEMORY_MIB_SETTING_MAX = 1_024 * 1_024;
export const SANDBOX_FILE_BYTES_MAX = 64 * 1_024 * MIB;

// Watching a run
export const AOP_PROGRESS_EVERY_MS = 30_000;
/** The longest timer: Node's own limit is 24 days. */
export const WATCH_WAIT_MS_MAX = 3_600_000;
/** A model that has not answered for so long is unavailable. */
export const MODEL_RETRY_MS_MAX = 60_000;
/** The pause before words are retried whose model did not answer. */
export const MODEL_PAUSE_MS = 20_000;
/** An agent that has finished its work and does not exit is ended after this. */
export const AGENT_LINGER_MS_MAX = 5_000;
/** An interrupted agent has this long to close its session before it gets SIGTERM. */
export const INTERRUPT_GRACE_MS = 2_000;
/** A check this late means that Baton itself was suspended or starved. */
export const WATCH_LATE_MS = 1_000;
export const PROXY_CONNECTIONS_MAX = 256;
export const PROXY_CONNECT_MS_MAX = 30_000;
/** After one side has sent its last byte, the other side has this long to answer. */
export const PROXY_HALF_OPEN_SECONDS_MAX = 86_400;
