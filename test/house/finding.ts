import assert from 'node:assert/strict';

/** One breach of a house rule: where it is, and what to do instead. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

export function describeFinding({ file, line, what }: Finding): string {
  return `${file}:${line}: ${what}`;
}

export function assertNone(findings: readonly Finding[]): void {
  assert.ok(findings.length === 0, `\n${findings.map(describeFinding).join('\n')}\n`);
}

/** For the planted samples: the rule sees the fault, on that line, and says something about it. */
export function assertFound(findings: readonly Finding[], line: number, words: RegExp): void {
  const said = findings.map(describeFinding).join('\n') || 'nothing was found';
  assert.ok(
    findings.some((finding) => finding.line === line && words.test(finding.what)),
    `expected a finding on line ${line} that matches ${words}, got:\n${said}`,
  );
}
