import { parseArgs } from 'node:util';

/** How much there is to be of each. */
export interface Sizes {
  readonly people: number;
  readonly collections: number;
  readonly groups: number;
  readonly groupMembers: number;
  readonly groupCollections: number;
  readonly grantsPerPerson: number;
  readonly overrides: number;
  readonly requests: number;
  readonly entries: number;
  readonly usageDays: number;
  readonly usesPerDay: number;
  readonly seed: number;
}

const defaults: Readonly<Record<string, readonly [key: keyof Sizes, value: number]>> = {
  people: ['people', 10_000],
  collections: ['collections', 10_000],
  groups: ['groups', 1_000],
  'group-members': ['groupMembers', 20],
  'group-collections': ['groupCollections', 50],
  'grants-per-person': ['grantsPerPerson', 10],
  overrides: ['overrides', 1_000],
  requests: ['requests', 5_000],
  entries: ['entries', 1_000_000],
  'usage-days': ['usageDays', 30],
  'uses-per-day': ['usesPerDay', 10_000],
  seed: ['seed', 1],
};

/** `--people 10000 …`: whole numbers; what is not named has its default. */
export const sizesFrom = (args: readonly string[]): Sizes => {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' } as const]));
  const { values } = parseArgs({ args: [...args], options });
  const sizes = Object.entries(defaults).map(([name, [key, value]]) => {
    const given = values[name];
    if (given === undefined) return [key, value] as const;
    if (typeof given !== 'string' || !/^\d{1,9}$/.test(given)) throw new Error(`--${name} must be a whole number`);
    return [key, Number(given)] as const;
  });
  return Object.fromEntries(sizes) as unknown as Sizes;
};
