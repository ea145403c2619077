import { number } from './formats.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "a minute", "5 minutes": in the largest unit that it is a whole number of. */
const windowOf = (seconds: number): string => {
  const [unit, length] = units.find(([, size]) => seconds % size === 0) ?? ['second', 1];
  const times = seconds / length;
  return times === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${number(times)} ${unit}s`;
};

/** Texts of `pages/limits`. */
export const limits = {
  title: 'Limits',
  rule: (allowed: number, seconds: number) => {
    const requests = `${number(allowed)} ${allowed === 1 ? 'request' : 'requests'}`;
    const length = windowOf(seconds);
    return /^an? /.test(length) ? `${requests} ${length}` : `${requests} in ${length}`;
  },
  order: 'An active override counts first, then the own tier, then the tier of the groups, else the default.',
  allowed: 'Requests',
  window: 'In',
  unit: 'Unit',
  units: { second: 'seconds', minute: 'minutes', hour: 'hours', day: 'days' },

  near: 'Near the limit now',
  nobodyNear: 'Nobody has used 80 % of what they may.',
  nearCount: (total: number, listed: number) =>
    total > listed ? `The ${number(listed)} nearest of ${number(total)}.` : '',
  processAlone: 'Only requests to the process that answered are counted here: without Redis, each has its own counts.',
  person: 'Person',
  used: 'Used',
  usedOf: (used: number, allowed: number) => `${number(used)} of ${number(allowed)}`,
  refusedNow: 'refused now',
  nearNow: 'near',
  state: 'State',
  by: 'Set by',
  source: { override: 'override', tier: 'tier', default: 'default' },
  sourceTier: (tier: string) => `tier ${tier}`,
  frees: 'Next frees up',
  inSeconds: (seconds: number) => `in ${windowOf(seconds).replace(/^an? /, '1 ')}`,

  tiers: 'Tiers',
  noTiers: 'There is no tier yet: everybody has the default limit.',
  tier: 'Tier',
  limit: 'Limit',
  description: 'Description',
  active: 'active',
  inactive: 'not active',
  newTier: 'New tier',
  tierName: 'Name',
  tierNameHint: 'Lower-case letters, digits, _ and -; it cannot change later.',
  isActive: 'Active',
  isActiveHint: 'A tier that is not active limits nobody.',
  edit: 'Edit',
  editOf: (what: string) => `Edit ${what}`,
  editTier: (tier: string) => `Edit the tier ${tier}`,
  delete: 'Delete',
  deleteOf: (what: string) => `Delete ${what}`,
  deleteTier: (tier: string) => `Delete the tier ${tier}`,
  whatDeleteTier:
    'Whoever has it loses it with their next request: they fall back to the tier of their groups, else to the default. A tier made later under this name begins with nobody.',
  groupsWithTier: (groups: readonly string[]) => `Groups that lose it: ${groups.join(', ')}.`,
  tierSaved: (tier: string) => `The tier ${tier} is saved.`,
  tierDeleted: (tier: string) => `The tier ${tier} is deleted.`,
  assign: 'Assign',
  assignOf: (tier: string) => `Assign ${tier}`,
  assignTitle: (tier: string) => `Who gets the tier ${tier}?`,
  people: 'People',
  peopleHint: 'Type a name, or paste a list of e-mails.',
  groups: 'Groups',
  groupsHint: 'Members without a tier of their own have it from their next request on.',
  assigned: (count: number) => `Assigned ${number(count)} times`,
  hasTier: 'has the tier now',

  overrides: 'Overrides',
  noOverrides: 'Nobody has an override.',
  overridesCount: (total: number) => `${number(total)} ${total === 1 ? 'override' : 'overrides'}`,
  newOverride: 'New override',
  whatOverride: 'It counts instead of tier and default. A new one that is active makes an earlier one inactive.',
  overridden: (count: number) => `${number(count)} ${count === 1 ? 'override' : 'overrides'} made`,
  hasOverride: 'has the override now',
  editOverride: (name: string) => `Edit the override for ${name}`,
  activate: 'Activate',
  deactivate: 'Deactivate',
  activateOf: (name: string) => `Activate the override for ${name}`,
  deactivateOf: (name: string) => `Deactivate the override for ${name}`,
  overrideFor: (name: string) => `the override for ${name}`,
  overrideSaved: (name: string) => `The override for ${name} is saved.`,
  overrideSwitched: (name: string, isActive: boolean) =>
    `The override for ${name} is ${isActive ? 'active' : 'not active'} now.`,
  deleteOverride: (name: string) => `Delete the override for ${name}`,
  whatDeleteOverride: 'From their next request on, their tier or the default counts.',
  overrideDeleted: (name: string) => `The override for ${name} is deleted.`,
};
