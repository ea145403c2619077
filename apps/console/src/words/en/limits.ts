import { formatNumber } from './formats.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns "a minute" or "5 minutes", in the largest unit that gives a whole number. */
const windowOf = (seconds: number): string => {
  const [unit, length] = units.find(([, size]) => seconds % size === 0) ?? ['second', 1];
  const times = seconds / length;
  return times === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${formatNumber(times)} ${unit}s`;
};

/** Text of `pages/limits`. */
export const limits = {
  title: 'Limits',
  rule: (allowed: number, seconds: number) => {
    const requests = `${formatNumber(allowed)} ${allowed === 1 ? 'request' : 'requests'}`;
    const length = windowOf(seconds);
    return /^an? /.test(length) ? `${requests} ${length}` : `${requests} in ${length}`;
  },
  order: 'An active override applies first, then the personal tier, then the tier of the groups, then the default.',
  allowed: 'Requests',
  window: 'Per',
  unit: 'Unit',
  units: { second: 'seconds', minute: 'minutes', hour: 'hours', day: 'days' },

  near: 'Near the limit now',
  noneNear: 'No one has used 80% of their limit.',
  nearCount: (total: number, listed: number) =>
    total > listed ? `The ${formatNumber(listed)} closest of ${formatNumber(total)}.` : '',
  instanceOnly: 'These counts cover one instance of the service only: each instance counts separately.',
  person: 'Person',
  used: 'Used',
  usedOf: (used: number, allowed: number) => `${formatNumber(used)} of ${formatNumber(allowed)}`,
  limitReached: 'limit reached',
  nearLimit: 'near limit',
  state: 'State',
  setBy: 'Set by',
  source: { override: 'override', tier: 'tier', default: 'default' },
  sourceTier: (tier: string) => `tier ${tier}`,
  available: 'Next available',
  inSeconds: (seconds: number) => `in ${windowOf(seconds).replace(/^an? /, '1 ')}`,

  tiers: 'Tiers',
  noTiers: 'No tiers yet: everyone has the default limit.',
  tier: 'Tier',
  limit: 'Limit',
  description: 'Description',
  active: 'active',
  inactive: 'inactive',
  newTier: 'New tier',
  tierName: 'Name',
  tierNameHint: 'Lower-case letters, digits, _ and -; it cannot be changed later.',
  isActive: 'Active',
  isActiveHint: 'An inactive tier does not apply to anyone.',
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  editTier: (tier: string) => `Edit tier ${tier}`,
  delete: 'Delete',
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTier: (tier: string) => `Delete tier ${tier}`,
  deleteTierHint:
    'Everyone who has it loses it as of their next request and falls back to the tier of their groups, or to the default. A tier created later with this name starts without members.',
  groupsWithTier: (groups: readonly string[]) => `Groups that lose it: ${groups.join(', ')}.`,
  tierSaved: (tier: string) => `The tier ${tier} was saved.`,
  tierDeleted: (tier: string) => `The tier ${tier} was deleted.`,
  assign: 'Assign',
  assignOf: (tier: string) => `Assign ${tier}`,
  assignTitle: (tier: string) => `Who gets the tier ${tier}?`,
  people: 'People',
  peopleHint: 'Type a name, or paste a list of emails.',
  groups: 'Groups',
  groupsHint: 'Applies to members without a personal tier, from their next request on.',
  assigned: (count: number) => `Assigned to ${formatNumber(count)}`,
  hasTier: 'now has the tier',

  overrides: 'Overrides',
  noOverrides: 'No overrides.',
  overridesCount: (total: number) => `${formatNumber(total)} ${total === 1 ? 'override' : 'overrides'}`,
  newOverride: 'New override',
  overrideHint: 'It applies instead of the tier and the default. A new active override deactivates an earlier one.',
  overridesCreated: (count: number) => `${formatNumber(count)} ${count === 1 ? 'override' : 'overrides'} created`,
  hasOverride: 'now has the override',
  editOverride: (name: string) => `Edit the override for ${name}`,
  activate: 'Activate',
  deactivate: 'Deactivate',
  activateOf: (name: string) => `Activate the override for ${name}`,
  deactivateOf: (name: string) => `Deactivate the override for ${name}`,
  overrideFor: (name: string) => `the override for ${name}`,
  overrideSaved: (name: string) => `The override for ${name} was saved.`,
  overrideSwitched: (name: string, isActive: boolean) =>
    `The override for ${name} is now ${isActive ? 'active' : 'inactive'}.`,
  deleteOverride: (name: string) => `Delete the override for ${name}`,
  deleteOverrideHint: 'From their next request on, their tier or the default applies.',
  overrideDeleted: (name: string) => `The override for ${name} was deleted.`,
};
