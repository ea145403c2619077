import { constants, inflateRawSync } from 'node:zlib';
import type { ImportedDocument } from '@portico/domain';
import type { Api } from '../server/api.ts';
import { ServerError } from '../server/server-error.ts';
import { DocumentRejectedError, removePrefix, type ImportTarget, type PlannedImport } from './import-target.ts';

/** Creates a target that publishes to a server, which parses the document again and makes the decision. */
export const createServerTarget = (api: Api): ImportTarget => ({
  publish: async (document) => {
    const input = { scope: 'catalog:write', ...requestFor(document) } as const;
    const { id, ...response } = await api.call('PUT /api/imports/', input).catch(throwDocumentRejection);
    return { id, ...toImportResult(response) };
  },
  plan: async (document) => {
    const input = { scope: 'catalog:read', repeatable: true, ...requestFor(document) } as const;
    const { id, changes, comparison, affected, ...response } = await api
      .call('POST /api/imports/plan', input)
      .catch(throwDocumentRejection);
    return {
      id,
      ...toImportResult(response),
      changes,
      comparison: comparison ?? null,
      affected: affected ?? null,
    };
  },
});

interface ImportResponse {
  readonly outcome: PlannedImport['outcome'];
  readonly description_derived: boolean;
  /** Absent if there are none, and in responses from earlier versions. */
  readonly namesakes?: readonly string[] | undefined;
}

const toImportResult = ({ outcome, description_derived, namesakes = [] }: ImportResponse) => ({
  outcome,
  descriptionDerived: description_derived,
  namesakes,
});

const requestFor = ({ name, importKey, strict, document }: ImportedDocument) => ({
  query: { import_key: importKey ?? undefined, strict: strict || undefined },
  // The text as sent: the server converts Swagger itself, and parsing and serializing would change numbers.
  text: `{"name":${JSON.stringify(name)},"openapi_spec":${textOf((document.original?.packed ?? document.packed).deflated)}}`,
});

/** Returns a packed document's text. The compressed data ends with a flush, not with a final block. */
const textOf = (compressed: Uint8Array): string =>
  inflateRawSync(compressed, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');

/** The statuses of responses that reject only this document. */
const rejectionStatuses: readonly number[] = [400, 409, 413];

const throwDocumentRejection = (error: unknown): never => {
  if (error instanceof ServerError && rejectionStatuses.includes(error.status))
    throw new DocumentRejectedError(removePrefix(error.detail));
  throw error;
};
