import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { layerOf } from './layers.ts';
import { importsOf, targetOf } from './modules.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

/** The kernel has its own nouns: only the edges translate between them and the wire formats. */
const KERNEL = [
  ...['domain', 'ledger', 'workspace', 'checks', 'agents', 'operations', 'trace'],
  ...['work', 'orders', 'dispatch', 'notices', 'sessions'],
];
const EDGES_OF_KERNEL = /^src\/agents\/drivers\//;
/** Edges that speak one protocol only. */
const PROTOCOL_OF: Readonly<Record<string, string>> = { reviews: 'afp', federation: 'runtime' };
/** Text tools at the root of src/protocols that know no protocol. */
const TEXT_TOOLS = /^src\/protocols\/[^/]+\.ts$/;

function wrongImport(file: SourceFile, target: string): string | undefined {
  const own = layerOf(file.path) ?? '';
  if (layerOf(target) !== 'protocols') return undefined;
  if (own === 'config') {
    return TEXT_TOOLS.test(target) ? undefined : `config imports ${target}: it may use the text tools only`;
  }
  const only = PROTOCOL_OF[own];
  if (only !== undefined && !TEXT_TOOLS.test(target) && !target.startsWith(`src/protocols/${only}/`)) {
    return `${own} imports ${target}: it speaks ${only} only`;
  }
  if (!KERNEL.includes(own) || EDGES_OF_KERNEL.test(file.path)) return undefined;
  return `${own} imports ${target}: the kernel knows no protocol; translate at an edge and hand in kernel nouns`;
}

function protocolFindings(file: SourceFile): Finding[] {
  return importsOf(file).flatMap(({ from, line }) => {
    const target = targetOf(file, from);
    const what = target && wrongImport(file, target);
    return what ? [{ file: file.path, line, what }] : [];
  });
}

test('below the edges nothing imports a protocol', () => {
  const files = sourceFiles('src').filter((file) => !isTest(file));
  assertNone(files.flatMap(protocolFindings));
});

/**
 * Pointers into an AOP TASK, into the payload of a message, and to any field in snake_case, as all five protocols have them. A
 * refusal of the kernel names an `OrderField` or a `MessagePart`.
 */
