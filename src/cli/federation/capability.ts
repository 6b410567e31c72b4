import type { RequestOf } from '../../api/node-client.ts';
import { CONTRACT_BYTES_MAX } from '../../domain/federation/federation-limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import { openBytes, readBounded } from '../../platform/files/files.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { capabilityText, closedText, publishedText, removedText } from './capability-text.ts';

const PUBLISH = 'baton capability publish cap.release.checklist --agent emma --skill checklist@1.0.0';

export const capabilityPublishCommand = nodeCommand({
  usage: [
    'baton capability publish CAPABILITY --agent AGENT --skill NAME[@VERSION] [--delegation NAME[@VERSION]] [--version V]',
    '[--name TEXT] [--eta SECONDS] [--schema FILE] [--also AGENT …] [--deprecated] [--json], or publish FILE.json | -',
  ].join(' '),
  about: [
    'Offers what an agent of this node can do to the whole federation. The skill is a folder skills/NAME of the data folder with a',
    'SKILL.md, whose front matter has name and version. Publish a change under a higher version: a published one never changes.',
    'FILE is a catalog record of Runtime v1, and may have its schema in "contract".',
  ].join(' '),
  examples: [PUBLISH, 'baton capability publish record.json'],
  ignores: ['key'],
  flags: {
    agent: { takes: 'value', shows: 'AGENT', help: 'the agent that does it' },
    skill: {
      takes: 'value',
      shows: 'NAME[@VERSION]',
      help: 'the skill that does it; by default in the version of the capability',
    },
    delegation: {
      takes: 'value',
      shows: 'NAME[@VERSION]',
      help: 'the skill that tells others how to ask; by default the same',
    },
    version: { takes: 'value', shows: 'V', help: 'by default that of the skill, or 1.0.0' },
    name: { takes: 'value', shows: 'TEXT', help: 'a name for people' },
    eta: { takes: 'value', shows: 'SECONDS', help: 'how long it takes, 30 to 86400; by default 900' },
    schema: { takes: 'value', shows: 'FILE', help: 'a JSON Schema that its results fit' },
    also: { takes: 'values', shows: 'AGENT', help: 'another agent that can do it' },
    deprecated: { takes: 'nothing', help: 'mark as deprecated' },
  },
  async plan(call) {
    const request = await publicationOf(call);
    return async (client) =>
      answerOfCall(await client.publishCapability(request), {
        say: publishedText,
        next: ({ warnings = [] }) => (warnings.length === 0 ? null : warnings.join('\n')),
      });
  },
});

async function publicationOf(call: Call): Promise<RequestOf<'publishCapability'>> {
  const [first, tooMany] = call.words;
  if (first === undefined || tooMany !== undefined)
    throw new UsageError('capability publish: needs one capability', PUBLISH);
  if (first === '-' || first.endsWith('.json')) return (await jsonOf(first)) as RequestOf<'publishCapability'>;
  const [agent, skill] = [flagText(call, 'agent'), flagText(call, 'skill')];
  if (agent === undefined) throw new UsageError('capability publish: needs --agent', PUBLISH);
  if (skill === undefined) throw new UsageError('capability publish: needs --skill', PUBLISH);
  const [skillName, skillVersion] = splitSkill(skill);
  const version = flagText(call, 'version') ?? skillVersion ?? '1.0.0';
  const [delegation, name, schema] = ['delegation', 'name', 'schema'].map((flag) => flagText(call, flag));
  const also = flagTexts(call, 'also') ?? [];
  const eta = flagText(call, 'eta');
  return {
    capabilityId: first,
    version,
    ownerAgentId: agent,
    executorSkillRef: { name: skillName, version: skillVersion ?? version },
    ...(delegation !== undefined && { delegationSkillRef: skillRef(delegation, version) }),
    ...(name !== undefined && { name }),
    ...(eta !== undefined && { defaultEtaSeconds: numberOf(eta) }),
    ...(schema !== undefined && { contract: await jsonOf(schema) }),
    ...(also.length > 0 && { eligibleAgentIds: also.flatMap((part) => part.split(',')) }),
    ...(call.flags.deprecated && { status: 'deprecated' as const }),
  };
}

