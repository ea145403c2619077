import { PorticoError, type Ports } from '@portico/domain';
import { expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, smallDocument, type Start } from '../subject.ts';

const withoutComparison = ({ documents }: Ports): Partial<Ports> => ({
  documents: {
    ...documents,
    compare: () => Promise.reject(new PorticoError('invalid_body', { reason: 'too large to be checked' })),
  },
});

/** Tests documents that are too large to be compared. */
export const incomparableDocumentsSuite = (start: Start): void => {
  const { fixtures, asAdmin } = provideSubject(start, { ports: withoutComparison });

  test('a document is replaced although it cannot be compared, and its changes are unknown', async () => {
    const id = await fixtures.newCollection();
    const openapi_spec = { ...smallDocument, tags: [] };
    const { body } = expectStatus(await asAdmin('PUT', `/api/collections/${id}`, { openapi_spec }), 200);
    expect(body.changes).toEqual({ counts: null, total: null, first: [] });
    const { list } = await asAdmin('GET', `/api/collections/${id}/revisions`);
    expect(list.map(({ number, counts }) => [number, counts])).toEqual([
      [2, null],
      [1, null],
    ]);
    const reply = await asAdmin('GET', `/api/collections/${id}/diff`);
    expect([reply.status, reply.body.detail]).toEqual([
      422,
      'The revisions cannot be compared: too large to be checked',
    ]);
  });
};
