import type { NetworkLevel } from '../../domain/order/access.ts';
import type { GitIdentity } from '../../domain/work/git-identity.ts';

/** The files and network a process may use. Every path is absolute, and real as far as it exists. */
export interface Grant {
  readonly readPaths: readonly string[];
  /** A path that does not exist yet becomes a file, or a folder if it ends in a slash. */
  readonly writePaths: readonly string[];
  /** Read-only even inside a write path. */
  readonly readOnlyPaths?: readonly string[];
  /** Show `from` at the path `at`: a worktree at the path of its workspace. A mount grants nothing by itself. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  /** Folders that look empty to the process, except for writePaths below them: the data folder. */
  readonly hiddenPaths: readonly string[];
  /** Folders that are empty and writable, and gone with the process; granted paths below them are shown. */
  readonly privatePaths?: readonly string[];
  /** The git author of commits that the process makes; the user's git configuration itself is not shown. */
  readonly gitIdentity?: GitIdentity | null;
  readonly network: NetworkGrant;
  /** For each process; without it, a share of the machine's memory. */
  readonly memoryBytesMax?: number;
}

export interface NetworkGrant {
  readonly level: NetworkLevel;
  /** RESTRICTED: `name`, `name:port`, `*.suffix`; ports 80 and 443 unless one is named. */
  readonly hosts: readonly string[];
  /** RESTRICTED: reachable ports of this machine's loopback. */
  readonly loopbackPorts: readonly number[];
}

export interface OutputLine {
  readonly stream: 'stdout' | 'stderr';
  /** Without its line end; secrets are masked; bytes that are not UTF-8 become U+FFFD. */
  readonly text: string;
  /** The line was too long; the text is its head and a marker with the full length. */
  readonly isTruncated: boolean;
}

export interface ProcessSpec {
  /** The first word is searched on the PATH of env, as a shell does. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; the sandbox adds what its network needs (HTTP_PROXY …) and where git finds `gitIdentity`. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to the process, then closed unless `keepsStdinOpen`. */
  readonly stdin: string;
  readonly keepsStdinOpen?: boolean;
  readonly grant: Grant;
  /** Values to mask in every line. */
  readonly secrets: readonly string[];
  /** Called in order within a stream. While a returned promise is pending nothing more is read, so the process waits. */
  onLine(line: OutputLine): void | Promise<void>;
  /** Called with each host outside of the grant that the process tries to reach, as `name:port`. */
  onRefusedHost?: ((host: string) => void) | undefined;
  /** Called with each granted host that it tries, as `name:port`: null if it was reached, else why not. */
  onTriedHost?: ((host: string, problem: string | null) => void) | undefined;
}

export type ProcessEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly durationMs: number;
    }
  /** `isMissing`: its program does not exist or must not be executed. `isDenied`: it lacks a right or a login. */
  | {
      readonly kind: 'not-started';
      readonly reason: string;
      readonly isMissing?: boolean;
      readonly isDenied?: boolean;
    };

/** Identifies one process for good; the system reuses a pid alone. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export interface LiveProcess {
  /** The program itself, not the sandbox around it, by host pid; null if it ended before it was seen. */
  readonly identity: ProcessIdentity | null;
  /** The process has exited; its last output may still be in the pipe. */
  readonly hasExited: boolean;
  /**
   * Resolves after the process exits, its output is read (for two more seconds at most) and none of its descendants
   * remains. Rejects only with what onLine threw.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Writes to a stdin that was kept open. A process that does not read, or is gone, is no error. */
  write(text: string): void;
  closeStdin(): void;
  /** Sends SIGTERM, and after five seconds kills the process and its descendants. Resolves when all have ended. */
  stop(): Promise<void>;
  /** Sends SIGKILL to everything at once. */
  kill(): void;
}

/** Starts processes and confines them to their grant. start never throws because of a process: the failure is its end. */
export interface Sandbox {
  /** 'none' enforces no grant: it starts, watches and ends processes. */
  readonly name: 'bubblewrap' | 'none';
  start(spec: ProcessSpec): Promise<LiveProcess>;
}
