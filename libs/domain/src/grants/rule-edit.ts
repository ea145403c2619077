import { isUnrestricted, type OperationRule, unrestrictedRule } from '../access/operation-rule.ts';
import type { OperationKey } from '../ids.ts';

/** A change of a grant's rule; absent parts remain as they are. */
export type RuleEdit = { readonly [Part in keyof OperationRule]?: OperationRule[Part] | undefined };

/** Returns the rule after the change, without repeated keys; null for a rule without restrictions. */
export const applyRuleEdit = (
  current: OperationRule | null,
  { operations, except, ask }: RuleEdit,
): OperationRule | null => {
  const base = current ?? unrestrictedRule;
  const rule = {
    operations: isList(operations) ? removeRepeated(operations) : (operations ?? base.operations),
    except: removeRepeated(except ?? base.except),
    ask: removeRepeated(ask ?? base.ask),
  };
  return isUnrestricted(rule) ? null : rule;
};

/** Returns the keys that a change sets, each once. */
export const keysIn = ({ operations, except = [], ask = [] }: RuleEdit): readonly OperationKey[] =>
  removeRepeated([...(isList(operations) ? operations : []), ...except, ...ask]);

/** Whether two rules are the same, in the same order of keys. */
export const isSameRule = (a: OperationRule | null, b: OperationRule | null): boolean =>
  JSON.stringify(a && partsOf(a)) === JSON.stringify(b && partsOf(b));

const partsOf = ({ operations, except, ask }: OperationRule) => [operations, except, ask];

const isList = (operations: RuleEdit['operations']): operations is readonly OperationKey[] =>
  typeof operations === 'object';

const removeRepeated = (keys: readonly OperationKey[]): readonly OperationKey[] => [...new Set(keys)];
