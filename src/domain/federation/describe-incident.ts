/** An incident as a person meets it. */
export interface IncidentAbout {
  /** In a few words. */
  readonly title: string;
  /** The node of the federation that it is about; null where it is about none. */
  readonly node: string | null;
  /** Verbs that settle it: of `baton node`, or `doctor`, which names the cause. */
  readonly actions: readonly IncidentAction[];
}

export type IncidentAction = 'trust' | 'remove' | 'dismiss' | 'doctor';

interface Words {
  title(node: string): string;
  readonly actions: readonly IncidentAction[];
}

/** Incidents of the federation by the first part of their kind; the node stands behind a colon, or is the subject. */
const FEDERATION: Readonly<Record<string, Words>> = {
  join_request: { title: (node) => `node ${node} asks to be trusted`, actions: ['trust', 'remove'] },
  changed_key: { title: (node) => `node ${node} shows another key`, actions: ['trust', 'remove'] },
  refused_frame: { title: (node) => `node ${node} sent something that was refused`, actions: ['remove', 'dismiss'] },
  gap_halted: { title: (node) => `reading node ${node} has halted at a gap`, actions: ['remove'] },
  gap: { title: (node) => (node === '' ? 'events are lost' : `events of node ${node} are lost`), actions: ['dismiss'] },
  node_silent: { title: (node) => `node ${node} is silent`, actions: [] },
  undelivered: { title: () => 'an event was not delivered', actions: ['dismiss'] },
};

/** The kinds that `describeIncident` knows a node or a verb for. */
export function isFederationIncident(kind: string): boolean {
  return Object.hasOwn(FEDERATION, firstPart(kind));
}

/** Tells what an incident is about and what a person can do about it. Any other kind is its own title. */
export function describeIncident({ kind, subject = null }: { kind: string; subject?: string | null }): IncidentAbout {
  const words = isFederationIncident(kind) ? FEDERATION[firstPart(kind)] : undefined;
  if (words === undefined) return { title: kind, node: null, actions: ['doctor'] };
  const node = kind.includes(':') ? kind.slice(kind.indexOf(':') + 1) : kind === 'gap' ? (subject ?? '') : '';
  return { title: words.title(node), node: node === '' ? null : node, actions: words.actions };
}

function firstPart(kind: string): string {
  return kind.split(':', 1)[0] ?? '';
}
