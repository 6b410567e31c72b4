import type { SendAnswer } from '../../api/contract.ts';
import type { Refusal } from '../command.ts';
import { eventText } from './event-text.ts';
import type { Look } from './look.ts';
import { statusText } from './task-text.ts';
import { visible } from './visible.ts';

const UNSAID = ['protocol.message.received', 'run.ended'];

/** What a message did, in a sentence; what was not accepted is a refusal. */
export function sendText(answer: SendAnswer, look: Look): string | Refusal {
  if (answer.verdict !== 'accepted') return notTaken(answer);
  const { task, events } = answer;
  const done = events
    .filter(({ type }) => !UNSAID.includes(type))
    .map((event) => `${visible(event.actor)} ${eventText(event, look)}`);
  const what = done.length === 0 ? 'nothing changed' : done.join('; ');
  if (task === null) return what;
  return `${look.strong(task.id)}: ${what}\nit is ${statusText(task.status, look)}`;
}

function notTaken({ verdict, code, errors, hint }: SendAnswer): Refusal {
  const [first, ...rest] = errors.map(({ message }) => message);
  const message =
    first ?? (verdict === 'foreign' ? 'this speaks none of the five protocols' : `not taken: ${code ?? verdict}`);
  return { message, hint: hint ?? 'baton check FILE tells what is wrong with it', details: rest };
}
