import { setTimeout as pause } from 'node:timers/promises';
import { compose, createLogger, readConfig, type Environment } from '@portico/composition';
import { clientPair, operatorAuthority, type ProfileId } from '@portico/domain';
import type { ApiClient } from '../api-client.ts';

export interface Catalog {
  readonly key: { readonly 'x-client-id': string; readonly 'x-api-key': string };
  /** A client with 100 grants. */
  readonly fewGrants: { readonly 'x-client-id': string; readonly 'x-api-key': string };
  readonly token: string;
  readonly fewToken: string;
  readonly small: string;
  readonly withCredential: string;
  readonly large: string;
}

const words =
  'weather payment invoice parcel hotel flight currency map message mail translate speech image calendar contact issue payroll stock news recipe sign identity device music video order search report'.split(
    ' ',
  );

/** Fills the catalog: documents of 10 and 100 KB, one with a stored credential, and many small ones, a tenth granted. */
export const fillCatalog = async (
  api: ApiClient,
  adminToken: string,
  mint: (uid: string) => Promise<string>,
  count: number,
  environment: Environment,
): Promise<Catalog> => {
  const admin = { token: adminToken };
  const person = async (uid: string) => {
    const registration = { firebase_uid: uid, email: `${uid}@example.com`, full_name: uid };
    const { id } = await api.ask<{ id: string }>(null, 'POST', '/api/profiles/register', registration);
    const { client_id, client_secret } = await api.ask<{ client_id: string; client_secret: string }>(
      admin,
      'POST',
      `/api/profiles/${id}/approve`,
    );
    return { id, key: { 'x-client-id': client_id, 'x-api-key': client_secret }, token: await mint(uid) };
  };
  const many = await person('many');
  const few = await person('few');
  const create = async (name: string, bytes: number, authentication?: object) => {
    const { id } = await api.ask<{ id: string }>(admin, 'POST', '/api/collections/', {
      name,
      openapi_spec: document(name, bytes),
      authentication,
    });
    await api.ask(admin, 'POST', `/api/access/clients/${many.id}/collections/${id}`);
    return id;
  };
  const small = await create('small', 10_000);
  const large = await create('large', 100_000);
  const withCredential = await create('credential', 10_000, { type: 'apiKey', name: 'X-Key', value: 'secret' });
  await fillBySide(environment, count, many.id as ProfileId, few.id as ProfileId);
  for (let found = 0; found < 100;) {
    found = (await api.ask<unknown[]>(admin, 'POST', '/api/vector/search', { query: 'weather', k_limit: 100 })).length;
    await pause(200);
  }
  return { key: many.key, fewGrants: few.key, token: many.token, fewToken: few.token, small, large, withCredential };
};

const document = (title: string, bytes: number): object => {
  const paths: Record<string, object> = {};
  for (let at = 0; JSON.stringify(paths).length < bytes; at++) {
    paths[`/${words[at % words.length] ?? ''}/${at}/{id}`] = {
      get: {
        operationId: `get${at}`,
        summary: `Read ${at} of ${title}`,
        responses: { 200: { description: `The ${words[(at * 7) % words.length] ?? ''} that was asked for` } },
      },
    };
  }
  return {
    openapi: '3.0.3',
    info: { title, version: '1.0.0' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths,
  };
};

/**
 * Writes the many collections directly to the store while the service runs, as the operator's tool does, because that
 * is faster than HTTP.
 */
const fillBySide = async (environment: Environment, count: number, many: ProfileId, few: ProfileId): Promise<void> => {
  const portico = await compose(readConfig({ ...environment, JOBS: 'off' }), createLogger('silent', 'bench'), 'tool');
  try {
    const { useCases, documents } = portico;
    const read = await documents.readFile(
      new TextEncoder().encode(JSON.stringify(document('one of many', 500))),
      'json',
    );
    for (let at = 0; at < count; at++) {
      const name = `${words[at % words.length] ?? ''} ${words[(at * 13) % words.length] ?? ''} ${at}`;
      const input = { name, description: `About ${name}`, authentication: null, document: read, strict: false };
      const { id } = await useCases.createCollection(operatorAuthority, many, input);
      if (at % 10 === 0) await useCases.grantAccess(operatorAuthority, clientPair(many, id));
      if (at % 10 === 1 && at < 1_000) await useCases.grantAccess(operatorAuthority, clientPair(few, id));
    }
  } finally {
    await portico.close();
  }
};
