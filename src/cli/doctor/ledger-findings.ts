import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LOG_BYTES_ADVISED_MAX, MIB } from '../../domain/limits.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import { grouped } from '../../domain/words/counted.ts';
import { type InspectedLedger, inspectLedger, readDamage } from '../../ledger/damage.ts';
import { TREE_IS_OLD } from '../../ledger/restore.ts';
import { lastSeq } from '../../ledger/statements/events.ts';
import { type Incident, selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import { findDifferences, type TreeDifferences } from '../../tree/find-differences.ts';
import { describeLoss, findLostEvents, type LostEvents } from '../../tree/find-lost-events.ts';
import { type DoctorFinding, note, well, wrong } from './doctor-finding.ts';

const INCIDENTS_MAX = 50;
const NAMED_FILES_MAX = 3;
const RESTORE = 'baton restore FILE with a file of baton backup; do not delete the damaged ledger';

interface LedgerState {
  incidents: readonly Incident[];
  tree: TreeDifferences | null;
  lost: LostEvents | null;
}

/** Every page of the ledger, and the files that mirror it. */
export function ledgerFindings(folder: string): readonly DoctorFinding[] {
  const file = join(folder, 'ledger.sqlite');
  if (!existsSync(file)) return [];
  const seen: LedgerState = { incidents: [], tree: null, lost: null };
  const inspected = inspectLedger(file, (read) => {
    seen.incidents = selectOpenIncidents(read, INCIDENTS_MAX);
    seen.tree = findDifferences(read, folder);
    if (selectMeta(read, TREE_IS_OLD) === null) seen.lost = findLostEvents(folder, lastSeq(read));
  });
  return [
    ...markFindings(file),
    seen.lost ? wrong('ledger', describeLoss(seen.lost), REFUSALS.events_lost.hint) : soundFinding(inspected),
    schemaFinding(inspected),
    logFinding(inspected),
    ...(seen.tree ? [treeFinding(seen.tree)] : []),
    ...seen.incidents.map(incidentFinding),
  ];
}

/** Damage that a node found while it ran; it refuses every change until the ledger is replaced. */
function markFindings(file: string): readonly DoctorFinding[] {
  const damage = readDamage(file);
  if (!damage) return [];
  return [wrong('incident ledger_damaged', `${damage.finding} (since ${damage.foundAt})`, RESTORE)];
}

function soundFinding({ damage }: InspectedLedger): DoctorFinding {
  if (damage === null) return well('ledger', 'every page is sound');
  return wrong('ledger', `is damaged: ${damage}`, RESTORE);
}

function schemaFinding({ schema, newestSchema }: InspectedLedger): DoctorFinding {
  if (schema === newestSchema) return well('schema', String(schema));
  if (schema < newestSchema) return note('schema', `${schema}: the next command upgrades it to ${newestSchema}`);
  return wrong('schema', `${schema} is newer than this Baton knows (${newestSchema})`, 'use the Baton that wrote it');
}

function logFinding({ logBytes }: InspectedLedger): DoctorFinding {
  const text = `${(logBytes / MIB).toFixed(1)} MB`;
  if (logBytes <= LOG_BYTES_ADVISED_MAX) return well('write-ahead log', text);
  return wrong(
    'write-ahead log',
    `${text}: a reader keeps it from being truncated`,
    'stop programs that read the ledger for long',
  );
}

function treeFinding({ same, missing, changed, unwritten, isCut }: TreeDifferences): DoctorFinding {
  const checked = `${grouped(same)} up to date${isCut ? ' (not all were checked)' : ''}`;
  const odd = [...missing.map((path) => `${path} is missing`), ...changed.map((path) => `${path} was changed`)];
  if (odd.length === 0)
    return unwritten === 0 ? well('files', checked) : note('files', `${unwritten} tasks are not written yet`);
  const more = odd.length > NAMED_FILES_MAX ? ` and ${odd.length - NAMED_FILES_MAX} more` : '';
  const named = `${odd.slice(0, NAMED_FILES_MAX).join(', ')}${more}`;
  return note('files', named, 'baton up applies your changes; baton rebuild --from ledger rewrites the files');
}

function incidentFinding({ kind, taskId, detail, openedAt }: Incident): DoctorFinding {
  const since = new Date(openedAt).toISOString();
  const about = taskId === null ? '' : `${taskId}: `;
  return wrong(`incident ${kind}`, `${about}${detail} (since ${since})`, 'baton status');
}
