import { webhookEvents, webhookUrlMax } from '@portico/domain';
import { z } from 'zod';
import { createTextSchema, findTextError } from './fields.ts';

const urlPattern = /^https?:\/\/[^\s\\@/?#]+([/?][^\s\\#]*)?$/;
/** ASCII without control characters, spaces and backslashes, as it is sent. */
const urlText = /^[!-[\]-~]+$/;

const findUrlError = (value: string): string | null => {
  const textError = findTextError(value, webhookUrlMax);
  if (textError) return textError;
  if (/^https?:\/\/[^/?#]*@/i.test(value))
    return 'must not have a user name or password: receivers verify the signature';
  return urlPattern.test(value) && urlText.test(value) && URL.canParse(value)
    ? null
    : 'must be an absolute https URL in ASCII without a fragment, such as https://hooks.example.com/portico';
};

/** An absolute http or https URL without user information and fragment (RFC 3986). It is only trimmed. */
export const webhookUrl = createTextSchema(findUrlError).meta({
  format: 'uri',
  minLength: 1,
  maxLength: webhookUrlMax,
  pattern: urlPattern.source,
  description: 'Without TLS only if the operator allows its network (`CALL_NETWORKS`).',
  examples: ['https://hooks.example.com/portico'],
});

export const webhookEventList = z
  .array(z.enum(webhookEvents))
  .min(1, { error: `must name at least one of ${webhookEvents.join(', ')}` })
  .refine((list) => new Set(list).size === list.length, { error: 'must not name an event twice' })
  .meta({ uniqueItems: true, description: 'The events that are sent.', examples: [['access.requested']] });
