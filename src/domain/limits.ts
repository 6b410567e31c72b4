import { AOF_FRONT_MATTER_BYTES_MAX } from './federation/message-limits.ts';

// Limits, with units in their names. A limit of one file may be in that file. Those of messages, processes, the HTTP server
// and the federation are in files of their own.

export const KIB = 1024;
export const MIB = 1024 * KIB;

// common:limits
export const HTTP_BODY_BYTES_MAX = 16 * MIB;

// aof:limits, for messages and for files that hold one
export const AOF_MESSAGE_BYTES_MAX = 10 * MIB;

// AOF/1, aof:heartbeat, aof:dispatch
export const LEASE_TTL_MS = 10 * 60_000;
export const HEARTBEAT_TTL_MS = 5 * 60_000;
export const RECLAIMS_WITHOUT_REPORT_MAX = 3;
/** The largest number that --retries accepts. */
export const RETRIES_ASKED_MAX = 20;
export const RUNS_LOST_IN_A_ROW_MAX = 3;
/** With the runs that were lost before their agent was launched. */
export const STARTS_LOST_IN_A_ROW_MAX = 20;
export const AOF_DELEGATION_DEPTH_MAX = 1;
export const AOP_DELEGATION_DEPTH_MAX = 3;
export const TASK_NUMBER_MAX = 999;

// The ledger
export const IDEMPOTENCY_KEPT_MS = 7 * 24 * 3_600_000;
export const DISPATCH_LOOKAHEAD_MAX = 500;
export const ROWS_CACHED_MAX = 4_096;
export const COMMANDS_PER_COMMIT_MAX = 512;
export const LEDGER_CHECK_ALWAYS_BYTES_MAX = 2 * MIB;
/** A burst of short commands queues for the folder: about eighty milliseconds each. */
export const LOCK_WAIT_MS_MAX = 5_000;
/** A process that only reads, such as the check of a killed node, may hold the ledger for a moment. */
export const BUSY_TIMEOUT_MS = 5_000;
export const RECOVERY_RUNS_PER_TICK_MAX = 500;
/** Runs whose event types are kept in memory. */
export const EVENT_TYPES_KEPT_MAX = 64;
export const MIRROR_TASKS_PER_BATCH_MAX = 100;
export const EVENTS_PER_PAGE_MAX = 1_000;
/** For `baton stop`: an agent is killed five seconds after it was asked to stop. */
export const STOP_WAIT_MS_MAX = 10_000;
/** Files that an event names; their number is beside them. */
export const EVENT_PATHS_MAX = 50;
export const TASK_TITLE_CHARACTERS_MAX = 500;
export const TASK_BODY_CHARACTERS_MAX = 1_000_000;
/** Bytes of UTF-8 per character, at most. */
export const TASK_BODY_BYTES_MAX = 3 * TASK_BODY_CHARACTERS_MAX;
export const TASK_REASON_CHARACTERS_MAX = 2_000;
/** A role, a team, a resource, a tag. */
export const TASK_LABEL_CHARACTERS_MAX = 256;
export const TASK_TAGS_MAX = 100;
export const TASKS_PER_PAGE_MAX = 500;

// The tree
export const MIRROR_BATCH_BYTES_MAX = 16 * MIB;
export const MIRROR_FILE_BYTES_MAX = 32 * MIB;
/** The mirror works this long before it yields, and then pauses this long while others are busy. */
export const MIRROR_SLICE_MS = 5;
export const MIRROR_STAND_BACK_MS = 15;
/** Pauses in a row while answers need the whole thread. */
export const MIRROR_PAUSES_MAX = 8;
/** While commands keep coming, the mirror waits this long before it starts on their tasks, unless a caller waits for it. */
export const MIRROR_DELAY_MS_MAX = 1_000;
export const MIRROR_RETRY_MS_MIN = 1_000;
export const MIRROR_RETRY_MS_MAX = 60_000;
export const EVENT_LOG_TAIL_BYTES = 64 * KIB;

