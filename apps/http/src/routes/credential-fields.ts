import { credentialMax, type CredentialContent, type ListedCredential, type NamedSubject } from '@portico/domain';
import { z } from 'zod';
import { controlCharacters, createNonBlankPattern, line, optional } from '../requests/fields.ts';
import { timestamp, toIsoOrNull, uuid } from './wire.ts';

export const schemeParameter = {
  scheme: {
    description: "The percent-encoded name of the security scheme in the collection's document.",
    schema: { type: 'string' },
    example: 'bearerAuth',
  },
} as const;

const secret = line({ max: credentialMax }).meta({ writeOnly: true });
const username = line({ max: credentialMax })
  .refine((name) => !name.includes(':'), { error: 'must not contain a colon' })
  .meta({ pattern: createNonBlankPattern(`${controlCharacters}:`) });

const blank = { enum: ['', null] };
const present = { type: 'string', minLength: 1 };
/** Returns the JSON Schema of a form: these members are present, and the others are absent. */
const createFormSchema = (...names: readonly string[]) => ({
  properties: Object.fromEntries(
    ['value', 'username', 'password', 'client_id', 'client_secret'].map((name) => [
      name,
      names.includes(name) ? present : blank,
    ]),
  ),
  required: names,
  additionalProperties: true,
});

export const credentialInput = z
  .object({
    value: optional(secret).meta({
      examples: ['the-credential'],
      description: 'An API key or a token, without the prefix of its scheme.',
    }),
    username: optional(username).meta({ description: 'For basic authentication; without a colon.' }),
    password: optional(secret),
    client_id: optional(line({ max: credentialMax })).meta({
      description: 'For OAuth 2.0 client credentials.',
    }),
    client_secret: optional(secret),
  })
  .meta({
    id: 'CredentialInput',
    description: 'Exactly one form: `value`, `username` and `password`, or `client_id` and `client_secret`.',
    anyOf: [
      createFormSchema('value'),
      createFormSchema('username', 'password'),
      createFormSchema('client_id', 'client_secret'),
    ],
  });

export const content = credentialInput.transform(
  ({ value, username: name, password, client_id, client_secret }, context): CredentialContent => {
    const count = [value, name, password, client_id, client_secret].filter((member) => member != null).length;
    if (value != null && count === 1) return { kind: 'value', value };
    if (name != null && password != null && count === 2) return { kind: 'basic', username: name, password };
    if (client_id != null && client_secret != null && count === 2)
      return { kind: 'client', clientId: client_id, clientSecret: client_secret };
    const message = 'must have either value, or username and password, or client_id and client_secret';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  },
);

const subject = z
  .union([
    z.object({ everyone: z.literal(true) }),
    z.object({ group_id: uuid, group: z.string().meta({ description: 'The name of the group.' }) }),
    z.object({ profile_id: uuid, email: z.string() }),
  ])
  .meta({ id: 'CredentialSubject', description: 'The calls that use the credential.' });
export const toSubjectView = (subjectOrNull: NamedSubject | null): z.input<typeof subject> => {
  if (!subjectOrNull) return { everyone: true };
  return subjectOrNull.kind === 'group'
    ? { group_id: subjectOrNull.id, group: subjectOrNull.name }
    : { profile_id: subjectOrNull.id, email: subjectOrNull.email };
};

/** The fields that name a credential. */
export const credentialFields = {
  id: z.string().meta({
    description:
      "A UUID, which audit entries contain; `authentication` for the one in the collection's `authentication`.",
  }),
  for: subject,
};
export const credential = z
  .object({
    ...credentialFields,
    scheme: z.string(),
    kind: z.enum(['value', 'basic', 'client']),
    created_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
  })
  .meta({
    id: 'Credential',
    description:
      "Never contains a secret. The dates are null for the collection's `authentication`, whose dates are not recorded.",
  });

export const toCredentialView = ({
  id,
  scheme,
  kind,
  subject: credentialSubject,
  createdAt,
  updatedAt,
}: ListedCredential): z.input<typeof credential> => ({
  id,
  for: toSubjectView(credentialSubject),
  scheme,
  kind,
  created_at: toIsoOrNull(createdAt),
  updated_at: toIsoOrNull(updatedAt),
});
