import type { Deadline } from '../../deadline.ts';
import type { Ports } from '../../ports/index.ts';
import type { StoredSecret } from '../../profiles/api-key.ts';
import { makeSecret, secretBytes } from '../../profiles/api-secret.ts';

/** A new secret, with the values that may be stored of it. */
export const newSecret = async (
  { random, keys }: Pick<Ports, 'random' | 'keys'>,
  deadline: Deadline | null,
): Promise<{ readonly secret: string; readonly stored: StoredSecret }> => {
  const secret = makeSecret(random.bytes(secretBytes));
  return { secret, stored: { hash: await keys.hash(secret, deadline), tag: keys.tag(secret) } };
};