// Edits of the tree by hand
/** About 0.1 s. Texts that need more steps are compared by their common beginning and end only. */
export const DIFF_STEPS_MAX = 100_000_000;
/** Older texts of a task's file that an edit can still be merged on. */
export const MIRROR_BASES_PER_TASK_MAX = 32;
/** A task's file: the longest body, and the longest front matter. */
export const TASK_FILE_BYTES_MAX = TASK_BODY_BYTES_MAX + AOF_FRONT_MATTER_BYTES_MAX + KIB;
export const TREE_SCAN_MS = 30_000;
export const TREE_HINT_MS = 50;
/** More hints at once mean a scan of the folders: the system drops hints past 16,384. */
export const TREE_HINTS_MAX = 8_000;
/** An edited file is judged when it has been unchanged for this long: an editor may still be writing it. */
export const TREE_QUIET_MS = 250;
export const TREE_UNREADABLE_MS = 1_500;
/** Checks of a file that the mirror has yet to write; then it is left to the next scan. */
export const TREE_RECHECKS_MAX = 20;
export const TREE_CHECKS_PER_BATCH_MAX = 200;
export const TREE_SEEN_FILES_MAX = 200_000;
/** Time between checks of the files of live runs. */
export const RUN_RESULTS_CHECK_MS = 2_000;
export const RUN_RESULTS_PER_CHECK_MAX = 2_000;

// The command line waits this long for the files of its own change, and for other pending writes of the mirror
export const TREE_WAIT_MS_MAX = 5_000;
export const TREE_WAIT_AT_END_MS_MAX = 500;

/** Names of a task's inputs that its agent is told; it finds the others in the folder. */
export const AGENT_INPUTS_LISTED_MAX = 50;

