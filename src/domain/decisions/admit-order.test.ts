import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/an-order.ts';
import type { ExpectedOutput, Order, Phase, Validation } from '../order.ts';
import type { Place } from '../place.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type AdmissionFacts, admitOrder } from './admit-order.ts';
import { pathsOf } from './admit-paths.ts';
import type { KnownAgent } from './choose-agent.ts';

const EMMA: KnownAgent = {
  name: 'emma',
  driver: 'codex',
  provider: 'CODEX',
  model: 'gpt',
  hasRemoteModel: true,
  versionsRead: null,
};
const LOCAL: KnownAgent = {
  ...EMMA,
  name: 'tester',
  driver: 'process',
  provider: 'OTHER',
  model: 't',
  hasRemoteModel: false,
};
const DEMO: KnownAgent = { ...LOCAL, name: 'demo', driver: 'demo', provider: 'LOCAL', model: 'demo' };

const INPUT = { type: 'FILE', path: null, url: null, description: '', content: '', isReadOnly: true };

const folder = (realPath: string): Place => ({ kind: 'there', realPath, what: 'folder' });
const file = (realPath: string): Place => ({ kind: 'there', realPath, what: 'file' });

/** The disk of these tests; every other path is missing. */
const DISK: Readonly<Record<string, Place>> = {
  '/ws': folder('/ws'),
  '/ws/src': folder('/ws/src'),
  '/ws/src/a.ts': file('/ws/src/a.ts'),
  '/ws/link-out': file('/etc/passwd'),
  '/ws/snap-out': { kind: 'missing', realPath: '/etc/cron.d/x' },
  '/ws/fifo': { kind: 'there', realPath: '/ws/fifo', what: 'other' },
  '/ws/loop': { kind: 'unreadable', reason: 'its links lead round' },
  '/ws/.aop_snapshots/taken': folder('/ws/.aop_snapshots/taken'),
  '/ws/.baton': folder('/ws/.baton'),
  '/etc': folder('/etc'),
  '/etc/passwd': file('/etc/passwd'),
  'src/a.ts': file('/ws/src/a.ts'),
  'C:/ws': { kind: 'foreign' },
};

function facts(order: Order, some: Partial<AdmissionFacts> = {}): AdmissionFacts {
  const places = new Map(pathsOf(order).map((path) => [path, DISK[path] ?? missing(path)]));
  return {
    agents: [EMMA, LOCAL, DEMO],
    unready: [{ name: 'zed', missing: 'zed-agent was not found (ENOENT)' }],
    places,
    dataFolder: '/ws/.baton',
    homes: [],
    allowed: ['/'],
    sandbox: { kind: 'there', name: 'bubblewrap' },
    depth: 0,
    warnings: [],
    ...some,
  };
}

function missing(path: string): Place {
  return { kind: 'missing', realPath: path.startsWith('/') ? path : `/ws/${path}` };
}

function admit(some: Partial<Order>, more: Partial<AdmissionFacts> = {}) {
  const order = anOrder(some);
  return admitOrder(order, facts(order, more));
}

/** The code and the field of a refusal; the name of the agent where it is admitted. */
function answer(some: Partial<Order>, more: Partial<AdmissionFacts> = {}): string {
  const found = admit(some, more);
  return isRefusal(found) ? refusalText(found) : `admitted ${found.agent}`;
}

/** A field as its kind, its indexes and its part. */
function refusalText({ code, path, field }: Refusal): string {
  assert.equal(path, '', 'the kernel knows no message');
  return [code, ...Object.values(field ?? {})].join(' ');
}

const target = (some: Partial<Order['target']>): Partial<Order> => ({ target: { ...anOrder().target, ...some } });
const access = (some: Partial<Order['access']>): Partial<Order> => ({ access: { ...anOrder().access, ...some } });
const output = (some: Partial<ExpectedOutput>): ExpectedOutput => ({
  type: 'FILE',
  path: '/ws/out.md',
  description: 'd',
  validation: null,
  snapshot: null,
  ...some,
});

test('an order that fits is admitted, with who does it and in which sandbox', () => {
  assert.deepEqual(admit({}), {
    kind: 'admitted',
    agent: 'emma',
    alternatives: [],
    sandbox: 'bubblewrap',
    warnings: [],
    fallback: null,
  });
});

