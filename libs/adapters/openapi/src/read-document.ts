import { createHash } from 'node:crypto';
import {
  extractDocumentMetadata,
  findDocumentError,
  findSwaggerVersion,
  isVersion32,
  listExternalReferences,
  listNotices,
  PorticoError,
  readOperations,
  type ExtraVersion,
  type Json,
  type ReadDocument,
  type ReadOriginal,
} from '@portico/domain';
import { ViolationsOf32 } from './additions-of-32.ts';
import { convertSwagger } from './convert-swagger.ts';
import { Violations } from './violations.ts';
import { firstNameAt } from './first-name.ts';
import { operationKeyOf } from './operations.ts';
import { packText } from './packed-text.ts';
import { parseJson } from './read-json.ts';
import { createSchemaCheck } from './schema-check.ts';
import { readOfficialSchema } from './schema.ts';

export interface ReadOptions {
  /** The name by which the caller refers to the document. */
  readonly name?: string;
  readonly extraVersions?: readonly ExtraVersion[];
  /** The notices of earlier steps, to which those of this one are added. */
  readonly notices?: Violations;
}

/**
 * Extracts the metadata of a document, and packs its text. Throws `invalid_body` if it is not an OpenAPI document.
 * Swagger 2.0 is first converted, if it is accepted.
 */
export function readDocument(text: Uint8Array, document: Json, options: ReadOptions = {}): ReadDocument {
  const { name, extraVersions = [], notices = new Violations() } = options;
  const swaggerVersion = extraVersions.includes('2.0') ? findSwaggerVersion(document) : null;
  if (swaggerVersion !== null) {
    const converted = convertSwagger(text);
    const original = { version: swaggerVersion, digest: digestOf(text), packed: packText(text) };
    return { ...readDocument(converted, parseJson(converted), { ...options, notices, extraVersions: [] }), original };
  }
  const fault = findDocumentError(document, name, extraVersions);
  if (fault) throw new PorticoError('invalid_body', { reason: fault });
  const { openapi } = document as { readonly openapi: string };
  const { violations, ...details } = extractDocumentMetadata(document, (path) => firstNameAt(text, path));
  const digest = digestOf(text);
  const warnings = isVersion32(openapi) ? new ViolationsOf32(document, openapi, notices) : new Violations();
  const references = listExternalReferences(document);
  for (const { path, message } of listNotices(document, details.baseUrl, references)) notices.add(path, message);
  for (const violation of violations) warnings.add(violation.path, violation.message);
  getSchemaCheck(openapi)(toCheckedDocument(document, openapi), warnings);
  return {
    packed: packText(text),
    digest,
    operations: readOperations(document, operationKeyOf),
    ...details,
    hasExternalReferences: references.length > 0,
    original: toOriginal(openapi, digest),
    notices: notices.first,
    warnings: { total: warnings.total, first: warnings.first },
  };
}

const digestOf = (text: Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** The maximum length of a stored version, which has no suffix such as `-rc1`. */
const versionMax = 20;

const toOriginal = (version: string, digest: string): ReadOriginal | null =>
  isVersion32(version) ? { version: version.replace(/-.*$/s, '').slice(0, versionMax), digest, packed: null } : null;

/** Returns the document; OpenAPI 3.2 is checked as 3.1. */
const toCheckedDocument = (document: Json, version: string): Json =>
  isVersion32(version) ? { ...(document as object), openapi: '3.1.0' } : document;

const checks = new Map<'3.0' | '3.1', ReturnType<typeof createSchemaCheck>>();

function getSchemaCheck(openapi: string): ReturnType<typeof createSchemaCheck> {
  const version = openapi.startsWith('3.0.') ? '3.0' : '3.1';
  const check = checks.get(version) ?? createSchemaCheck(readOfficialSchema(version));
  checks.set(version, check);
  return check;
}
