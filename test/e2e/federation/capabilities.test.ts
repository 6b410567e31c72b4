import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CapabilityView, SkillTargetView } from '../../../src/api/federation/federation-contract.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';

const scratch = scratchFolder('capabilities');
const AGENT = { driver: 'process', command: ['true'], provider: 'OTHER', model: 'none' };
const SHARED = join(scratch, 'shared');
const CAPABILITY = 'cap.release.checklist';

async function joined(name: string, agent: string): Promise<DataFolder> {
  const folder = new DataFolder(join(scratch, name));
  await folder.json('init');
  writeFileSync(join(folder.path, 'config.yaml'), JSON.stringify({ agents: { [agent]: AGENT } }));
  await folder.json('node', 'join', SHARED, '--node', name);
  return folder;
}

function skill({ path }: DataFolder, name: string, version: string): string {
  const folder = join(path, 'skills', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\nversion: ${version}\n---\nHow to do it.\n`);
  return folder;
}

async function refusedBy(folder: DataFolder, ...words: string[]): Promise<string> {
  const run = await folder.run(['capability', ...words, '--json']);
  assert.equal(run.status, 2, run.stdout);
  return linesOf<{ code: string }>(run)[0]?.code ?? '';
}

/** The targets of a distribution once every one of them has come to a state; the limit of the test bounds the wait. */
async function targetsOf(folder: DataFolder, isThere: (target: SkillTargetView) => boolean, capability = CAPABILITY) {
  for (;;) {
    const { skillTargets = [] } = await folder.json<CapabilityView>('capability', 'show', capability);
    if (skillTargets.length > 0 && skillTargets.every(isThere)) return skillTargets;
  }
}

describe('capabilities of two nodes', { concurrency: 1 }, () => {
  let left: DataFolder;
  let right: DataFolder;
  before(async () => {
    left = await joined('left', 'emma');
    right = await joined('right', 'critic');
    skill(left, 'checklist', '1.0.0');
    for (const folder of [left, right]) await folder.json('up', '-d');
  });
  after(async () => {
    for (const folder of [left, right]) await folder.run(['down']);
  });

  test('an owner that does not exist, a skill that does not resolve, and a wrong ETA are refused', async () => {
    const publish = (...flags: string[]) => refusedBy(left, 'publish', CAPABILITY, ...flags);
    assert.equal(await publish('--agent', 'nobody', '--skill', 'checklist'), 'owner_unavailable');
    assert.equal(await publish('--agent', 'emma', '--skill', 'other'), 'capability_unavailable');
    assert.equal(await publish('--agent', 'emma', '--skill', 'checklist@2.0.0'), 'capability_unavailable');
    assert.equal(await publish('--agent', 'emma', '--skill', 'checklist', '--eta', '29'), 'invalid_capability');
    assert.deepEqual(linesOf(await left.run(['capability', 'list', '--all', '--json'])), []);
  });

  test('a skill behind a link does not resolve', async () => {
    const outside = join(scratch, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'SKILL.md'), '---\nname: linked\nversion: 1.0.0\n---\n');
    symlinkSync(outside, join(left.path, 'skills', 'linked'));
    const code = await refusedBy(left, 'publish', CAPABILITY, '--agent', 'emma', '--skill', 'linked');
    assert.equal(code, 'capability_unavailable');
  });

  test('a published capability is seen by every node, as the document has it', async () => {
    const schema = join(scratch, 'schema.json');
    writeFileSync(schema, JSON.stringify({ type: 'object', required: ['passed'] }));
    const flags = ['--agent', 'emma', '--skill', 'checklist', '--name', 'Release checklist', '--schema', schema];
    const view = await left.json<CapabilityView>('capability', 'publish', CAPABILITY, ...flags);
    assert.deepEqual([view.eligibleAgentIds, view.warnings], [['emma'], []]);
    const [record, none] = linesOf<Record<string, unknown>>(await right.run(['capability', 'list', '--json']));
    assert.deepEqual([record?.ownerAgentId, record?.ownerNodeId, none], ['emma', 'left', undefined]);
    const file = join(scratch, 'record.json');
    writeFileSync(file, JSON.stringify(record));
    assert.equal((await runBaton(['check', '--as', 'runtime', file])).status, 0);
    const again = await left.json<CapabilityView>('capability', 'publish', file, '--json');
    assert.equal(again.catalog.version, '1.0.0', 'its own record can be published again');
    assert.match((await right.run(['capability', 'show', CAPABILITY])).stdout, /emma on left/);
  });

  test('its delegation skill is installed by the other agents, and each is asked to confirm', async () => {
    const targets = await targetsOf(left, ({ state }) => state === 'confirmed');
    assert.deepEqual(
      targets.map(({ agentId, nodeId, skill: name, version, late }) => [agentId, nodeId, name, version, late]),
      [['critic', 'right', 'checklist', '1.0.0', false]],
    );
    const file = ['skills', 'checklist', 'SKILL.md'] as const;
    assert.equal(right.read(...file), left.read(...file));
    const types = linesOf<{ type: string }>(await left.run(['events', '--type', 'skill.*', '--json']));
    assert.deepEqual(types.map(({ type }) => type).slice(0, 2), ['skill.confirmed', 'skill.distributed']);
    assert.match((await left.run(['capability', 'show', CAPABILITY])).stdout, /is installed by 1 of 1 agents/);
  });

  test('a skill that a person put there is not replaced, and the agent without the new one is named', async () => {
    skill(right, 'own', '0.5.0');
    skill(left, 'own', '1.0.0');
    await left.json('capability', 'publish', 'cap.own', '--agent', 'emma', '--skill', 'own');
    const [target] = await targetsOf(left, ({ state }) => state === 'refused', 'cap.own');
    assert.match(target?.reason ?? '', /^version_incompatible: own 0\.5\.0 is here, and Baton did not install it/);
    assert.match(right.read('skills', 'own', 'SKILL.md'), /version: 0\.5\.0/);
    assert.match((await left.run(['capability', 'show', 'cap.own'])).stdout, /critic on right: refused/);
    await left.json('capability', 'remove', 'cap.own');
  });

  test('only its owner changes or removes it', async () => {
    skill(right, 'checklist', '1.0.0');
    const publish = ['publish', CAPABILITY, '--agent', 'critic', '--skill', 'checklist', '--version', '9.0.0'];
    assert.equal(await refusedBy(right, ...publish), 'capability_unavailable');
    assert.equal(await refusedBy(right, ...publish.slice(0, -2)), 'unauthorized_agent');
    assert.equal(await refusedBy(right, 'remove', CAPABILITY), 'unauthorized_agent');
  });

  test('other content under a published version is refused', async () => {
    const folder = skill(left, 'checklist', '1.0.0');
    writeFileSync(join(folder, 'run.sh'), 'echo changed\n');
    const publish = ['publish', CAPABILITY, '--agent', 'emma', '--skill', 'checklist', '--name', 'Release checklist'];
    assert.equal(await refusedBy(left, ...publish), 'version_incompatible');
    skill(left, 'checklist', '1.1.0');
    const next = [...publish, '--version', '1.1.0', '--skill', 'checklist@1.1.0'];
    assert.equal((await left.json<CapabilityView>('capability', ...next)).catalog.version, '1.1.0');
    await targetsOf(left, ({ state, version }) => state === 'confirmed' && version === '1.1.0');
    assert.match(
      right.read('skills', 'checklist', 'run.sh'),
      /changed/,
      'the version that Baton installed is replaced',
    );
    assert.equal(await refusedBy(left, ...publish), 'capability_unavailable');
  });

  test('its records come back after the store was lost', async () => {
    for (const folder of [left, right]) await folder.run(['down']);
    rmSync(SHARED, { recursive: true, force: true, maxRetries: 3 });
    await left.json('up', '-d');
    for (;;) {
      // The limit of the test bounds it.
      const [record] = linesOf<Record<string, unknown>>(await left.run(['capability', 'list', '--json']));
      if (record?.capabilityId === CAPABILITY) break;
    }
    const { eligibleAgentIds } = await left.json<CapabilityView>('capability', 'show', CAPABILITY);
    assert.deepEqual(eligibleAgentIds, ['emma']);
  });

  test('a removed one is routed to nobody, and its record says so', async () => {
    const removed = await left.json<CapabilityView>('capability', 'remove', CAPABILITY);
    assert.deepEqual([removed.catalog.status, removed.eligibleAgentIds], ['disabled', []]);
    assert.deepEqual(linesOf(await left.run(['capability', 'list', '--json'])), []);
    const [record] = linesOf<Record<string, unknown>>(await left.run(['capability', 'list', '--all', '--json']));
    assert.equal(record?.status, 'disabled');
    assert.equal(await refusedBy(left, 'show', 'cap.nobody'), 'capability_unavailable');
  });
});