// Running orders
export const DISPATCH_TICK_MS = 250;
export const DISPATCH_STOP_MS_MAX = 7_000;
/** Attempts at a step that fails by a fault, with a longer pause each time. */
export const ORDER_FAULTS_MAX = 3;
/** aof:dispatch: retries of a task whose agent could not be started, and the waits before them. */
export const DISPATCH_RETRIES_MAX = 3;
export const DISPATCH_RETRY_MS = 60_000;
export const DISPATCH_RETRY_FACTOR = 3;
export const DISPATCH_RETRY_MS_MAX = 15 * 60_000;
/** Sessions that a turn looks at. */
export const OPEN_SESSIONS_MAX = 1_000;
/** Awake time that a killed node may forget. */
export const AWAKE_KEPT_MS = 5_000;
/** Ended orders that one report reads. */
export const REPORTED_ORDERS_MAX = 10_000;
/** A shorter sleep of the machine is not told. */
export const SLEEP_MS_MIN = 10_000;
export const SESSIONS_PER_PAGE_MAX = 500;
/** The tasks of a session file; HTTP_BODY_BYTES_MAX bounds it too. */
export const SESSION_TASKS_MAX = 20_000;
/** Rounds of an older schema that are decided in one commit when the ledger is opened. */
export const ORDERS_LIFTED_PER_COMMIT_MAX = 200;
export const ORDER_FAULT_PAUSE_MS = 500;
export const RUN_LOG_BYTES_MAX = 64 * MIB;
export const RUN_LOG_PAGE_BYTES = 64 * KIB;
export const RUN_LOG_FLUSH_MS = 100;
export const RUN_PROGRESS_SHOWN_MS = 100;
/** The length of each text in an event about a run: a tool's input may be a whole file. */
export const RUN_NOTE_CHARACTERS_MAX = 4_000;
/** Tool calls of an agent that have begun and not ended, and words of one passage that arrive in pieces. */
export const OPEN_CALLS_MAX = 1_000;
export const PASSAGE_CHARACTERS_MAX = 100_000;
/** Work in review counts as a large difference from these on. */
export const REVIEW_LARGE_FILES = 20;
export const REVIEW_LARGE_LINES = 400;
/** Feedback: earlier findings in the prompt of a reviewer that has no session of its own, and faults of an answer that it is told. */
export const FEEDBACK_HISTORY_CHARACTERS_MAX = 200_000;
export const FEEDBACK_PROBLEMS_MAX = 20;
/** A reviewer whose agent sets no timeout has this long for an answer. */
export const FEEDBACK_TIMEOUT_SECONDS = 900;
/** All that a reviewer may say in one answer: a line of its protocol, and some words around it. */
export const FEEDBACK_SAID_CHARACTERS_MAX = 32 * MIB;
/** Reviewers that one node asks at the same time. */
export const FEEDBACK_AT_ONCE_MAX = 8;
/** An artifact that Baton reads itself, and rounds of one exchange. */
export const ARTIFACT_BYTES_MAX = 8 * MIB;
export const FEEDBACK_ROUNDS_MAX = 50;
/** Rounds of a review by policy that names none. */
export const REVIEW_ROUNDS_DEFAULT = 2;
/** Exchanges about the work of one task that are looked at and shown, the newest ones. */
export const FEEDBACKS_SHOWN_MAX = 20;
/** A change by the fixing agent is looked at again at the latest after this. */
export const FIX_LOOK_MS = 1_000;
/** Comments of one return. */
export const REVIEW_COMMENTS_MAX = 200;
/** Entries of the attention queue that are listed, of each kind. */
export const ATTENTION_SHOWN_MAX = 200;
/** Words of a person for a running agent. */
export const WORDS_CHARACTERS_MAX = 20_000;
/** The length of each text in a question. */
export const QUESTION_CHARACTERS_MAX = 1_000;
export const QUESTION_TIMEOUT_SECONDS_DEFAULT = 600;
export const QUESTION_TIMEOUT_SECONDS_MAX = 86_400;
/** A run without a sign of life for so long is silent; nothing follows from it but the word. */
export const ACTIVITY_SILENT_MS = 60_000;
/** The length of a thought or of words in the log of a run; a page of the log holds such an entry whole. */
export const STORY_TEXT_CHARACTERS_MAX = 16_000;
export const RUN_BEAT_MS = 30_000;
/** Files that checks run or read, one behind the other, and the part of each that is searched for the next. */
export const JUDGES_BEHIND_MAX = 200;
export const JUDGE_BYTES_MAX = 256 * 1_024;
/** A sign of life of a run on the disk: after a crash, a file that changed later is not its work. */
export const RUN_SIGN_MS = 500;
/** The output of a failed check, and the files that an earlier attempt changed, in the prompt of the next attempt. */
export const PROMPT_OUTPUT_CHARACTERS_MAX = 4_000;
export const PROMPT_FILES_MAX = 500;
/** Told to a task about those that it waited for. */
export const PRIOR_RESULTS_MAX = 100;
export const PRIOR_FILES_MAX = 50;
export const PRIOR_SUMMARY_CHARACTERS_MAX = 2_000;
/** A settled task is reported within a moment; a task that waited for it starts without its receipt after this. */
export const PRIOR_REPORT_MS_MAX = 10_000;
/** The difference and the last words of an agent in the handoff packet for another. */
export const HANDOFF_DIFF_CHARACTERS_MAX = 40_000;
export const HANDOFF_WORDS_CHARACTERS_MAX = 8_000;
/** The last words of a run: they may be its decisions on a thousand findings. */
export const LAST_WORDS_CHARACTERS_MAX = 150_000;
/** Earlier rounds that are read for the sessions and results of an order that continues them. */
export const CONTINUED_ROUNDS_MAX = 20;
/** A vendor's quota: the longest wait for a reset, the waits where it names none, and the spread of those who wait. */
export const QUOTA_WAIT_MS_MAX = 7 * 24 * 3_600_000;
export const QUOTA_BACKOFF_MS = 5 * 60_000;
export const QUOTA_BACKOFF_FACTOR = 2;
export const QUOTA_BACKOFF_MS_MAX = 3_600_000;
export const QUOTA_JITTER_MS = 20_000;
/** A person is asked instead of a longer wait. */
export const QUOTA_PATIENCE_MS = 6 * 3_600_000;
/** The configuration is read again after this time, even if none of its files changed. */
export const SETTINGS_KEPT_MS = 1_000;
export const WORKTREE_SETUP_MS_MAX = 15 * 60_000;
export const SLOTS_PER_AGENT_DEFAULT = 4;
export const SLOTS_DEFAULT = 8;
export const SLOTS_SETTING_MAX = 1_000;
/** One year. */
export const TIMEOUT_SECONDS_SETTING_MAX = 31_536_000;
/** Schema errors of a message that runs as v1, in its report. */
export const REPORTED_SCHEMA_ERRORS_MAX = 20;

// The node
/** Commands wait longer than this for the lock of a folder. */
export const LATE_SERVER_MS = 400;
/** With more open tasks a short command does not scan their folders. */
export const BRIEF_LOOK_TASKS_MAX = 2_000;
export const NODE_START_MS_MAX = 5_000;
export const NODE_STOP_MS_MAX = 10_000;
/** A node looks this often whether its ledger is still there: before an order is given up for lack of its folder. */
export const LEDGER_LOOK_MS = 500;
export const NODE_ANSWER_MS_MAX = 3_000;
export const NODE_FATAL_ANSWERS_MS = 100;
/** Attempts to reach a node, with pauses that double: in total longer than a failed node takes to exit. */
export const NODE_CALL_TRIES_MAX = 5;
export const NODE_CALL_PAUSE_MS = 25;
export const RECOVERY_SWEEP_MS = 1_000;
/** A tick this long after the one before means that Baton itself was suspended or starved. */
export const RECOVERY_LATE_MS = 30_000;
export const ANSWERS_PURGE_MS = 3_600_000;
export const NODE_LOG_BYTES_MAX = 8 * MIB;

