/** The AOF files that carry no marker: their name tells what they are (D-G3). */
const KINDS_BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^run\.json$/, 'run'],
  [/^run_heartbeat\.json$/, 'run_heartbeat'],
  [/^run_result\.json$/, 'run_result'],
  [/^handoff\.json$/, 'handoff'],
  [/^TASK-\d{4}-\d{2}-\d{2}-\d{3}\.md$/, 'task'],
  [/^\d{4}-\d{2}-\d{2}\.jsonl$/, 'event'],
];

/** The kind of a file by its name, with or without folders before it; null for any other. */
export function aofKindOfFile(fileName: string): string | null {
  const name = fileName.slice(fileName.replaceAll('\\', '/').lastIndexOf('/') + 1);
  return KINDS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