describe('who answers', () => {
  test('says how to install the agent of a vendor that is not there', () => {
    const unready = [{ name: 'gemini', missing: 'npm i -g @google/gemini-cli', isAbsent: true }];
    const found = admit(target({ agentName: 'gemini', model: 'gemini' }), { unready });
    assert.ok(isRefusal(found));
    assert.match(found.message, /^gemini is not installed: npm i -g @google\/gemini-cli$/);
  });

  const other = { provider: 'OTHER', model: 't' } as const;
  const rows: [string, Partial<Order['target']>, string][] = [
    ['a name wins over provider and model', { agentName: 'tester' }, 'admitted tester'],
    ['else provider and model must both be the same', { agentName: 'nobody' }, 'admitted emma'],
    ['not the model alone', { agentName: 'nobody', provider: 'GEMINI' }, 'E_AGENT_NOT_FOUND agent'],
    ['not the provider alone', { agentName: 'nobody', model: 'other' }, 'E_AGENT_NOT_FOUND agent'],
    ['the demo agent by its name', { agentName: 'demo', ...other }, 'admitted demo'],
    [
      'the demo agent not by what it is',
      { agentName: 'nobody', provider: 'LOCAL', model: 'demo' },
      'E_AGENT_NOT_FOUND agent',
    ],
  ];
  for (const [name, wanted, want] of rows) test(name, () => assert.equal(answer(target(wanted)), want));

  test('nobody: the refusal says what was looked for, and who is there', () => {
    const found = admit(target({ agentName: 'forge', provider: 'GEMINI', model: 'g-2' }));
    assert.ok(isRefusal(found));
    assert.match(found.message, /forge.*GEMINI.*g-2/);
    assert.deepEqual(found.details, ['emma: CODEX, gpt', 'tester: OTHER, t', 'demo: LOCAL, demo']);
  });

  test('an alternative answers for a target that is not there, if that failure triggers it', () => {
    const nobody = target({ agentName: 'forge', provider: 'GEMINI', model: 'g-2' });
    for (const trigger of ['first-error', 'critical-error', 'all-errors'] as const) {
      const found = admit({ ...nobody, alternatives: [{ provider: 'OTHER', model: 't', trigger }] });
      assert.ok(!isRefusal(found), trigger);
      assert.deepEqual([found.agent, found.alternatives], [null, ['tester']]);
    }
    for (const trigger of ['timeout', 'cost-limit-exceeded'] as const) {
      const found = answer({ ...nobody, alternatives: [{ provider: 'OTHER', model: 't', trigger }] });
      assert.equal(found, 'E_AGENT_NOT_FOUND agent', trigger);
    }
    const absent = { provider: 'CLAUDE', model: 'c', trigger: 'first-error' } as const;
    assert.equal(answer({ ...nobody, alternatives: [absent] }), 'E_AGENT_NOT_FOUND agent');
  });

  test('alternatives that are not there are null, in their places', () => {
    const found = admit({
      alternatives: [
        { provider: 'CLAUDE', model: 'c', trigger: 'first-error' },
        { provider: 'OTHER', model: 't', trigger: 'timeout' },
        { provider: 'LOCAL', model: 'demo', trigger: 'timeout' },
      ],
    });
    assert.deepEqual(!isRefusal(found) && found.alternatives, [null, 'tester', null]);
  });
});

describe('without a network', () => {
  test('a remote model is refused, one on this machine is not', () => {
    assert.equal(answer(access({ network: 'NONE' })), 'E_PERMISSION_DENIED model');
    assert.equal(answer({ ...access({ network: 'NONE' }), ...target({ agentName: 'tester' }) }), 'admitted tester');
  });
  test('a remote alternative does not answer', () => {
    const alternatives = [{ provider: 'CODEX', model: 'gpt', trigger: 'first-error' }] as const;
    const found = admit({ ...access({ network: 'NONE' }), ...target({ agentName: 'tester' }), alternatives });
    assert.deepEqual(!isRefusal(found) && found.alternatives, [null]);
  });
});

