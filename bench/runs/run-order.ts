/** The TASK of one run: make one file, which Baton then looks for. */
export function orderText(workspace: string, taskId: string): string {
  return JSON.stringify({
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: { session_id: 'bench', created_at: '2026-03-02T09:00:00Z', orchestrator: 'bench', origin: 'BENCH' },
    target: { agent_name: 'bench', role: 'EXECUTOR', provider: 'OTHER', model: 'bench' },
    task: {
      task_id: taskId,
      objective: 'Make one file.',
      category: 'OTHER',
      complexity: 'LOW',
      environment: { workspace_root: workspace },
      expected_outputs: [{ type: 'FILE', path: `${taskId}.txt`, description: 'a file' }],
    },
  });
}
