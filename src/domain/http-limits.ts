// Limits of the HTTP API and of streams of events, with units in their names.
import { KIB, MIB } from './limits.ts';

// The HTTP API (common:limits, saop:slow-readers)
export const HTTP_CONNECTIONS_MAX = 2_048;
/** Connections that have not sent a token yet. */
export const HTTP_UNAUTHENTICATED_CONNECTIONS_MAX = 1_024;
/** Bodies of at least this size share one budget of memory; the number of connections bounds smaller ones. */
export const HTTP_LARGE_BODY_BYTES_MIN = 64 * KIB;
export const HTTP_BODIES_BYTES_MAX = 128 * MIB;
export const HTTP_HEADERS_MS_MAX = 10_000;
export const HTTP_REQUEST_MS_MAX = 60_000;
export const HTTP_CHECK_MS = 1_000;
export const HTTP_KEEP_ALIVE_MS = 60_000;
export const HTTP_CLOSE_MS_MAX = 3_000;
export const HTTP_PATH_PART_CHARACTERS_MAX = 8 * KIB;
export const BATCH_LINES_AT_ONCE_MAX = 512;
export const BATCH_LINES_MAX = 10_000;
/** Answers that leave together: still in the processor's cache when the socket takes them. */
export const BATCH_PIECE_CHARACTERS = 64 * KIB;
export const HTTP_MESSAGES_PER_BODY_MAX = 10_000;
export const HTTP_TREE_WAIT_MS_MAX = 10_000;
export const HTTP_CALL_MS_MAX = 120_000;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
export const RUNS_PER_PAGE_MAX = 500;

// Server-sent events. A page is one short read of the ledger; readers pause after each page, so that all events that
// happen meanwhile become one write per reader.
export const SSE_HEARTBEAT_MS = 15_000;
export const SSE_RETRY_MS = 1_000;
export const SSE_BUFFERED_BYTES_MAX = MIB;
export const SSE_REPLAY_BUFFERED_BYTES_MAX = 64 * KIB;
export const SSE_READERS_MAX = 512;
export const SSE_EVENTS_PER_PAGE_MAX = 200;
export const SSE_REST_MS = 10;

/** The difference of one file, for a page that shows it. */
export const DIFF_FILE_BYTES_MAX = MIB;

// The dashboard: a link logs one browser in, once; a token that nobody uses for a week no longer counts.
export const DASHBOARD_LINK_MS_MAX = 15 * 60_000;
/** An expired link is called expired for so long, then unknown. */
export const DASHBOARD_LINK_REMEMBERED_MS = 24 * 3_600_000;
/** `baton open` waits so long for the browser that it started. */
export const DASHBOARD_OPEN_MS_MAX = 8_000;
export const DASHBOARD_OPEN_POLL_MS = 200;
export const DASHBOARD_LINKS_MAX = 100;
export const DASHBOARD_TOKENS_MAX = 100;
export const DASHBOARD_TOKEN_IDLE_MS_MAX = 7 * 24 * 3_600_000;