describe('the workspace', () => {
  const at = 'workspace';
  const rows: [string, string, string][] = [
    ['that is not there', '/nowhere', `E_FILE_NOT_FOUND ${at}`],
    ['that is a file', '/ws/src/a.ts', `E_FILE_NOT_FOUND ${at}`],
    ['of another system', 'C:/ws', `E_FILE_NOT_FOUND ${at}`],
    ['that is not absolute', 'src', `E_FILE_NOT_FOUND ${at}`],
    ["that is Baton's own folder", '/ws/.baton', `E_PERMISSION_DENIED ${at}`],
  ];
  for (const [name, workspaceRoot, want] of rows) {
    test(`${name} is refused`, () => assert.equal(answer({ workspaceRoot }), want));
  }
});

describe('inputs', () => {
  const input = (path: string, type = 'FILE') => ({ inputs: [{ ...INPUT, type, path }] });
  const at = 'input 0';
  const rows: [string, Partial<Order>, string][] = [
    ['a file that is there', input('/ws/src/a.ts'), 'admitted emma'],
    ['a path read from the workspace', input('src/a.ts'), 'admitted emma'],
    ['a folder that is there', input('/ws/src', 'DIRECTORY'), 'admitted emma'],
    ['a file that is not there', input('/ws/b.ts'), `E_FILE_NOT_FOUND ${at}`],
    ['a folder where a file is meant', input('/ws/src'), `E_FILE_NOT_FOUND ${at}`],
    ['a file where a folder is meant', input('/ws/src/a.ts', 'DIRECTORY'), `E_FILE_NOT_FOUND ${at}`],
    ['a path of another system', input('C:/ws'), `E_FILE_NOT_FOUND ${at}`],
    ['links that lead round', input('/ws/loop'), `E_FILE_NOT_FOUND ${at}`],
    ['a pipe', input('/ws/fifo'), `E_PERMISSION_DENIED ${at}`],
    ['a file outside of the grant', input('/etc/passwd'), `E_PERMISSION_DENIED ${at}`],
    ['a link that leads out of the grant', input('/ws/link-out'), `E_PERMISSION_DENIED ${at}`],
    ['a type of the sender’s own', input('/etc/passwd', 'SECRET'), 'admitted emma'],
    [
      'no right to read anything',
      { ...input('/ws/src/a.ts'), ...access({ readPaths: [], writePaths: [] }) },
      `E_PERMISSION_DENIED ${at}`,
    ],
    [
      'what may be written may be read',
      { ...input('/ws/src/a.ts'), ...access({ readPaths: [], writePaths: ['/ws/src'] }) },
      'admitted emma',
    ],
  ];
  for (const [name, some, want] of rows) test(name, () => assert.equal(answer(some), want));
  test('a name that only begins alike is outside', () => {
    const some = { ...input('/ws/src/a.ts'), ...access({ readPaths: ['/ws/sr'], writePaths: [] }) };
    assert.equal(answer(some), `E_PERMISSION_DENIED ${at}`);
  });
});

describe('the grant', () => {
  const rows: [string, Partial<Order['access']>, string][] = [
    ['paths that the work may still make', { writePaths: ['/ws/new'] }, 'admitted emma'],
    ['of another system', { readPaths: ['/ws', 'C:/ws'] }, 'E_FILE_NOT_FOUND read-path 1'],
    ['that leads round', { writePaths: ['/ws/loop'] }, 'E_FILE_NOT_FOUND write-path 0'],
    ['a pipe', { writePaths: ['/ws/fifo'] }, 'E_PERMISSION_DENIED write-path 0'],
    ['of the data folder', { writePaths: ['/ws/.baton/ledger.sqlite'] }, 'E_PERMISSION_DENIED write-path 0'],
  ];
  for (const [name, some, want] of rows) test(name, () => assert.equal(answer(access(some)), want));
});

