import { constants, inflateRawSync } from 'node:zlib';
import type { ImportedDocument } from '@portico/domain';
import type { Api } from '../server/api.ts';
import { ServerRefusal } from '../server/refusals.ts';
import { DocumentRefused, withoutPrefix, type ImportTarget, type Planned } from './import-target.ts';

/** Publishes on a server, which reads the document again and decides. */
export const importToServer = (api: Api): ImportTarget => ({
  publish: async (document) => {
    const input = { scope: 'catalog:write', ...sentAs(document) } as const;
    const { id, ...answer } = await api.call('PUT /api/imports/', input).catch(refused);
    return { id, ...told(answer) };
  },
  plan: async (document) => {
    const input = { scope: 'catalog:read', repeatable: true, ...sentAs(document) } as const;
    const { id, changes, ...answer } = await api.call('POST /api/imports/plan', input).catch(refused);
    return { id, ...told(answer), changes };
  },
});

interface Told {
  readonly outcome: Planned['outcome'];
  readonly description_derived: boolean;
  /** Absent if there are none, and in the answers of earlier versions. */
  readonly namesakes?: readonly string[] | undefined;
}

const told = ({ outcome, description_derived, namesakes = [] }: Told) => ({
  outcome,
  descriptionDerived: description_derived,
  namesakes,
});

const sentAs = ({ name, importKey, strict, document }: ImportedDocument) => ({
  query: { import_key: importKey ?? undefined, strict: strict || undefined },
  // The text as it is: parsed and written again, numbers would change.
  text: `{"name":${JSON.stringify(name)},"openapi_spec":${textOf(document.packed.deflated)}}`,
});

/** A packed document ends with a flush, not with a final block. */
const textOf = (deflated: Uint8Array): string =>
  inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');

/** Refusals that concern the document alone. */
const ofTheDocument: readonly number[] = [400, 409, 413];

const refused = (error: unknown): never => {
  if (error instanceof ServerRefusal && ofTheDocument.includes(error.status))
    throw new DocumentRefused(withoutPrefix(error.detail));
  throw error;
};
