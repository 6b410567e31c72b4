import type { RemoteView } from '../../api/task/remote-view.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

/** Tells where a task runs and how it stands or ended there, or whom it is done for. */
export function remoteText(remote: RemoteView, nowMs: number): string {
  const { direction, node, agent, to, status, ended, progress, note, etaAt, isOverdue, silentSince } = remote;
  const eta =
    etaAt === null || ended !== null ? '' : `, expected by ${timeText(etaAt, nowMs)}${isOverdue ? ', late' : ''}`;
  if (direction === 'received') return `for ${visible(agent ?? '')} on ${visible(node ?? '')}${eta}`;
  if (node === null) {
    return to.length === 0 ? 'not sent yet' : `sent to ${to.map(visible).join(', ')}, not accepted yet`;
  }
  if (ended !== null) return `${ended} on ${visible(node)}`;
  const share = progress === null ? '' : `, ${Math.round(progress)} %`;
  const words = note === null || note === '' ? '' : `: ${visible(note)}`;
  const silence =
    silentSince === null ? '' : `; ${visible(node)} silent for ${durationText(nowMs - Date.parse(silentSince))}`;
  return `on ${visible(node)}: ${visible((status ?? 'accepted').replaceAll('_', ' '))}${share}${words}${eta}${silence}`;
}
