import type { diffOf, LeftWork } from '../dispatch/work/work.ts';
import { isRefusal } from '../domain/refusal.ts';

type Difference = Exclude<Awaited<ReturnType<typeof diffOf>>, { readonly kind: 'refusal' }>;

/** The work of a task as a document for a reviewer: objective, acceptance criteria, Baton's own findings, and the difference. */
export function workText({ task, execution }: LeftWork, diff: Difference): string {
  if (isRefusal(diff)) throw new Error('a refusal is no difference');
  const { order, reported } = execution;
  const report = reported?.report ?? null;
  const criteria = [
    ...order.checks.map((check) => `- \`${check}\` passes`),
    ...order.outputs.map(({ path, type, description }) => `- ${path ?? type}: ${description}`),
    ...order.phases.flatMap(({ checkpoints }) => checkpoints.map(({ description }) => `- ${description}`)),
  ];
  const findings = report === null ? [] : receiptLines(report);
  const files = diff.files.map(
    ({ status, path, added, removed }) => `- ${status} ${path} (+${added ?? '?'} -${removed ?? '?'})`,
  );
  return [
    `# The work on ${task.id}: ${task.title}`,
    section('Objective', [order.objective]),
    section('Acceptance criteria', criteria.length === 0 ? ['- none were given'] : criteria),
    section('Receipt: what Baton measured', findings.length === 0 ? ['- nothing'] : findings),
    section('Changed files', files.length === 0 ? ['- none'] : files),
    section('Difference', [fenced(diff.text, 'diff')]),
  ].join('\n\n');
}

type Report = NonNullable<LeftWork['execution']['reported']>['report'];

function receiptLines({ verdict, isUnchecked, message, checks, oldTests, warnings, violations }: Report): string[] {
  return [
    `- verdict: ${isUnchecked ? 'unchecked' : verdict.toLowerCase().replaceAll('_', ' ')}: ${message}`,
    ...checks.map(({ id, after, change }) => `- check \`${id}\`: ${after} (${change})`),
    ...(oldTests ? [`- with the tests as they were before: ${oldTests.result}: ${oldTests.message}`] : []),
    ...violations.map((path) => `- written without a grant: ${path}`),
    ...warnings.map((warning) => `- warning: ${warning.message}`),
  ];
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.join('\n')}`;
}

/** The fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, each) => Math.max(most, each.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}\n${mark}`;
}
