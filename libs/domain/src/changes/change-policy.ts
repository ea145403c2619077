import type { ChangePolicy, ExpectedChange } from '../collections/change-policy.ts';
import type { Instant } from '../instant.ts';
import { type Change, type ChangeCounts, changeLevels, type ChangeLevel, type Comparison } from './change.ts';

/**
 * Returns the comparison as a collection's policy rates it: each change has the level that the policy gives its rule,
 * `ignore` removes it, and one that is expected until later than `now` is `info`, with the reason. The first
 * expectation that fits applies. Changes are listed by level, and otherwise in the same order.
 *
 * The counts also cover changes that a long comparison does not list. Their rules are not known, so they keep their
 * levels: a policy never makes changes disappear that no one has seen.
 */
export const applyChangePolicy = ({ changes, counts }: Comparison, policy: ChangePolicy, now: Instant): Comparison => {
  const expectations = Map.groupBy(
    policy.expected.filter(({ until }) => now < until),
    ({ rule }) => rule,
  );
  const ratedChanges = changes.flatMap((change) => rate(change, policy, expectations.get(change.rule) ?? []));
  const [listedBefore, listedAfter] = [countByLevel(changes), countByLevel(ratedChanges)];
  const unlisted = (level: ChangeLevel): number => Math.max(0, counts[level] - listedBefore[level]);
  return {
    changes: changeLevels.flatMap((level) => ratedChanges.filter((change) => change.level === level)),
    counts: {
      breaking: listedAfter.breaking + unlisted('breaking'),
      warning: listedAfter.warning + unlisted('warning'),
      info: listedAfter.info + unlisted('info'),
    },
  };
};

const rate = (change: Change, { levels }: ChangePolicy, expectations: readonly ExpectedChange[]): readonly Change[] => {
  const level = Object.hasOwn(levels, change.rule) ? levels[change.rule] : undefined;
  if (level === 'ignore') return [];
  const expectation = expectations.find((candidate) => isExpected(change, candidate));
  if (expectation) {
    const { reason, until } = expectation;
    return [{ ...change, level: 'info', expected: { reason, until } }];
  }
  return [level === undefined ? change : { ...change, level }];
};

const isExpected = (
  { operation, fingerprint }: Change,
  expectation: Pick<ExpectedChange, 'operationKey' | 'fingerprint'>,
): boolean =>
  (expectation.operationKey === null || expectation.operationKey === operation?.key) &&
  (expectation.fingerprint === null || expectation.fingerprint === fingerprint);

const countByLevel = (changes: readonly Change[]): ChangeCounts => {
  const counts = { breaking: 0, warning: 0, info: 0 };
  for (const { level } of changes) counts[level] += 1;
  return counts;
};
