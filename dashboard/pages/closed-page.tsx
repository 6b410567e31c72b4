import type { NodeError } from '../node/node-error.ts';
import { Command } from '../parts/command.tsx';

/** Nobody is logged in here: why, and how to get in. */
export function ClosedPage({ error }: { readonly error: NodeError | null }) {
  return (
    <main class="first-use closed">
      <h1>{titleOf(error)}</h1>
      <p>{reasonOf(error)}</p>
      <p>A link logs this browser in. It works once, within 15 minutes:</p>
      <Command text="baton open" />
      <p class="muted">
        Run it on the machine of the node, in its repository or with <code>--data FOLDER</code>.{' '}
        <code>baton open --print</code> prints the link instead of opening it.
      </p>
    </main>
  );
}

function titleOf(error: NodeError | null): string {
  switch (error?.code) {
    case undefined:
      return 'This browser is not logged in';
    case 'link_used':
      return 'This link was used already';
    case 'link_expired':
      return 'This link has expired';
    case 'link_unknown':
      return 'This link is not of this node';
    case 'unreachable':
      return 'The node does not answer';
    default:
      return 'You were logged out';
  }
}

function reasonOf(error: NodeError | null): string {
  switch (error?.code) {
    case undefined:
      return 'The dashboard shows what agents do on this machine, so it lets in only who has a link.';
    case 'link_used':
      return 'Each link works once. If you did not use it yourself, somebody else on this machine did: stop the node (baton down).';
    case 'link_expired':
      return 'It was not used in time.';
    case 'link_unknown':
      return 'The node may have been restarted since it was made, or a part of the address is missing.';
    case 'unreachable':
      return 'It may be starting or stopped: baton up starts it.';
    default:
      return 'The node was restarted, or nobody used this page for a week.';
  }
}
