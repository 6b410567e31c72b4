import { Announcer } from '../announce.tsx';
import { AskDialog } from '../ask.tsx';
import { KeyHelp } from './key-help.tsx';
import { SearchDialog } from './search-dialog.tsx';

/** Everything that lies on top of a page. */
export function Overlays({ top, onClose }: { readonly top: 'help' | 'search' | null; readonly onClose: () => void }) {
  return (
    <>
      {top === 'help' && <KeyHelp onClose={onClose} />}
      {top === 'search' && <SearchDialog onClose={onClose} />}
      <AskDialog />
      <Announcer />
    </>
  );
}
