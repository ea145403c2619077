import { createHash } from 'node:crypto';
import {
  extractDocumentMetadata,
  findDocumentError,
  PorticoError,
  readOperations,
  type Json,
  type ReadDocument,
} from '@portico/domain';
import { Violations } from './violations.ts';
import { firstNameAt } from './first-name.ts';
import { operationKeyOf } from './operations.ts';
import { packText } from './packed-text.ts';
import { createSchemaCheck } from './schema-check.ts';
import { readOfficialSchema } from './schema.ts';

/**
 * Extracts the metadata of a document, and packs its text. Throws `invalid_body` if it is not an OpenAPI document.
 * `name` is the name by which the caller refers to the document.
 */
export function readDocument(text: Uint8Array, document: Json, name?: string): ReadDocument {
  const fault = findDocumentError(document, name);
  if (fault) throw new PorticoError('invalid_body', { reason: fault });
  const { violations, ...details } = extractDocumentMetadata(document, (path) => firstNameAt(text, path));
  const warnings = new Violations();
  for (const violation of violations) warnings.add(violation.path, violation.message);
  getSchemaCheck(document as { openapi: string })(document, warnings);
  return {
    packed: packText(text),
    digest: createHash('sha256').update(text).digest('hex'),
    operations: readOperations(document, operationKeyOf),
    ...details,
    warnings: { total: warnings.total, first: warnings.first },
  };
}

const checks = new Map<'3.0' | '3.1', ReturnType<typeof createSchemaCheck>>();

function getSchemaCheck({ openapi }: { readonly openapi: string }): ReturnType<typeof createSchemaCheck> {
  const version = openapi.startsWith('3.0.') ? '3.0' : '3.1';
  const check = checks.get(version) ?? createSchemaCheck(readOfficialSchema(version));
  checks.set(version, check);
  return check;
}
