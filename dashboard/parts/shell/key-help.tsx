import { Dialog } from '../dialog.tsx';
import { bindings } from './keys.ts';

/** The keys that work on this page now. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const shown = new Map<string, string>();
  for (const { keys, does } of bindings.value.flat()) shown.set(keys, does);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="key-list">
        {[...shown].map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key === 'Escape' ? 'Esc' : key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
