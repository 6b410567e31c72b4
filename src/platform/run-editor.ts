import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderFault } from './data-folder.ts';

/** Lets a person change a text; names the file that holds what they left. */
export function runEditor(editor: string, text: string): string {
  const draft = join(mkdtempSync(join(tmpdir(), 'baton-edit-')), 'config.yaml');
  writeFileSync(draft, text, { mode: 0o600 });
  // As a shell's user means it: `code --wait` is a program and an argument.
  const [program = '', ...args] = editor.split(/\s+/);
  const { status, error } = spawnSync(program, [...args, draft], { stdio: 'inherit' });
  if (error || status !== 0) {
    const message = `${editor} ended with ${error ? error.message : status}; nothing was changed`;
    throw new FolderFault('folder_refused', message, 'EDITOR=nano baton config edit');
  }
  return draft;
}
