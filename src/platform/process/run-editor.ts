import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderFault } from '../files/data-folder.ts';
import { findProgram, pathFor } from './find-program.ts';

/** Opens a text in the user's editor; returns the file with the edited text. */
export function runEditor(editor: string, text: string): string {
  const draft = join(mkdtempSync(join(tmpdir(), 'baton-edit-')), 'config.yaml');
  writeFileSync(draft, text, { mode: 0o600 });
  // EDITOR may hold arguments: `code --wait`.
  const [program = '', ...args] = editor.split(/\s+/);
  const folder = process.cwd();
  const env = { ...process.env, PATH: pathFor(folder) };
  const { status, error } = spawnSync(findProgram(program, folder) ?? program, [...args, draft], {
    stdio: 'inherit',
    env,
  });
  if (error || status !== 0) {
    const message = `${editor} ended with ${error ? error.message : status}; nothing was changed`;
    throw new FolderFault('folder_refused', message, 'EDITOR=nano baton config edit');
  }
  return draft;
}
