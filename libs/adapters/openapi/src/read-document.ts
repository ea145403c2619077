import { createHash } from 'node:crypto';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import {
  authenticationOf,
  baseUrlOf,
  documentFault,
  PorticoError,
  type Json,
  type PackedText,
  type ReadDocument,
} from '@portico/domain';
import type { Departures } from './departures.ts';
import { createSchemaCheck } from './schema-check.ts';
import { officialSchema } from './schema.ts';

/**
 * Finds what there is to know about a document, and packs its text. Raises `invalid_body` for what is no OpenAPI document.
 * `name` is what the caller knows the document by.
 */
export function readDocument(text: Uint8Array, document: Json, name?: string): ReadDocument {
  const fault = documentFault(document, name);
  if (fault) throw new PorticoError('invalid_body', { because: fault });
  const { openapi, info } = document as { openapi: string; info: { [member: string]: Json } };
  const departures = departuresOf(document, openapi.startsWith('3.0.') ? '3.0' : '3.1');
  return {
    packed: packed(text),
    digest: createHash('sha256').update(text).digest('hex'),
    title: stringOrNull(info['title']),
    description: stringOrNull(info['description']),
    baseUrl: baseUrlOf(document),
    authentication: authenticationOf(document),
    warnings: { total: departures.total, first: departures.first },
  };
}

/** Packs a text so that more blocks can follow it: the sync flush ends it at a byte, without a final block. */
export function packed(text: Uint8Array): PackedText {
  const deflated = deflateRawSync(text, { level: 6, finishFlush: constants.Z_SYNC_FLUSH });
  return { deflated: Uint8Array.from(deflated), crc32: crc32(text), bytes: text.byteLength };
}

const checks = new Map<'3.0' | '3.1', (document: Json) => Departures>();

function departuresOf(document: Json, version: '3.0' | '3.1'): Departures {
  const check = checks.get(version) ?? createSchemaCheck(officialSchema(version));
  checks.set(version, check);
  return check(document);
}

const stringOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
