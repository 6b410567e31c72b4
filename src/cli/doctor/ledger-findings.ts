import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LOG_BYTES_ADVISED_MAX, MIB } from '../../domain/limits.ts';
import { type InspectedLedger, inspectLedger, readDamage } from '../../ledger/damage.ts';
import { type Incident, selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { findDifferences, type TreeDifferences } from '../../tree/find-differences.ts';
import { type Finding, note, well, wrong } from './finding.ts';

const INCIDENTS_MAX = 50;
const NAMED_FILES_MAX = 3;
const RESTORE = 'baton restore FILE, with a file that baton backup made; keep this one';

/** The ledger, page by page, and the files that should show it. */
export function ledgerFindings(folder: string): readonly Finding[] {
  const file = join(folder, 'ledger.sqlite');
  if (!existsSync(file)) return existsSync(folder) ? [note('ledger', 'is not there yet', 'baton init')] : [];
  const seen: { incidents: readonly Incident[]; tree: TreeDifferences | null } = { incidents: [], tree: null };
  const inspected = inspectLedger(file, (read) => {
    seen.incidents = selectOpenIncidents(read, INCIDENTS_MAX);
    seen.tree = findDifferences(read, folder);
  });
  return [
    ...markFindings(file),
    soundFinding(inspected),
    schemaFinding(inspected),
    logFinding(inspected),
    ...(seen.tree ? [treeFinding(seen.tree)] : []),
    ...seen.incidents.map(incidentFinding),
  ];
}

/** What a node found while it ran; it keeps every change out until another ledger is in its place. */
function markFindings(file: string): readonly Finding[] {
  const damage = readDamage(file);
  if (!damage) return [];
  return [wrong('incident ledger_damaged', `${damage.finding} (since ${damage.foundAt})`, RESTORE)];
}

function soundFinding({ damage }: InspectedLedger): Finding {
  if (damage === null) return well('ledger', 'every page is sound');
  return wrong('ledger', `is damaged: ${damage}`, RESTORE);
}

function schemaFinding({ schema, newestSchema }: InspectedLedger): Finding {
  if (schema === newestSchema) return well('schema', String(schema));
  if (schema < newestSchema) return note('schema', `${schema}: the next command makes it ${newestSchema}`);
  return wrong('schema', `${schema} is newer than this Baton knows (${newestSchema})`, 'use the Baton that wrote it');
}

function logFinding({ logBytes }: InspectedLedger): Finding {
  const text = `${(logBytes / MIB).toFixed(1)} MB`;
  if (logBytes <= LOG_BYTES_ADVISED_MAX) return well('write-ahead log', text);
  return wrong('write-ahead log', `${text}: something keeps it from being emptied`, 'end what reads it for long');
}

function treeFinding({ same, missing, changed, unwritten, isCut }: TreeDifferences): Finding {
  const looked = `${same.toLocaleString('en')} as they should be${isCut ? ' (not all were looked at)' : ''}`;
  const odd = [...missing.map((path) => `${path} is missing`), ...changed.map((path) => `${path} was changed`)];
  if (odd.length === 0)
    return unwritten === 0 ? well('files', looked) : note('files', `${unwritten} tasks are still to be written`);
  const more = odd.length > NAMED_FILES_MAX ? ` and ${odd.length - NAMED_FILES_MAX} more` : '';
  const told = `${odd.slice(0, NAMED_FILES_MAX).join(', ')}${more}`;
  return note('files', told, 'a node takes your changes over: baton up; or baton rebuild --from ledger');
}

function incidentFinding({ kind, taskId, detail, openedAt }: Incident): Finding {
  const since = new Date(openedAt).toISOString();
  const about = taskId === null ? '' : `${taskId}: `;
  return wrong(`incident ${kind}`, `${about}${detail} (since ${since})`, 'baton status');
}
