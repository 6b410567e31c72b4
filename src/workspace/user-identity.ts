import type { GitIdentity } from '../domain/work/git-identity.ts';
import type { Repository } from '../domain/work/repository.ts';
import { readSettingsUnlessBroken } from './repository-settings.ts';

/** The identity that the user's own git would commit with; null where none is configured, or git cannot tell. */
export async function userIdentity({ gitDir, root }: Repository): Promise<GitIdentity | null> {
  const settings = await readSettingsUnlessBroken({ gitDir, workTree: root });
  if (settings === null) return null;
  const { own, global } = settings;
  const [name, email] = ['name', 'email'].map((field) =>
    [own, global].map((scope) => scope.get(`author.${field}`) ?? scope.get(`user.${field}`)).find(Boolean),
  );
  return name && email ? { name, email } : null;
}
