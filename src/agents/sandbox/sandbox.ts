import type { NetworkLevel } from '../../domain/access.ts';

/** What a process may touch. Every path is absolute, and real as far as it exists. */
export interface Grant {
  readonly readPaths: readonly string[];
  /** A path that is not there yet is a file to be made, or a folder if it ends in a slash. */
  readonly writePaths: readonly string[];
  /** Only read, also where they lie inside of a write path. */
  readonly readOnlyPaths?: readonly string[];
  /** What is shown at a path instead of what is there: a worktree in the place of its workspace. Grants nothing itself. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  /** The data folder: empty to the process, but for what writePaths names below it. */
  readonly hiddenPaths: readonly string[];
  readonly network: NetworkGrant;
  /** Of each process; without it what the machine can bear. */
  readonly memoryBytesMax?: number;
}

export interface NetworkGrant {
  readonly level: NetworkLevel;
  /** RESTRICTED: `name`, `name:port`, `*.suffix`; ports 80 and 443 unless one is named. */
  readonly hosts: readonly string[];
  /** RESTRICTED: ports of this machine's own loopback that may be reached. */
  readonly loopbackPorts: readonly number[];
}

export interface OutputLine {
  readonly stream: 'stdout' | 'stderr';
  /** Without its line end, secrets masked; bytes that are no UTF-8 are U+FFFD. */
  readonly text: string;
  /** The line was longer than is kept; the text ends in a marker that says how long it was. */
  readonly isTruncated: boolean;
}

export interface ProcessSpec {
  /** The first word is looked up on the PATH of env, as a shell would. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Exactly what the process gets; the sandbox adds what its network needs (HTTP_PROXY …) and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** Written, then end of file. */
  readonly stdin: string;
  readonly grant: Grant;
  /** Values that are masked in every line. */
  readonly secrets: readonly string[];
  /** In order within a stream. While a returned promise is pending, no more is read: the process waits. */
  onLine(line: OutputLine): void | Promise<void>;
}

export type ProcessEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'not-started'; readonly reason: string };

/** One process for good: a pid alone may come to mean another one. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export interface LiveProcess {
  /** The agent's own, as this machine counts, not that of the sandbox around it; null where it was over before it was seen. */
  readonly identity: ProcessIdentity | null;
  /** The process has ended by itself or was ended; what it wrote may still be on its way. */
  readonly hasExited: boolean;
  /**
   * Decided when the process exits; what it wrote is read for two more seconds at most, and none of its descendants is
   * left. Rejects only with what onLine threw.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Asks the process to end, and after a grace of five seconds ends it with all that it started. Resolves when it is over. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/** Starts processes and holds them to their grant. Nothing about a process makes start throw: it is an end. */
export interface Sandbox {
  /** 'none' holds nobody to anything: it starts, watches and ends. */
  readonly name: 'bubblewrap' | 'none';
  start(spec: ProcessSpec): Promise<LiveProcess>;
}
