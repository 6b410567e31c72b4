import { type Refusal, refuse } from '../refusal.ts';
import { type ExternalCaller, isOperation, OPERATIONS, type OperationName, type Scope } from './external-agent.ts';

export interface AllowedOperation {
  readonly kind: 'allowed';
  readonly operation: OperationName;
  readonly scope: Scope;
}

/** Whether an external agent may make a call (runtime:scopes): by the scopes of its enrolment and nothing that it says. */
export function judgeOperation(
  { scopes, task: context }: Pick<ExternalCaller, 'scopes' | 'task'>,
  operation: string,
  task: string | null,
): AllowedOperation | Refusal {
  if (!isOperation(operation))
    return refuse('scope_denied', `there is no operation ${JSON.stringify(operation)}`, '/operation');
  const { scope, isAboutTask } = OPERATIONS[operation];
  if (!scopes.includes(scope)) return refuse('scope_denied', `${operation} needs the scope ${scope}`, '/operation');
  if (context !== null && !(isAboutTask && task === context))
    return refuse('scope_denied', `this token is for ${context} only`, isAboutTask ? '/arguments/task' : '/operation');
  return { kind: 'allowed', operation, scope };
}
