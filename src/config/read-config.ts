import { explainIssue } from '../protocols/explain-issue.ts';
import { pointer } from '../protocols/issue.ts';
import { judgeValue } from '../protocols/judge-value.ts';
import { readYaml } from '../protocols/yaml-text.ts';
import { ConfigFault } from './config-fault.ts';
import { CONFIG, type Config } from './schema.ts';

/** A text judged as configuration; `place` is where it stands, for what is said about it. */
export function readConfig(text: string, place: string): Config {
  const reading = readYaml(text, 'configuration');
  if (reading.kind === 'value') return judgeConfig(reading.value ?? {}, place);
  const problems = reading.issues.map((issue) => ({ path: pointer(issue.path), message: explainIssue(issue) }));
  throw new ConfigFault(place, problems);
}

export function judgeConfig(value: unknown, place: string): Config {
  const verdict = judgeValue(value, CONFIG);
  if (verdict.verdict === 'accepted') return verdict.message;
  throw new ConfigFault(place, verdict.verdict === 'malformed' ? verdict.errors : []);
}
