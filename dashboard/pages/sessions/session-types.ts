/** A session in a list, as the node tells it. */
export interface SessionLine {
  readonly session_id: string;
  readonly name: string;
  readonly state: string;
  readonly pattern: string;
  readonly final_signal: string | null;
  readonly totals: {
    readonly tasks: number;
    readonly completed: number;
    readonly failed: number;
    readonly aborted: number;
    readonly skipped: number;
    readonly running: number;
    readonly waiting: number;
  };
  /** US dollars. */
  readonly cost: number;
  readonly created_at: string;
  readonly ended_at: string | null;
}

export interface SessionTask {
  readonly task_id: string;
  readonly id: string;
  readonly title: string;
  readonly agent: string | null;
  readonly state: string;
  readonly final_signal: string | null;
  readonly error_code: string | null;
  readonly message: string;
  readonly unchecked: boolean;
  readonly attempts: number;
  readonly depends_on: readonly string[];
  readonly parent_task_id: string | null;
  readonly duration_seconds: number;
  readonly cost: number;
}

export interface Session extends SessionLine {
  readonly tasks: readonly SessionTask[];
  readonly cost_summary: {
    readonly actual_cost_usd: number;
    readonly tokens_input: number;
    readonly tokens_output: number;
    readonly by_provider: Readonly<Record<string, number>>;
    readonly by_model: Readonly<Record<string, number>>;
  };
  readonly limits: {
    readonly max_cost_usd: number | null;
    readonly deadline_seconds: number | null;
    readonly at_once: number | null;
  };
}