describe('outputs', () => {
  const at = 'output 0 path';
  const rows: [string, Partial<Order>, string][] = [
    ['a file that is to be made', { outputs: [output({})] }, 'admitted emma'],
    ['outside of the grant', { outputs: [output({ path: '/etc/passwd' })] }, `E_PERMISSION_DENIED ${at}`],
    ['behind a link that leads out', { outputs: [output({ path: '/ws/link-out' })] }, `E_PERMISSION_DENIED ${at}`],
    ['of another system', { outputs: [output({ path: 'C:/ws' })] }, `E_FILE_NOT_FOUND ${at}`],
    [
      'where it may be read but not written',
      { outputs: [output({})], ...access({ writePaths: ['/ws/src'] }) },
      `E_PERMISSION_DENIED ${at}`,
    ],
    ['without a path', { outputs: [output({ type: 'TEXT', path: null })] }, 'admitted emma'],
  ];
  for (const [name, some, want] of rows) test(name, () => assert.equal(answer(some), want));
});

describe('a snapshot path', () => {
  const kept = (path: string) => output({ snapshot: { strategy: 'copy', path } });
  const at = 'output 0 snapshot';
  const rows: [string, Partial<Order>, string][] = [
    ['in .aop_snapshots', { outputs: [kept('/ws/.aop_snapshots/out.md')] }, 'admitted emma'],
    ['beside it', { outputs: [kept('/ws/out.before')] }, `E_PERMISSION_DENIED ${at}`],
    ['that is the folder itself', { outputs: [kept('/ws/.aop_snapshots')] }, `E_PERMISSION_DENIED ${at}`],
    ['that is a folder', { outputs: [kept('/ws/.aop_snapshots/taken')] }, `E_PERMISSION_DENIED ${at}`],
    ['onto a hook', { outputs: [kept('/ws/.git/hooks/pre-commit')] }, `E_PERMISSION_DENIED ${at}`],
    ['behind a link', { outputs: [kept('/ws/snap-out')] }, `E_PERMISSION_DENIED ${at}`],
    ['of another system', { outputs: [kept('C:/ws')] }, `E_FILE_NOT_FOUND ${at}`],
    [
      'that is the output',
      { outputs: [{ ...kept('/ws/.aop_snapshots/a'), path: '/ws/.aop_snapshots/a' }] },
      `E_PERMISSION_DENIED ${at}`,
    ],
    [
      'of two outputs',
      { outputs: [kept('/ws/.aop_snapshots/a'), { ...kept('/ws/.aop_snapshots/a'), path: '/ws/b' }] },
      'E_PERMISSION_DENIED output 1 snapshot',
    ],
  ];
  for (const [name, some, want] of rows) test(name, () => assert.equal(answer(some), want));
});

describe('commands that need a shell', () => {
  const piped: Validation = { command: 'cat a | wc -l', expects: 'exit-code-0' };
  const phase = (some: Partial<Phase['checkpoints'][number]>): Phase => ({
    id: 'P',
    position: 2,
    label: 'l',
    objective: 'o',
    checkpoints: [{ id: 'C', description: 'd', artifacts: [], validation: null, onFailure: 'abort', ...some }],
  });
  const rows: [string, Partial<Order>, string][] = [
    ['of an output', { outputs: [output({ validation: piped })] }, ' output 0 command'],
    ['of a checkpoint', { phases: [phase({ validation: piped })] }, ' checkpoint 2 0'],
    ['of an artifact', { phases: [phase({ artifacts: [output({ validation: piped })] })] }, ' artifact 2 0 0 command'],
    ['of a check', { checks: ['npm test', 'a && b'] }, ''],
  ];
  for (const [name, some, field] of rows) {
    test(`${name} are refused`, () => assert.equal(answer(some), `E_PERMISSION_DENIED${field}`));
    test(`${name} pass with leave`, () => assert.equal(answer({ ...some, isShellAllowed: true }), 'admitted emma'));
  }
  test('a path that is looked for is no command', () => {
    const validation: Validation = { command: 'a & b.txt', expects: 'file-exists' };
    assert.equal(answer({ outputs: [output({ validation })] }), 'admitted emma');
  });
  test('an artifact of a checkpoint may be read, wherever that is granted', () => {
    const some = { phases: [phase({ artifacts: [output({ path: '/ws/src/a.ts' })] })], ...access({ writePaths: [] }) };
    assert.equal(answer(some), 'admitted emma');
    const out = { phases: [phase({ artifacts: [output({ path: '/etc/passwd' })] })] };
    assert.equal(answer(out), 'E_PERMISSION_DENIED artifact 2 0 0 path');
  });
});

