import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  defaultCallSettings,
  listDocumentOperations,
  type AuthenticationScheme,
  type CollectionId,
  type DocumentOperation,
  type Json,
  type OperationContext,
  type OperationKey,
} from '@portico/domain';
import { root } from '../../src/service-process.ts';

// Third-party documents, which the product does not need. They are next to the repository, not in it.
const specs = resolve(root, '../shared/data/specs');

export const hasRealDocuments = existsSync(specs);
if (!hasRealDocuments) process.stderr.write(`Skipped: there are no real documents at ${specs}\n`);

export const files = hasRealDocuments
  ? readdirSync(specs).filter((file) => file.endsWith('.json') && file !== 'manifest.json')
  : [];

export interface RealOperation {
  readonly file: string;
  readonly document: Json;
  readonly operation: DocumentOperation;
  readonly name: string;
}

/** Yields all operations of the real documents, with one document in memory at a time. */
export function* readRealOperations(): Generator<RealOperation> {
  for (const file of files) {
    const document = JSON.parse(readFileSync(join(specs, file), 'utf8').replace(/^\ufeff/, '')) as Json;
    for (const operation of listDocumentOperations(document)) {
      yield { file, document, operation, name: `${file} ${operation.method} ${operation.path}` };
    }
  }
}

const schemes: readonly AuthenticationScheme[] = [
  { type: 'bearer', name: 'Authorization', in: null },
  { type: 'basic', name: 'Authorization', in: null },
  { type: 'apiKey', name: 'X-API-Key', in: 'header' },
  { type: 'apiKey', name: 'api_key', in: 'query' },
  { type: 'apiKey', name: 'session', in: 'cookie' },
  { type: 'none', name: null, in: null },
];

/** Returns the context of an operation; the authentication scheme changes with each operation. */
export const contextOf = (file: string, index: number): OperationContext => ({
  collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
  collectionName: file,
  operationKey: index
    .toString(2)
    .padStart(16, 'a')
    .replaceAll('0', 'b')
    .replaceAll('1', 'c')
    .slice(-16) as OperationKey,
  settings: {
    ...defaultCallSettings,
    baseUrl: 'https://api.example.com/v1',
    authentication: { ...(schemes[index % schemes.length] ?? { type: 'none', name: null, in: null }), isStored: true },
  },
});
