import type { LimitRule } from '@portico/domain';
import type { Api } from '../server/api.ts';
import type { Terminal } from '../terminal.ts';
import type { AllDone } from './outcomes.ts';
import { forEachPerson } from './people.ts';

const scope = 'limits:write';

const fieldsOf = ({ allowed, windowSeconds }: LimitRule) => ({
  allowed_limit: allowed,
  window_seconds: windowSeconds,
});

/** Creates or changes a tier. If `description` is undefined, an existing description is kept. */
export const setTier = async (
  api: Api,
  terminal: Terminal,
  tier: string,
  { limit, description }: { readonly limit: LimitRule; readonly description?: string },
): Promise<AllDone> => {
  const tierExists = (await api.call('GET /api/rate-limits/tiers', { scope })).some((entry) => entry.tier === tier);
  const fields = fieldsOf(limit);
  const body = { ...fields, description };
  if (tierExists) await api.call('PUT /api/rate-limits/tiers/:tier', { scope, params: { tier }, body });
  else await api.call('POST /api/rate-limits/tiers', { scope, body: { tier, ...body } });
  const outcome = tierExists ? 'changed' : 'created';
  terminal.printResult({ outcome, tier, ...fields }, [
    `${outcome}  ${tier}  ${limit.allowed} requests in ${limit.windowSeconds} s`,
  ]);
  return true;
};

export const assignTier = (api: Api, terminal: Terminal, name: string, emails: readonly string[]): Promise<AllDone> => {
  const tier = name === 'none' ? null : name;
  return forEachPerson(terminal, emails, name, (user_id) =>
    api.call('PUT /api/profiles/:user_id/tier', { scope, params: { user_id }, body: { tier } }),
  );
};

export const overrideLimit = (api: Api, terminal: Terminal, email: string, rule: LimitRule): Promise<AllDone> =>
  forEachPerson(terminal, [email], 'overridden', (client_id) =>
    api.call('POST /api/rate-limits/overrides', { scope, body: { client_id, ...fieldsOf(rule) } }),
  );
