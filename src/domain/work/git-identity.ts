/** `user.name` and `user.email` of git: the author of commits. */
export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

/** Lines of a git configuration file with an identity, or with the part of it that is set. */
export function identityLines(identity: Partial<GitIdentity>): readonly string[] {
  const lines = (['name', 'email'] as const).flatMap((field) => {
    const value = identity[field];
    return value ? [`\t${field} = ${quoted(value)}`] : [];
  });
  return lines.length === 0 ? [] : ['[user]', ...lines];
}

/** No character in it has a meaning to git. */
function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
