import type { WaitingTask } from '../../../src/api/overview/overview-contract.ts';
import { cancel } from '../../node/task-actions.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { numberOf } from '../../parts/format.ts';
import { Row } from '../../parts/rows.tsx';
import { At } from '../../parts/time.tsx';
import { TaskLink } from './task-link.tsx';

/** A task that has not begun, and the reason in words. */
export function WaitingRow({ task }: { readonly task: WaitingTask }) {
  const action = useAction(task.id);
  const stop = () => void action.run(() => cancel(task.id));
  return (
    <Row id={task.id} href={`/tasks/${task.id}`} keys={{ x: stop }}>
      <div class="line">
        <TaskLink id={task.id} title={task.title} />
        <span class="facts">
          {task.agent !== null && <span class="agent">{task.agent}</span>}
          <span class="reason">
            <Reason task={task} />
          </span>
        </span>
        <span class="buttons">
          <ActionNote action={action} />
          <ActionButton action={action} onPress={stop} hint="x">
            Cancel
          </ActionButton>
        </span>
      </div>
    </Row>
  );
}

function Reason({ task }: { readonly task: WaitingTask }) {
  const { after, quota, missingAgent, agent, status, remote } = task;
  if (after.length > 0) {
    return (
      <>
        after{' '}
        {after.map(({ id, title }, at) => (
          <>
            {at > 0 && ', '}
            <a href={`/tasks/${id}`} title={title}>
              {numberOf(id)}
            </a>
          </>
        ))}
      </>
    );
  }
  if (quota !== null) {
    return (
      <>
        {quota.account} is out of quota until <At at={quota.until} />
      </>
    );
  }
  if (remote !== null && remote.direction === 'sent') {
    return <>{remote.to.length === 0 ? 'to be sent to another node' : `for ${remote.to.join(', ')} to accept it`}</>;
  }
  if (missingAgent !== null) return <>for {missingAgent}, which is not set up here</>;
  if (agent === null) return <>for somebody to take it</>;
  return <>{status === 'ready' ? 'ready; waiting for a free slot' : 'in the backlog'}</>;
}
