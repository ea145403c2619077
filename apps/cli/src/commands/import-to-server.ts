import { constants, inflateRawSync } from 'node:zlib';
import type { ImportedDocument } from '@portico/domain';
import type { Api } from '../server/api.ts';
import { ServerRefusal } from '../server/refusals.ts';
import { DocumentRefused, withoutPrefix, type ImportTarget, type Planned } from './import-target.ts';

/** Creates a target that publishes to a server, which parses the document again and makes the decision. */
export const importToServer = (api: Api): ImportTarget => ({
  publish: async (document) => {
    const input = { scope: 'catalog:write', ...requestFor(document) } as const;
    const { id, ...outcome } = await api.call('PUT /api/imports/', input).catch(throwRefusal);
    return { id, ...outcomeOf(outcome) };
  },
  plan: async (document) => {
    const input = { scope: 'catalog:read', repeatable: true, ...requestFor(document) } as const;
    const { id, changes, ...outcome } = await api.call('POST /api/imports/plan', input).catch(throwRefusal);
    return { id, ...outcomeOf(outcome), changes };
  },
});

interface WireOutcome {
  readonly outcome: Planned['outcome'];
  readonly description_derived: boolean;
  /** Absent if there are none, and in responses from earlier versions. */
  readonly namesakes?: readonly string[] | undefined;
}

const outcomeOf = ({ outcome, description_derived, namesakes = [] }: WireOutcome) => ({
  outcome,
  descriptionDerived: description_derived,
  namesakes,
});

const requestFor = ({ name, importKey, strict, document }: ImportedDocument) => ({
  query: { import_key: importKey ?? undefined, strict: strict || undefined },
  // The original text, because parsing and serializing it would change numbers.
  text: `{"name":${JSON.stringify(name)},"openapi_spec":${textOf(document.packed.deflated)}}`,
});

/** Returns a packed document's text. The compressed data ends with a flush, not with a final block. */
const textOf = (deflated: Uint8Array): string =>
  inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');

/** The statuses of refusals that affect only this document. */
const documentRefusals: readonly number[] = [400, 409, 413];

const throwRefusal = (error: unknown): never => {
  if (error instanceof ServerRefusal && documentRefusals.includes(error.status))
    throw new DocumentRefused(withoutPrefix(error.detail));
  throw error;
};
