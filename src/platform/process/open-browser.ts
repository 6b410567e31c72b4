import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFile } from '../files/durable-files.ts';
import { findProgram } from './find-program.ts';

const NAME = 'open.html';

/**
 * Opens an address in the user's browser. The browser gets the path of a file with mode 0600 that leads there: other users
 * of the machine can read the arguments of a program. Resolves with false where there is no browser to start.
 */
export async function openBrowser(address: string, folder: string): Promise<boolean> {
  const command = openerOf(folder);
  if (command === null) return false;
  const [program = '', ...args] = command;
  const file = join(folder, NAME);
  replaceFile(file, pageTo(address));
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, pathToFileURL(file).href], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}

/** Removes the file that led the browser to the address. */
export function forgetOpened(folder: string): void {
  rmSync(join(folder, NAME), { force: true });
}

/** Null on a machine without a screen, or where the person sits elsewhere. */
function openerOf(folder: string): readonly string[] | null {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (sshTarget() !== null) return null;
  if (process.platform === 'darwin') return ['/usr/bin/open'];
  if (process.platform === 'win32') return ['explorer.exe'];
  const program =
    DISPLAY || WAYLAND_DISPLAY ? (findProgram('xdg-open', folder) ?? findProgram('wslview', folder)) : null;
  return program === null ? null : [program];
}

/** The user and address by which this machine was reached over SSH; null if it was not. */
export function sshTarget(): string | null {
  const [, , address] = (process.env.SSH_CONNECTION ?? '').split(' ');
  return address ? `${userInfo().username}@${address}` : null;
}

function pageTo(address: string): string {
  const safe = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset="utf-8"><title>Baton</title><meta http-equiv="refresh" content="0;url=${safe}"><a href="${safe}">Open Baton</a>\n`;
}
