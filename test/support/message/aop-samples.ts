import type { ResponseMessage } from '../../../src/protocols/aop/schema/response.ts';
import type { TaskMessage } from '../../../src/protocols/aop/schema/task.ts';

/** The smallest TASK. */
export function sampleTask(task: Partial<TaskMessage['task']> = {}): TaskMessage {
  return {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: {
      session_id: 'AOP-SESSION-1',
      created_at: '2026-02-26T14:00:00Z',
      orchestrator: 'conductor',
      origin: 'USER_REQUEST',
    },
    target: { agent_name: 'swe-backend', role: 'EXECUTOR', provider: 'CODEX', model: 'gpt' },
    task: {
      task_id: 'T-1',
      objective: 'Add user endpoints',
      category: 'CODE_GENERATION',
      complexity: 'LOW',
      environment: { workspace_root: '/work' },
      ...task,
    },
  };
}

/** The smallest RESPONSE that keeps both guard rails. */
export function sampleResponse(): ResponseMessage {
  return {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'RESPONSE',
    session_id: 'AOP-SESSION-1',
    task_id: 'T-1',
    agent: { name: 'swe-backend', provider: 'CODEX', model: 'gpt' },
    task_status: { state: 'COMPLETED', final_signal: 'SUCCESS' },
    execution_summary: { summary: 'Added them', actions: ['wrote src/users.ts'] },
  };
}
