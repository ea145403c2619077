import { constants, inflateRawSync } from 'node:zlib';
import type { ImportedDocument } from '@portico/domain';
import { ServerRefusal } from '../server/refusals.ts';
import type { Server } from '../server/server.ts';
import { DocumentRefused, withoutPrefix, type Changes, type ImportTarget, type Planned } from './import-target.ts';

interface ImportAnswer {
  readonly id: string;
  readonly outcome: Planned['outcome'];
  readonly description_derived: boolean;
  /** Absent if there are none, and in the answers of earlier versions. */
  readonly namesakes?: readonly string[];
}
interface PlanAnswer extends Omit<ImportAnswer, 'id'> {
  readonly id: string | null;
  readonly changes: Changes;
}

/** Publishes on a server, which reads the document again and decides. */
export const importToServer = (server: Server): ImportTarget => ({
  publish: async (document) => {
    const request = { method: 'PUT', path: '/api/imports/', scope: 'catalog:write', ...sentAs(document) } as const;
    const answer = (await server.ask(request).catch(refused)) as ImportAnswer;
    const { id, outcome, description_derived, namesakes = [] } = answer;
    return { id, outcome, descriptionDerived: description_derived, namesakes };
  },
  plan: async (document) => {
    const asked = { method: 'POST', path: '/api/imports/plan', scope: 'catalog:read', repeatable: true } as const;
    const request = { ...asked, ...sentAs(document) };
    const answer = (await server.ask(request).catch(refused)) as PlanAnswer;
    const { id, outcome, description_derived, namesakes = [], changes } = answer;
    return { id, outcome, descriptionDerived: description_derived, namesakes, changes };
  },
});

const sentAs = ({ name, importKey, strict, document }: ImportedDocument) => ({
  query: {
    ...(importKey === null ? {} : { import_key: importKey }),
    ...(strict ? { strict: 'true' } : {}),
  },
  // The text as it is: parsed and written again, numbers would change.
  body: `{"name":${JSON.stringify(name)},"openapi_spec":${textOf(document.packed.deflated)}}`,
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
