import { unrestrictedRule, type Grant, type OperationRule } from '@portico/domain';

/** A grant as it is stored: the rule is a JSON text, and null for a grant without restrictions. */
export type GrantColumns = Omit<Grant, 'rule'> & { readonly rule: string | null };

export const toRuleText = (rule: OperationRule | null): string | null => {
  if (!rule) return null;
  const { operations, except, ask } = rule;
  return JSON.stringify({ operations, except, ask });
};

export const ruleOf = (text: string | null): OperationRule | null =>
  text === null ? null : (JSON.parse(text) as OperationRule);

/** SQL that joins the rules of the rows `live`; null if there is none. The result is for `rulesOf`. */
export const joinedRules = `string_agg(live.rule, ',')`;

/** Returns the rules of live grants: `''` means that one of them has no rule, and null that there is no grant. */
export const rulesOf = (rules: string | null): readonly OperationRule[] => {
  if (rules === null) return [];
  return rules === '' ? [unrestrictedRule] : (JSON.parse(`[${rules}]`) as OperationRule[]);
};
