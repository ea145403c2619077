import { isJsonObject, type Json } from '../json.ts';
import { memberOf } from './document-value.ts';

/** Versions that are accepted only from an import, or, 3.2, for a collection that already holds it. */
export type ExtraVersion = '2.0' | '3.2';

/**
 * Returns the version of a document that declares Swagger 2.0, also as a YAML number; null for any other document.
 */
export const findSwaggerVersion = (document: Json): '2.0' | null => {
  const version = memberOf(document, 'swagger');
  return memberOf(document, 'openapi') === undefined && (version === '2.0' || version === 2) ? '2.0' : null;
};

export const isVersion32 = (version: string): boolean => /^3\.2\.\d+(-.+)?$/.test(version);

/**
 * Returns the reason why a value is not an acceptable OpenAPI document, or null if it is one (specification, section
 * 4): the position and the requirement, as a message for the caller. `name` is the caller's name for the document.
 * Other violations of the official schema are not errors.
 */
export function findDocumentError(
  document: Json,
  name?: string,
  extraVersions: readonly ExtraVersion[] = [],
): string | null {
  const memberPathOf = (path: string) => (name ? `${name}.${path}` : path);
  if (!isJsonObject(document)) return `${name ?? 'the document'} must be a JSON object`;

  const version = memberOf(document, 'openapi');
  const accepts32 = extraVersions.includes('3.2') && typeof version === 'string' && isVersion32(version);
  const versionError = accepts32 ? null : findVersionError(version, memberOf(document, 'swagger'), memberPathOf);
  if (versionError) return versionError;

  const info = memberOf(document, 'info');
  if (!isJsonObject(info)) return `${memberPathOf('info')} must be an object`;
  if (typeof memberOf(info, 'title') !== 'string') return `${memberPathOf('info.title')} must be a string`;

  if (isJsonObject(memberOf(document, 'paths'))) return null;
  if (typeof version === 'string' && version.startsWith('3.0.')) return `${memberPathOf('paths')} must be an object`;
  const hasAlternative = ['webhooks', 'components'].some((member) => isJsonObject(memberOf(document, member)));
  return hasAlternative
    ? null
    : `${memberPathOf('paths')}, ${memberPathOf('webhooks')} or ${memberPathOf('components')} must be an object`;
}

function findVersionError(
  version: Json | undefined,
  swagger: Json | undefined,
  memberPathOf: (path: string) => string,
) {
  if (typeof version === 'string' && /^3\.[01]\.\d+(-.+)?$/.test(version)) return null;
  if (version === undefined && swagger !== undefined) {
    return `${memberPathOf('swagger')}: Swagger ${formatValue(swagger)} is not supported, convert the document to OpenAPI 3.0.x or 3.1.x`;
  }
  const problem = version === undefined ? 'it is missing' : `it is ${formatValue(version)}`;
  const hint = typeof version === 'number' ? ' (a number; put it in quotes, with all three parts)' : '';
  return `${memberPathOf('openapi')} must be a version 3.0.x or 3.1.x, such as "3.1.0"; ${problem}${hint}`;
}

/** Formats a value for a message; truncates it, because it comes from outside. */
function formatValue(value: Json): string {
  if (isJsonObject(value)) return 'an object';
  if (typeof value === 'object' && value !== null) return 'an array';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
  return text;
}
