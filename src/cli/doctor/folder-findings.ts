import { existsSync, lstatSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DISK_FREE_BYTES_MIN, MIB } from '../../domain/limits.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import { grouped } from '../../domain/words/counted.ts';
import type { SeenHolder } from '../../node/folder/folder-holder.ts';
import { hasEventFiles } from '../../platform/files/data-folder.ts';
import { isNodeFileTorn } from '../../platform/files/node-file.ts';
import { findKeyProblem } from '../../platform/node-key.ts';
import { type DoctorFinding, note, well, wrong } from './doctor-finding.ts';

/** The data folder: owner, permissions, the process that holds it, free space, and whether the ledger exists. */
export function folderFindings(folder: string, holder: SeenHolder): readonly DoctorFinding[] {
  if (!existsSync(folder)) return [note('folder', `${folder} does not exist yet`, 'baton init')];
  return [
    ownerFinding(folder),
    ...privateFindings(folder),
    ...tornFindings(folder),
    holderFinding(holder),
    roomFinding(folder),
    ...missingLedgerFindings(folder),
  ];
}

function ownerFinding(folder: string): DoctorFinding {
  const { uid, mode } = lstatSync(folder);
  const bits = (mode & 0o777).toString(8);
  if (uid !== (process.getuid?.() ?? uid))
    return wrong('folder', `${folder} belongs to another user`, 'use a folder of your own');
  if ((mode & 0o077) !== 0)
    return wrong('folder', `${folder} is accessible to other users (${bits})`, `chmod 700 ${folder}`);
  return well('folder', `${folder} (${bits})`);
}

function privateFindings(folder: string): readonly DoctorFinding[] {
  return ['ledger.sqlite', 'node.json', 'id', 'node.log'].flatMap((name) => {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (!stat || (stat.isFile() && (stat.mode & 0o077) === 0)) return [];
    return [wrong(name, 'is accessible to other users, or not a regular file', `chmod 600 ${join(folder, name)}`)];
  });
}

/** Files beside the ledger that a power cut or a careless program may have torn. */
function tornFindings(folder: string): readonly DoctorFinding[] {
  const problem = findKeyProblem(folder);
  const isCut = existsSync(join(folder, 'node.json')) && isNodeFileTorn(folder);
  return [
    ...(problem === null ? [] : [wrong('node.key', problem, 'move it away: the next run makes a new one')]),
    ...(isCut ? [note('node.json', 'cannot be read', 'baton up writes it again')] : []),
  ];
}

function holderFinding(holder: SeenHolder): DoctorFinding {
  switch (holder.kind) {
    case 'node':
      return well('node', `is running: process ${holder.node.pid}, at ${holder.node.url}`);
    case 'none':
      return well('node', 'is not running; commands work without it');
    case 'no-lock':
      return wrong(
        'lock.sqlite',
        `${holder.file} has content that is not Baton's`,
        'move it away if you need it: the next command empties it',
      );
    case 'command':
      return note('node', 'another baton process holds the folder, without an HTTP API');
  }
}

function roomFinding(folder: string): DoctorFinding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${grouped(Math.round(free / MIB))} MB free`;
  return free >= DISK_FREE_BYTES_MIN ? well('disk', text) : wrong('disk', text, 'free some space');
}

/** A ledger that was lost leaves its tree or its log behind; a folder without them never had one. */
function missingLedgerFindings(folder: string): readonly DoctorFinding[] {
  const file = join(folder, 'ledger.sqlite');
  if (existsSync(file)) return [];
  const left = hasEventFiles(folder) ? 'its tree exists' : existsSync(`${file}-wal`) ? `${file}-wal exists` : null;
  if (left === null) return [note('ledger', 'does not exist yet', 'baton init')];
  return [wrong('ledger', `${file} is missing, but ${left}`, REFUSALS.ledger_damaged.hint)];
}
