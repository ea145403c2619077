import {
  baseUrlSettingMax,
  isPlainLine,
  serverVariableNameMax,
  serverVariablesMax,
  serverVariableValueMax,
  type ServerVariables,
} from '@portico/domain';
import { z } from 'zod';
import { controlCharacters, createNonBlankPattern, createTextSchema, findTextError, lengthOf } from './fields.ts';

/** The characters of a path, and percent-encoded bytes (RFC 3986, section 3.3). */
const pathCharacter = String.raw`(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`;
const host = String.raw`(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?)`;
const baseUrlPattern = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://${host}(?::[0-9]{1,5})?(?:/${pathCharacter}*)*$`);

const findBaseUrlError = (value: string): string | null => {
  const textError = findTextError(value, baseUrlSettingMax);
  if (textError) return textError;
  if (/[?#]/.test(value)) return 'must not have a query or a fragment';
  if (/^https?:\/\/[^/]*@/i.test(value)) return 'must not have a user name or password: store a credential instead';
  return baseUrlPattern.test(value) && URL.canParse(value)
    ? null
    : 'must be an absolute http or https URL in ASCII, such as https://api.example.com/v1';
};

/** An absolute http or https URL without user information, query and fragment (RFC 3986). It is only trimmed. */
export const baseUrlField = createTextSchema(findBaseUrlError).meta({
  format: 'uri',
  minLength: 1,
  maxLength: baseUrlSettingMax,
  pattern: baseUrlPattern.source,
  examples: ['https://api.eu.example.com/v1'],
});

const findNameError = (name: string): string | null => {
  if (name.trim() === '' || name.trim() !== name) return 'must not be blank, or start or end with white space';
  if (lengthOf(name) > serverVariableNameMax) return `must have at most ${serverVariableNameMax} characters`;
  return isPlainLine(name) ? null : 'must not contain control characters';
};

const findValueError = (value: string): string | null => {
  if (lengthOf(value) > serverVariableValueMax) return `must have at most ${serverVariableValueMax} characters`;
  // They would end the host or the path, or move the call to another host.
  if (/[\s?#@\\{}]/.test(value)) return 'must not contain white space, braces, or any of ? # @ \\';
  return isPlainLine(value) ? null : 'must be well-formed, without control characters';
};

const variableValue = createTextSchema(findValueError).meta({
  maxLength: serverVariableValueMax,
  pattern: `^[^${controlCharacters}\\s?#@\\\\{}]*$`,
});

/** Values of server variables by name. The values may be empty. */
export const serverVariablesField = z
  .record(
    z.string().meta({
      minLength: 1,
      maxLength: serverVariableNameMax,
      pattern: createNonBlankPattern(controlCharacters),
    }),
    variableValue,
  )
  .check((context) => {
    const names = Object.keys(context.value);
    const nameError = names.map(findNameError).find((error) => error !== null);
    const message =
      names.length > serverVariablesMax
        ? `must have at most ${serverVariablesMax} members`
        : nameError && `has a name that ${nameError}`;
    if (message) context.issues.push({ code: 'custom', message, input: context.value });
  })
  .transform((variables): ServerVariables => variables)
  .meta({ maxProperties: serverVariablesMax, examples: [{ region: 'eu' }] });
