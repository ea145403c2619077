import type { OperationKey } from '../ids.ts';

/** A rule of a grant: which operations of the collection may be called (extensions, section 7). */
export interface OperationRule {
  /** `read_only`: GET and HEAD. */
  readonly operations: 'all' | 'read_only' | readonly OperationKey[];
  /** Operations that may not be called, although `operations` includes them. */
  readonly except: readonly OperationKey[];
  /** Operations whose calls need a decision first. */
  readonly ask: readonly OperationKey[];
}

/** The rule of a grant without restrictions. */
export const unrestrictedRule: OperationRule = { operations: 'all', except: [], ask: [] };

/** The maximum number of keys in each list of a rule. */
export const ruleKeysMax = 1_000;

/** Whether an operation may be called; `ask`: after a decision. */
export type CallPermission = 'allowed' | 'ask' | 'denied';

/** The parts of an operation that rules refer to. */
export interface RuledOperation {
  readonly key: OperationKey;
  /** In upper case. */
  readonly method: string;
}

/** Something that a caller may call, or not. */
export interface WithPermission {
  readonly call: CallPermission;
}

/**
 * Returns the permission of a caller whose grants have these rules: everything that one of them allows. A call needs a
 * decision only if every rule that allows the operation asks for one. Without rules, nothing is allowed.
 */
export const callPermissionOf = (rules: readonly OperationRule[], operation: RuledOperation): CallPermission =>
  compileRules(rules)(operation);

/** Returns `callPermissionOf` for these rules, for many operations. */
export const compileRules = (rules: readonly OperationRule[]): ((operation: RuledOperation) => CallPermission) => {
  if (!isNarrow(rules)) return () => 'allowed';
  const compiledRules = rules.map(compileRule);
  return (operation) => {
    const permissions = compiledRules.map((permissionOf) => permissionOf(operation));
    if (permissions.includes('allowed')) return 'allowed';
    return permissions.includes('ask') ? 'ask' : 'denied';
  };
};

const compileRule = ({ operations, except, ask }: OperationRule) => {
  const includes = compileOperations(operations);
  const [exceptKeys, askKeys] = [new Set(except), new Set(ask)];
  return (operation: RuledOperation): CallPermission => {
    if (!includes(operation) || exceptKeys.has(operation.key)) return 'denied';
    return askKeys.has(operation.key) ? 'ask' : 'allowed';
  };
};

const compileOperations = (operations: OperationRule['operations']): ((operation: RuledOperation) => boolean) => {
  if (operations === 'all') return () => true;
  if (operations === 'read_only') return ({ method }) => isReadMethod(method);
  const keys = new Set(operations);
  return ({ key }) => keys.has(key);
};

/** Whether no rule alone allows every operation without a decision. */
export const isNarrow = (rules: readonly OperationRule[]): boolean => !rules.some(isUnrestricted);

export const isUnrestricted = ({ operations, except, ask }: OperationRule): boolean =>
  operations === 'all' && except.length === 0 && ask.length === 0;

/** Whether the method is one of those that `read_only` allows. */
export const isReadMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';
