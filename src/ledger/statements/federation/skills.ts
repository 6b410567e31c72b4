import type { Reader, Tuple, Tx } from '../../tx.ts';

/** One agent that the delegation skill of a capability of this node goes to. */
export interface SkillTarget {
  readonly capabilityId: string;
  readonly agent: string;
  readonly node: string;
  /** The id of the distribution's task. */
  readonly taskId: string;
  readonly skill: string;
  readonly version: string;
  /** The SHA-256 of the packed skill; null if this node does not have the skill. */
  readonly blob: string | null;
  readonly state: 'waiting' | 'accepted' | 'confirmed' | 'refused';
  /** Why it was refused. */
  readonly reason: string | null;
  /** Milliseconds since 1970; an agent that has not confirmed by then is late. */
  readonly requiredBy: number;
}

const SELECT = `SELECT capability_id, agent, node, task_id, skill, version, blob, state, reason, required_by
  FROM skill_targets`;

function toTarget(tuple: Tuple): SkillTarget {
  return {
    capabilityId: tuple[0] as string,
    agent: tuple[1] as string,
    node: tuple[2] as string,
    taskId: tuple[3] as string,
    skill: tuple[4] as string,
    version: tuple[5] as string,
    blob: tuple[6] as string | null,
    state: tuple[7] as SkillTarget['state'],
    reason: tuple[8] as string | null,
    requiredBy: tuple[9] as number,
  };
}

/** The targets of the last distribution of a capability, by agent. */
export function selectSkillTargets(tx: Reader, capabilityId: string): SkillTarget[] {
  return tx.tuples(`${SELECT} WHERE capability_id = ? ORDER BY agent`, capabilityId).map(toTarget);
}

export function selectTargetsOfTask(tx: Reader, taskId: string): SkillTarget[] {
  return tx.tuples(`${SELECT} WHERE task_id = ? ORDER BY agent`, taskId).map(toTarget);
}

/** The packed skills that somebody still waits for, with the skill that each is. */
export function selectAwaitedSkills(tx: Reader): Pick<SkillTarget, 'skill' | 'version' | 'blob'>[] {
  const sql = `SELECT DISTINCT skill, version, blob FROM skill_targets
    WHERE state IN ('waiting', 'accepted') AND blob IS NOT NULL`;
  return tx
    .tuples(sql)
    .map(([skill, version, blob]) => ({ skill: skill as string, version: version as string, blob: blob as string }));
}

/** A new distribution takes the place of the one before it. */
export function replaceSkillTargets(tx: Tx, capabilityId: string, targets: readonly SkillTarget[]): void {
  tx.write('DELETE FROM skill_targets WHERE capability_id = ?', capabilityId);
  const sql = `INSERT INTO skill_targets
    (capability_id, agent, node, task_id, skill, version, blob, state, reason, required_by, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  for (const { agent, node, taskId, skill, version, blob, state, reason, requiredBy } of targets) {
    const at = tx.moment.now.wallMs;
    tx.write(sql, capabilityId, agent, node, taskId, skill, version, blob, state, reason, requiredBy, at);
  }
}

export function updateSkillTarget(
  tx: Tx,
  { capabilityId, agent }: Pick<SkillTarget, 'capabilityId' | 'agent'>,
  { state, reason }: Pick<SkillTarget, 'state' | 'reason'>,
): void {
  const sql = 'UPDATE skill_targets SET state = ?, reason = ?, updated_at = ? WHERE capability_id = ? AND agent = ?';
  tx.write(sql, state, reason, tx.moment.now.wallMs, capabilityId, agent);
}

/** A skill of another node that was installed here, and may be replaced by a newer version of it. */
export interface InstalledSkill {
  readonly skill: string;
  readonly version: string;
  readonly blob: string;
  /** The node that it came from. */
  readonly source: string;
}

export function selectInstalledSkill(tx: Reader, skill: string): InstalledSkill | null {
  const tuple = tx.tuple('SELECT version, blob, source FROM installed_skills WHERE skill = ?', skill);
  if (!tuple) return null;
  const [version, blob, source] = tuple;
  return { skill, version: version as string, blob: blob as string, source: source as string };
}

export function upsertInstalledSkill(tx: Tx, { skill, version, blob, source }: InstalledSkill): void {
  const sql = `INSERT OR REPLACE INTO installed_skills (skill, version, blob, source, updated_at) VALUES (?, ?, ?, ?, ?)`;
  tx.write(sql, skill, version, blob, source, tx.moment.now.wallMs);
}