describe('depth', () => {
  test('three times handed down is allowed', () => assert.equal(answer({}, { depth: 3 }), 'admitted emma'));
  test('four times is not', () => {
    assert.equal(answer({}, { depth: 4 }), 'E_MAX_DEPTH_EXCEEDED parent');
  });
  test('by itself is not', () => {
    const circle = { taskId: 'T-1', parentTaskId: 'T-1' };
    assert.equal(answer(circle), 'E_SCHEMA_VALIDATION parent');
  });
});

describe('the sandbox', () => {
  const none = { sandbox: { kind: 'missing', reason: 'bwrap is not installed' } } as const;
  test('demanded and missing: refused, with the reason', () => {
    const found = admit({ isSandboxDemanded: true }, none);
    assert.ok(isRefusal(found));
    assert.equal(refusalText(found), 'E_PERMISSION_DENIED access');
    assert.match(found.message, /bwrap is not installed/);
  });
  test('demanded and switched off: refused', () => {
    const off = { sandbox: { kind: 'there', name: 'none' } } as const;
    assert.equal(answer({ isSandboxDemanded: true }, off), 'E_PERMISSION_DENIED access');
  });
  test('missing and not demanded: admitted with a warning, behind those of the message', () => {
    const warning = { kind: 'message', code: 'E_PAYLOAD_SIZE_WARNING', path: '/phases', message: 'many' } as const;
    const found = admit({}, { ...none, warnings: [warning] });
    assert.ok(!isRefusal(found));
    assert.equal(found.sandbox, 'none');
    const open = { kind: 'not-sandboxed', code: null, path: null, message: 'not sandboxed: bwrap is not installed' };
    assert.deepEqual(found.warnings, [warning, open]);
  });
});

test('every path that is judged was looked up, and no other', () => {
  const order = anOrder({
    inputs: [{ ...INPUT, path: 'src/a.ts' }],
    outputs: [output({ snapshot: { strategy: 'copy', path: '/ws/.aop_snapshots/a' } })],
    access: { readPaths: ['/ws'], writePaths: ['/ws/src'], readOnlyPaths: ['src/a.ts'], network: 'FULL' },
  });
  assert.deepEqual(pathsOf(order), ['/ws', '/ws/src', 'src/a.ts', '/ws/out.md', '/ws/.aop_snapshots/a']);
});

describe('work of another node', () => {
  const root = '/ws/.baton/travel/work/evt-1';
  const other = '/ws/.baton/travel/work/evt-2';
  const parcel = { digest: 'd', root };
  const places = (...paths: readonly string[]) => new Map(paths.map((path) => [path, folder(path)]));
  const given = (path: string) => ({ access: { ...anOrder().access, readPaths: [], writePaths: [path] } });

  test('is done in the folder that it was unpacked to, in the data folder', () => {
    const more = { places: places(root), otherDataFolders: ['/ws/.baton'] };
    assert.equal(answer({ workspaceRoot: root, parcel, ...given(root) }, more), 'admitted emma');
  });

  test('reaches nothing else of the data folder, and no other work', () => {
    for (const path of ['/ws/.baton/node.key', other, '/ws/.baton/travel/stores', `${root}-2`]) {
      const more = { places: places(root, path) };
      assert.match(
        answer({ workspaceRoot: root, parcel, ...given(path) }, more),
        /^E_PERMISSION_DENIED write-path/,
        path,
      );
    }
    const more = { places: places(other) };
    assert.match(answer({ workspaceRoot: other, parcel, ...given(other) }, more), /^E_PERMISSION_DENIED workspace/);
    assert.match(
      answer({ workspaceRoot: root, ...given(root) }, { places: places(root) }),
      /^E_PERMISSION_DENIED workspace/,
    );
  });

  test('does not reach a data folder that came with it', () => {
    const inner = `${root}/.baton`;
    const more = { places: places(root, inner), otherDataFolders: ['/ws/.baton', inner] };
    assert.match(answer({ workspaceRoot: root, parcel, ...given(inner) }, more), /^E_PERMISSION_DENIED write-path/);
  });
});