function splitSkill(given: string): readonly [name: string, version: string | undefined] {
  const at = given.lastIndexOf('@');
  return at < 1 ? [given, undefined] : [given.slice(0, at), given.slice(at + 1)];
}

function skillRef(given: string, fallback: string) {
  const [name, version = fallback] = splitSkill(given);
  return { name, version };
}

function numberOf(given: string): number {
  const number = Number(given);
  if (given.trim() !== '' && Number.isFinite(number)) return number;
  throw new UsageError(`no number of seconds: ${JSON.stringify(given)}`, '--eta 900');
}

async function jsonOf(file: string): Promise<Record<string, unknown>> {
  const bytes = await readBounded(openBytes(file), CONTRACT_BYTES_MAX * 2);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isJsonObject(value)) return { ...value };
  } catch {
    // Not UTF-8, or no JSON.
  }
  throw new UsageError(`${file}: is no JSON object`, 'baton schema runtime catalog shows the form of a record');
}

export const capabilityListCommand = nodeCommand({
  usage: 'baton capability list [--all] [--json]',
  about: 'Lists what the agents of the federation can do. With --json each line is a catalog record of Runtime v1.',
  examples: ['baton capability list', 'baton capability list --all --json'],
  ignores: ['key'],
  flags: { all: { takes: 'nothing', help: 'also those that were removed' } },
  plan(call) {
    if (call.words.length > 0)
      throw new UsageError('capability list: takes no arguments', 'baton capability list --all');
    const isAll = Boolean(call.flags.all);
    return async (client) => {
      const list = await client.listCapabilities(isAll ? { all: true } : {});
      if (isRefusal(list)) return refused(list);
      const { capabilities } = list;
      return {
        values: capabilities.map(({ catalog }) => catalog),
        human: (value, style) => {
          const found = capabilities.find(({ catalog }) => catalog === value);
          return found ? capabilityText(found, style) : '';
        },
        summary: () => (capabilities.length === 0 ? `nothing is published\nnext: ${PUBLISH}` : null),
        exitCode: () => 0,
      };
    };
  },
});

export const capabilityShowCommand = nodeCommand({
  usage: 'baton capability show CAPABILITY [--json]',
  about: 'Shows one capability: its record, the agents that work is routed to, its figures and its reviews.',
  examples: ['baton capability show cap.release.checklist --json'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const capability = oneCapability(call, 'show');
    return async (client) => answerOfCall(await client.showCapability({ capability }), { say: publishedText });
  },
});

export const capabilityRemoveCommand = nodeCommand({
  usage: 'baton capability remove CAPABILITY [--json]',
  about: 'Withdraws a capability: no new work is routed to it; its tasks finish.',
  examples: ['baton capability remove cap.release.checklist'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const capability = oneCapability(call, 'remove');
    return async (client) => answerOfCall(await client.removeCapability({ capability }), { say: removedText });
  },
});

export const capabilityCloseCommand = nodeCommand({
  usage: 'baton capability close REVIEW [--note TEXT] [--json]',
  about: [
    'Closes a review of a capability. Baton opens one when a task fails, is late or breaks its contract, and when no route to an active',
    'capability is found again and again; an agent with open reviews gets work last. baton capability show lists them.',
  ].join(' '),
  examples: ['baton capability close rev_01JV3T7E6Q8M1W2R4D9K0N5P7H --note "the skill was corrected"'],
  ignores: ['key'],
  flags: { note: { takes: 'value', shows: 'TEXT', help: 'what was done about it' } },
  plan(call) {
    const [review, tooMany] = call.words;
    if (review === undefined || tooMany !== undefined) {
      throw new UsageError('capability close: needs one review', 'baton capability show CAPABILITY lists them');
    }
    const note = flagText(call, 'note');
    const request = { review, ...(note !== undefined && { note }) };
    return async (client) => answerOfCall(await client.closeCapabilityReview(request), { say: closedText });
  },
});

function oneCapability(call: Call, verb: string): string {
  const [capability, tooMany] = call.words;
  if (capability === undefined || tooMany !== undefined) {
    throw new UsageError(`capability ${verb}: needs one capability`, 'baton capability list shows them');
  }
  return capability;
}
