import { expect, test } from 'vitest';
import { effectiveLimitOf } from './limit.ts';

const fallback = { allowed: 600, windowSeconds: 60 };

const tier = { tier: 'gold', allowed: 10, windowSeconds: 1 };

const override = { id: 7, allowed: 5, windowSeconds: 2 };

const groupTier = { tier: 'silver', allowed: 4, windowSeconds: 1 };

test('an active override takes precedence over the tier, then the tier of the groups, then the default', () => {
  expect(effectiveLimitOf({ override, tier, groupTier: null }, fallback)).toEqual({
    rule: { allowed: 5, windowSeconds: 2 },
    source: 'override',
    tier: 'gold',
    overrideId: 7,
  });
  expect(effectiveLimitOf({ override: null, tier, groupTier }, fallback)).toMatchObject({
    rule: { allowed: 10, windowSeconds: 1 },
    source: 'tier',
  });
  expect(effectiveLimitOf({ override: null, tier: null, groupTier }, fallback)).toMatchObject({
    rule: { allowed: 4, windowSeconds: 1 },
    source: 'tier',
    tier: 'silver',
  });
  expect(effectiveLimitOf({ override: null, tier: null, groupTier: null }, fallback)).toEqual({
    rule: fallback,
    source: 'default',
    tier: null,
    overrideId: null,
  });
});