// Thresholds of baton doctor
export const NODE_MAJOR_MIN = 24;
export const DISK_FREE_BYTES_MIN = 200 * MIB;
export const LOG_BYTES_ADVISED_MAX = 64 * MIB;
export const TREE_COMPARED_FILES_MAX = 20_000;

// State of this machine outside of the data folders
export const REMEMBERED_BYTES_MAX = 4 * MIB;

// Checks and receipts
export const CHECK_MS_MAX = 10 * 60_000;
export const CHECK_TAIL_BYTES_MAX = 4 * KIB;
export const SUGGESTION_FILE_BYTES_MAX = MIB;
/** Receipts omit larger files: hashing must take seconds at most. */
export const HASHED_FILE_BYTES_MAX = 8 * 1_024 * MIB;
/** A receipt with more files says how many it lacks, and is never valid for them. */
export const RECEIPT_FILES_MAX = 20_000;
export const RECEIPT_BYTES_MAX = 16 * MIB;

// The workspace
export const GIT_MS_MAX = 120_000;
/** The same for calls that pack, index or check out as much as may travel. */
export const GIT_PARCEL_MS_MAX = 20 * 60_000;
/** A longer call of git may be blocked by a named pipe that an agent put in place of a file. */
export const GIT_SLOW_MS = 3_000;
/** Entries below a workspace that are searched for such pipes. */
export const SEARCHED_FOLDERS_MAX = 100_000;
/** Plans that a node keeps for the answers of their callers, and how long each counts. */
export const ORDER_OFFERS_MAX = 64;
export const ORDER_OFFER_MS_MAX = 10 * 60_000;
/** The maximum age of a look at a repository that began before its plan. */
export const REPOSITORY_STATUS_MS_MAX = 1_000;
/** The maximum age of a search for data folders that an agent is started with. */
export const DATA_FOLDER_SEARCH_MS_MAX = 1_000;
export const GIT_OUTPUT_BYTES_MAX = 256 * MIB;
export const DIFF_TEXT_BYTES_MAX = 16 * MIB;
/** The size of one of git's own files, such as the list of all refs. */
export const GIT_TEXT_BYTES_MAX = 64 * MIB;
/** Symbolic refs that refer to each other; git has the same limit. */
export const SYMBOLIC_REFS_MAX = 5;
/** Baton copies a commit up to this packed size; for a larger one it borrows the objects of the repository. */
/** A run saves a state and records it within this time; `baton clean` leaves younger ones while an order is open. */
export const UNRECORDED_MS_MAX = 3_600_000;
/** Days that work in the user's files stays undoable when `baton clean` is not told otherwise. */
export const CLEAN_DAYS_DEFAULT = 14;
export const DAY_MS = 86_400_000;
/** Folders of dependencies that a worktree shares with the user's checkout. */
export const SHARED_FOLDERS_MAX = 40;
export const IMPORTED_COMMIT_BYTES_MAX = 2_048 * MIB;
/** Linux follows as many links in one path. */
export const PATH_LINKS_MAX = 40;
/** The size of one file that is recorded, saved for a rollback or copied into a worktree. */
export const WORKSPACE_FILE_BYTES_MAX = 1_024 * MIB;
export const INCLUDED_FILES_MAX = 10_000;
/** Ignored files that are saved before a run: the size of one, and the size and number of all. */
export const IGNORED_FILE_BYTES_MAX = MIB;
export const IGNORED_BYTES_MAX = 64 * MIB;
export const IGNORED_FILES_MAX = 2_000;
/** An ignored folder with more files is compared by their number and times, and not saved. */
export const SMALL_TREE_FILES_MAX = 200;
/** Files of one ignored folder that are looked at. */
export const IGNORED_TREE_FILES_MAX = 50_000;
/** A nested repository with more files is saved by its folders, as ignored ones are. */
export const NESTED_FILES_MAX = 1_000;
/** Folders of a workspace that one search looks into. */
export const WORKSPACE_FOLDERS_MAX = 250_000;
/** Empty folders of a workspace that are recorded. */
export const UNRECORDED_FOLDERS_MAX = 5_000;
/** Changes beyond these go through git's index, which costs more for a few files and less for many. */
export const DIRECT_CHANGES_MAX = 256;
export const DIRECT_CHANGES_BYTES_MAX = 8 * MIB;
