import { Announcer } from './announce.tsx';
import { AskDialog } from './ask.tsx';
import { KeyHelp } from './key-help.tsx';

/** Everything that lies on top of a page. */
export function Overlays({ isHelp, onHelpClosed }: { readonly isHelp: boolean; readonly onHelpClosed: () => void }) {
  return (
    <>
      {isHelp && <KeyHelp onClose={onHelpClosed} />}
      <AskDialog />
      <Announcer />
    </>
  );
}
