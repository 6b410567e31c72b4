import type { Handoff } from './schema/messages.ts';
import { withoutLineBreaks } from './work-log-entry.ts';

/** AOF/1, Handoff Artifacts: inputs/handoff.md, the same handoff for people. */
export function writeHandoffMarkdown(handoff: Handoff): string {
  const head = [
    '# Handoff Request',
    '',
    `**From:** ${withoutLineBreaks(handoff.fromAgent)}`,
    `**To:** ${withoutLineBreaks(handoff.toAgent)}`,
    `**Due By:** ${handoff.dueBy}`,
  ];
  const lines = [
    ...head,
    ...section('Acceptance Criteria', handoff.acceptanceCriteria),
    ...section('Expected Outputs', handoff.expectedOutputs),
    ...section('Context References', handoff.contextRefs),
    ...section('Constraints', handoff.constraints),
  ];
  return `${lines.join('\n')}\n`;
}

/** aof:handoff-files: an empty list reads `- None`. */
function section(title: string, items: readonly string[] = []): string[] {
  const shown = items.length === 0 ? ['None'] : items.map(withoutLineBreaks);
  return ['', `## ${title}`, '', ...shown.map((item) => `- ${item}`)];
}
