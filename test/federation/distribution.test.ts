import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../../src/domain/refusal.ts';
import { publishCapability } from '../../src/federation/capabilities/publish.ts';
import { scratchFolder } from '../support/data-folder.ts';
import { TaskFleet } from '../support/remote/sim-tasks.ts';

const SKILL = { name: 'skill', version: '1.0.0' };

test('a capability that is published is a task for every active agent but its owner: to install its skill', async () => {
  const fleet = new TaskFleet();
  const left = await fleet.add('left', ['emma', 'tester']);
  await fleet.add('right', ['critic']);
  const gone = await fleet.add('gone', ['ghost']);
  gone.kill();
  await fleet.pass(120_000);
  left.skillPath = scratchFolder('distribution');
  writeFileSync(join(left.skillPath, 'SKILL.md'), '---\nname: skill\nversion: 1.0.0\n---\nHow to do it.\n');
  const draft = { capabilityId: 'cap.a', version: '1.0.0', ownerAgentId: 'emma', executorSkillRef: SKILL };
  const published = await publishCapability(left.federation, draft);
  assert.ok(!isRefusal(published), isRefusal(published) ? published.message : '');
  const tasks = left
    .rows<{ envelope: string }>("SELECT envelope FROM outbox WHERE kind = 'task_create'")
    .map(({ envelope }) => JSON.parse(envelope).payload);
  assert.deepEqual(
    tasks.map(({ taskType, delegationSkillRef, toAgents }) => [taskType, delegationSkillRef, toAgents.toSorted()]),
    [['skill_distribution', SKILL, ['critic', 'tester']]],
  );
});
