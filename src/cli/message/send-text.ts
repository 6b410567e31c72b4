import type { SendAnswer } from '../../api/contract.ts';
import type { PrintedRefusal } from '../command.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';
import { statusText } from '../task/task-page.ts';
import { eventText } from '../trace/event-text.ts';

const HIDDEN = ['protocol.message.received', 'run.ended'];

/** The effect of an accepted message as a sentence; any other message as a refusal. */
export function sendText(answer: SendAnswer, style: Style): string | PrintedRefusal {
  if (answer.verdict !== 'accepted') return notAccepted(answer);
  const { task, events, warnings } = answer;
  const done = events
    .filter(({ type }) => !HIDDEN.includes(type))
    .map((event) => `${visible(event.actor)} ${eventText(event, style)}`);
  const what = done.length === 0 ? 'nothing changed' : done.join('; ');
  const notes = warnings.map(({ path, message }) => `${style.open('note')} ${visible(path)} ${visible(message)}`);
  const effect = task === null ? what : `${style.strong(task.id)}: ${what}\nit is ${statusText(task.status, style)}`;
  return [effect, ...notes].join('\n');
}

function notAccepted({ verdict, code, errors, hint }: SendAnswer): PrintedRefusal {
  const [first, ...rest] = errors.map(({ message }) => message);
  const message =
    first ??
    (verdict === 'foreign' ? 'this is not a message of the five protocols' : `not accepted: ${code ?? verdict}`);
  return { message, hint: hint ?? 'baton check FILE shows what is wrong with it', details: rest };
}