const MESSAGE_POINTER =
  /['"`]\/(?:session|target|task|guard_rails|phases|payload|metadata|(?!node_modules)[a-z]+(?:_[a-z]+)+)(?:[/'"`]|$)/;

function pointerFindings({ path, text }: SourceFile): Finding[] {
  if (!KERNEL.includes(layerOf(path) ?? '') || EDGES_OF_KERNEL.test(path)) return [];
  const what = 'a pointer into a message: name an OrderField or a MessagePart, and the edge finds its pointer';
  return text
    .split('\n')
    .flatMap((line, at) => (MESSAGE_POINTER.test(line) ? [{ file: path, line: at + 1, what }] : []));
}

test('below the edges nothing points into a message', () => {
  const files = sourceFiles('src').filter((file) => !isTest(file));
  assertNone(files.flatMap(pointerFindings));
});

test('planted: a pointer into a message below the edges is found', () => {
  const planted = (path: string, text: string) => pointerFindings(sourceFile(path, `\n${text}`));
  assertFound(planted('src/domain/a.ts', "refuse('E_UNKNOWN', 'no', '/task/access')"), 2, /OrderField/);
  assertFound(planted('src/dispatch/a.ts', 'const at = `/phases/0`;'), 2, /OrderField/);
  assertFound(planted('src/operations/a.ts', "refuse('x', 'no', '/payload/status')"), 2, /MessagePart/);
  assertFound(planted('src/operations/a.ts', "refuse('x', 'no', '/turn_index')"), 2, /MessagePart/);
  assertNone(planted('src/protocols/aop/a.ts', "const at = '/task/access';"));
  assertNone(planted('src/operations/a.ts', "refuse('invalid_argument', 'no', '/tags')"));
});

/** Words that AOP spells in capitals and the kernel in its own way, and fields of its messages. */
const AOP_WORDS = [
  ...['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED'],
  ...['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'SKIPPED'],
  ...['CREATED', 'UPDATED', 'DELETED', 'UNCHANGED', 'PASS', 'FAIL', 'SKIP'],
  ...['TASK_ABORTED', 'TASK_FAILED', 'EXIT_CODE_0', 'MATCH_FOUND', 'NO_MATCH', 'FILE_EXISTS', 'GIT_STASH'],
  ...[
    'TASK_DISPATCHED',
    'RESPONSE_RECEIVED',
    'ROUTING_DECISION',
    'GUARD_RAIL_CHECK',
    'ROLLBACK_EVENT',
    'SESSION_SUMMARY',
  ],
];
const AOP_FIELDS = [
  'final_signal',
  'error_code',
  'actual_cost_usd',
  'checkpoint_id',
  'forbidden_writes',
  'files_left_out',
];
/** A type or a comparison that is closed over the name of one protocol. */
const PROTOCOL_NAME = /\bprotocol\??(?::| ===| !==) ['"`](?:aop|afp|aof|saop|runtime)['"`]/;
const AOP_SPELLING = new RegExp(`['"\`](?:${AOP_WORDS.join('|')})['"\`]|\\b(?:${AOP_FIELDS.join('|')})\\b`);
/** They write and read records that were made before, or that are signed: the words of those never change. */
const RECORDS = [
  'src/domain/failure-code.ts',
  'src/domain/order/record-words.ts',
  'src/domain/execution/lift-fact.ts',
  'src/domain/execution/lift-verdicts.ts',
  'src/ledger/migrations/',
];

function spellingFindings({ path, text }: SourceFile): Finding[] {
  if (!KERNEL.includes(layerOf(path) ?? '') || EDGES_OF_KERNEL.test(path)) return [];
  if (RECORDS.some((record) => path.startsWith(record))) return [];
  const what =
    "AOP's spelling: use the kernel's word, and spell it in protocols/aop/words.ts or domain/record-words.ts";
  const isFound = (line: string) => AOP_SPELLING.test(line) || PROTOCOL_NAME.test(line);
  return text.split('\n').flatMap((line, at) => (isFound(line) ? [{ file: path, line: at + 1, what }] : []));
}

test('below the edges nothing is spelled as AOP does, and no protocol is named', () => {
  const files = sourceFiles('src').filter((file) => !isTest(file));
  assertNone(files.flatMap(spellingFindings));
});

test('planted: a word or a field of AOP below the edges is found', () => {
  const planted = (path: string, text: string) => spellingFindings(sourceFile(path, `\n${text}`));
  assertFound(planted('src/domain/a.ts', "if (verdict === 'PARTIAL_SUCCESS') return;"), 2, /AOP's spelling/);
  assertFound(planted('src/dispatch/a.ts', 'return { final_signal: verdict };'), 2, /AOP's spelling/);
  assertFound(planted('src/checks/a.ts', "const type = 'SESSION_SUMMARY';"), 2, /AOP's spelling/);
  assertFound(planted('src/domain/a.ts', "type Sent = { readonly protocol: 'aop' };"), 2, /AOP's spelling/);
  assertNone(planted('src/domain/order/record-words.ts', "const checked = 'SUCCESS';"));
  assertNone(planted('src/protocols/aop/a.ts', "const checked = 'SUCCESS';"));
  assertNone(planted('src/domain/a.ts', 'const SUCCESS = 1;'));
});

/** The codes of AOP §12, as a word or a key. In a comment they are prose. */
const AOP_CODE = /['"`]E_[A-Z]+(?:_[A-Z]+)*\b|^\s*E_[A-Z]+(?:_[A-Z]+)*:/;

function codeFindings({ path, text }: SourceFile): Finding[] {
  if (!isKernelOrReviews(path) || EDGES_OF_KERNEL.test(path) || RECORDS.includes(path)) return [];
  const what = "a code of AOP: use the kernel's own, which domain/failure-code.ts spells for programs";
  return text.split('\n').flatMap((line, at) => (AOP_CODE.test(line) ? [{ file: path, line: at + 1, what }] : []));
}

/** Reviews and tasks of other nodes judge runs by the same codes. */
function isKernelOrReviews(path: string): boolean {
  return [...KERNEL, 'reviews', 'remote'].includes(layerOf(path) ?? '');
}

test('below the edges nothing has the failure codes of AOP', () => {
  const files = sourceFiles('src').filter((file) => !isTest(file));
  assertNone(files.flatMap(codeFindings));
});

test('planted: a failure code of AOP below the edges is found', () => {
  const planted = (path: string, text: string) => codeFindings(sourceFile(path, `\n${text}`));
  assertFound(planted('src/domain/a.ts', "return refuse('E_TIMEOUT', 'late');"), 2, /a code of AOP/);
  assertFound(planted('src/dispatch/a.ts', 'const text = `E_UNKNOWN: it broke`;'), 2, /a code of AOP/);
  assertFound(planted('src/remote/a.ts', "  E_TIMEOUT: 'timeout',"), 2, /a code of AOP/);
  assertNone(planted('src/domain/failure-code.ts', "  timeout: 'E_TIMEOUT',"));
  assertNone(planted('src/protocols/aop/a.ts', "const code = 'E_TIMEOUT';"));
  assertNone(planted('src/domain/a.ts', "const code = 'timeout';"));
});

test('planted: an import of a protocol below the edges is found', () => {
  const planted = (path: string, from: string) => protocolFindings(sourceFile(path, `\nimport { a } from '${from}';`));
  assertFound(planted('src/dispatch/a.ts', '../protocols/aop/decode.ts'), 2, /kernel knows no protocol/);
  assertFound(planted('src/agents/a.ts', '../protocols/codec.ts'), 2, /kernel knows no protocol/);
  assertFound(planted('src/config/a.ts', '../protocols/aof/decode.ts'), 2, /text tools only/);
  assertNone(planted('src/config/a.ts', '../protocols/json-text.ts'));
  assertNone(planted('src/agents/drivers/demo/a.ts', '../../../protocols/aop/decode.ts'));
  assertNone(planted('src/tree/a.ts', '../protocols/aof/encode.ts'));
  assertFound(planted('src/reviews/a.ts', '../protocols/aop/decode.ts'), 2, /speaks afp only/);
  assertNone(planted('src/reviews/a.ts', '../protocols/afp/decode.ts'));
});
