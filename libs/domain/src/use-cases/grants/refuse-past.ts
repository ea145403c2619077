import { PorticoError } from '../../errors.ts';
import { type Instant, toIso } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';

/** Refuses an end that is not in the future with `invalid_body`: what has ended already was meant as something else. */
export const refusePast = ({ clock }: Pick<Ports, 'clock'>, expiresAt: Instant | null): void => {
  const now = clock.now();
  if (expiresAt === null || expiresAt > now) return;
  throw new PorticoError('invalid_body', { because: `expires_at must be in the future, it is ${toIso(now)} now` });
};
