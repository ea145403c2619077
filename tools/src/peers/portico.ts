import { createApiClient } from '../api-client.ts';
import { fillCatalog } from '../bench/catalog.ts';
import { createInstallation, type Installation } from '../bench/installation.ts';
import { root } from '../service-process.ts';
import type { ReadName, ReadWay, Row, Rows } from './peer.ts';

export interface RunningPortico {
  readonly rows: Rows;
  /** The first is the one that peers are compared with. */
  readonly waysOf: (read: ReadName) => readonly ReadWay[];
  readonly end: () => Promise<void>;
}

const collections = 1_000;

/** Starts the service on SQLite with the catalog of the bench, and reads out its rows. */
export const startPortico = async (folder: string): Promise<RunningPortico> => {
  const installation = await createInstallation('Portico', root, folder, {});
  const { catalog, all } = await fillAndRead(installation);
  // Like the others, it is measured in a process that was not the one to be filled.
  const subject = await installation.start();
  try {
    const rowWith = (id: string): Row => all.find((row) => row.id === id) as Row;
    const bearer = { authorization: `Bearer ${await installation.token('many')}` };
    const fewBearer = { authorization: `Bearer ${await installation.token('few')}` };
    const gzip = { 'accept-encoding': 'gzip' };
    return {
      rows: { all, small: rowWith(catalog.small), large: rowWith(catalog.large) },
      waysOf: (read) => {
        if (read === 'list of 100') {
          const headers = { ...fewBearer, ...gzip };
          return [{ name: 'Portico', subject, request: { path: '/api/collections/', headers } }];
        }
        const path = `/api/collections/${read === 'collection of 10 KB' ? catalog.small : catalog.large}`;
        return [
          { name: 'Portico, gzip', subject, request: { path, headers: { ...bearer, ...gzip } } },
          { name: 'Portico, no coding', subject, request: { path, headers: bearer } },
        ];
      },
      end: subject.end,
    };
  } catch (error) {
    await subject.end();
    throw error;
  }
};

const fillAndRead = async (installation: Installation) => {
  const subject = await installation.start();
  try {
    const catalog = await fillCatalog(installation, subject, collections);
    const api = createApiClient(subject.address);
    const admin = { token: await installation.token() };
    const listed = await api.ask<readonly { readonly id: string }[]>(admin, 'GET', '/api/collections/');
    const all: Row[] = [];
    for (const { id } of listed) all.push(rowOf(await api.ask(admin, 'GET', `/api/collections/${id}`)));
    return { catalog, all };
  } finally {
    await subject.end();
  }
};

interface Collection extends Omit<Row, 'document'> {
  readonly openapi_spec: unknown;
}

const rowOf = ({ id, name, description, openapi_spec }: Collection): Row => ({
  id,
  name,
  description,
  document: JSON.stringify(openapi_spec),
});
