import {
  parseOperationKey,
  ruleKeysMax,
  unrestrictedRule,
  type Grant,
  type GrantEdit,
  type Operation,
  type OperationKey,
  type OperationRule,
  type ReadOnlyReview,
} from '@portico/domain';
import { z } from 'zod';
import { expiryTimeOrNull } from '../requests/fields.ts';

const keyPattern = '^[a-z2-7]{16}$';
const key = z.string().transform((value, context): OperationKey => {
  const operationKey = parseOperationKey(value);
  if (operationKey !== null) return operationKey;
  context.addIssue({ code: 'custom', message: 'must be an `operation_key` of the collection' });
  return z.NEVER;
});
const keys = z.array(key.meta({ pattern: keyPattern })).max(ruleKeysMax, {
  error: `must have at most ${ruleKeysMax.toLocaleString('en')} keys`,
});
const words = z.enum(['all', 'read_only']);

const partDescriptions = {
  operations: 'The operations that may be called. `read_only`: GET and HEAD.',
  except: 'Operations that may not be called, although `operations` includes them.',
  ask: 'Operations whose calls need a decision first.',
} as const;

/** The members of a change; a change without any of them is rejected. */
const changeFields = {
  expires_at: expiryTimeOrNull.optional().meta({
    description:
      'When the grant expires, in the same format as when granting; null if it never expires. If absent, this does not change.',
    examples: ['2099-12-31T23:59:59Z'],
  }),
  operations: z
    .union([words, keys], {
      error: `must be all, read_only, or a list of at most ${ruleKeysMax.toLocaleString('en')} operation keys`,
    })
    .optional()
    .meta({ description: partDescriptions.operations, examples: ['read_only'] }),
  except: keys.optional().meta({ description: partDescriptions.except, examples: [[]] }),
  ask: keys.optional().meta({ description: partDescriptions.ask, examples: [[]] }),
};
const changeNames = Object.keys(changeFields) as (keyof typeof changeFields)[];

/** The body that changes a grant of a client or a group. */
export const grantChange = z
  .object(changeFields)
  .refine((change) => changeNames.some((name) => change[name] !== undefined), {
    error: `must have at least one of ${changeNames.join(', ')}`,
  })
  .meta({
    id: 'GrantChange',
    description: 'Absent members remain as they are.',
    anyOf: changeNames.map((name) => ({ required: [name] })),
  });

export const grantChangeDescription =
  'Absent members remain as they are. The rule (`operations`, `except`, `ask`) decides which operations may be called; it ' +
  'hides no operation and no document. Several grants together allow all that one of them allows, and a call needs a decision only if ' +
  'each grant that allows the operation asks for one.';

/** Rules name operations, and the response lists some: a service account also needs the scope to read them. */
export const ruleScopes = [
  { member: 'operations', scope: 'catalog:read' },
  { member: 'except', scope: 'catalog:read' },
  { member: 'ask', scope: 'catalog:read' },
] as const;

/** Returns the rule to review: that of the changed grant, if the change sets a part of the rule. */
export const ruleToReview = (
  { operations, except, ask }: z.output<typeof grantChange>,
  { rule }: Pick<Grant, 'rule'>,
): OperationRule | null => (operations === undefined && except === undefined && ask === undefined ? null : rule);

export const toGrantEdit = ({ expires_at, ...rule }: z.output<typeof grantChange>): GrantEdit => ({
  expiresAt: expires_at,
  rule,
});

const shownKeys = z.array(z.string().meta({ pattern: keyPattern }));
const ruleParts = {
  operations: z.union([words, shownKeys]).meta({ description: partDescriptions.operations }),
  except: shownKeys.meta({ description: partDescriptions.except }),
  ask: shownKeys.meta({ description: partDescriptions.ask }),
};

/** The members that show the rule of a grant, which are absent for a grant without restrictions. */
export const ruleFields = {
  operations: ruleParts.operations.optional(),
  except: ruleParts.except.optional(),
  ask: ruleParts.ask.optional(),
};

/** The members of a response to a change. */
export const changedRuleFields = {
  ...ruleFields,
  read_only: z
    .object({
      count: z.int().meta({ description: 'The number of operations that the rule allows.' }),
      suspicious: z
        .array(
          z.object({
            operation_key: z.string().meta({ pattern: keyPattern }),
            method: z.string(),
            path: z.string(),
            operation_id: z.string().nullable(),
          }),
        )
        .meta({ description: 'The first 100 whose path or operation id suggests a change.' }),
    })
    .optional()
    .meta({ description: 'The operations that a `read_only` rule allows, if this request changes the rule.' }),
};

const toRulePartsView = ({ operations, except, ask }: OperationRule) => ({
  operations: typeof operations === 'string' ? operations : [...operations],
  except: [...except],
  ask: [...ask],
});

export const toRuleView = ({ rule }: Pick<Grant, 'rule'>) => (rule ? toRulePartsView(rule) : {});

/** Returns the members of a response to a change, which always contain the rule. */
export const toChangedRuleView = ({ rule }: Pick<Grant, 'rule'>, review: ReadOnlyReview | null) => ({
  ...toRulePartsView(rule ?? unrestrictedRule),
  ...(review ? { read_only: { count: review.count, suspicious: review.suspicious.map(toSuspiciousView) } } : {}),
});

const toSuspiciousView = ({ key: operationKey, method, path, operationId }: Operation) => ({
  operation_key: operationKey,
  method,
  path,
  operation_id: operationId,
});
