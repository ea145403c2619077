import { beforeAll, expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, type Start } from '../subject.ts';

const responses = { 200: { description: 'Done' } };
const longText =
  'Returns every reading of the tide gauge, in the order of their times, with the height of the water '.repeat(3);

const tides = {
  ...smallDocument,
  paths: {
    '/tides': {
      get: {
        operationId: 'GetTides',
        description: '<p>Predict the <b>tides</b> of a harbour.</p><p>Hourly.</p>',
        responses,
      },
      put: { summary: 'Correct a tide', description: 'Not this.', responses },
      post: { operationId: 'PostTides', description: longText, responses },
      delete: { operationId: 'DeleteTides', responses },
    },
  },
};

/** Tests the summaries of operations whose documents have only descriptions. */
export const operationSummariesSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start);
  let collection: string;
  beforeAll(async () => {
    collection = await fixtures.newCollection({ name: 'Tides', openapi_spec: tides });
    await subject.runJobs();
  });

  const list = async (query = '') => {
    const reply = await call('GET', `/api/collections/${collection}/operations${query}`, { token: fixtures.admin });
    return reply.list.map(({ method, summary }) => [method, summary]);
  };

  test('a list shows the first sentence of the description of an operation without a summary', async () => {
    expect(await list()).toEqual([
      ['GET', 'Predict the tides of a harbour.'],
      ['PUT', 'Correct a tide'],
      ['POST', expect.stringMatching(/^Returns every reading .{100,180}\w…$/)],
      ['DELETE', null],
    ]);
  });

  test('a list is also filtered by the beginning of such a description', async () => {
    expect(await list('?q=harbour')).toEqual([['GET', 'Predict the tides of a harbour.']]);
    expect(await list('?q=not%20this')).toEqual([]);
  });

  test('a search shows the first sentence, too', async () => {
    const json = { query: 'predict the tides of a harbour', k_limit: 1 };
    const reply = await call('POST', '/api/operations/search', { token: fixtures.admin, json });
    expect(reply.list).toMatchObject([{ operation_id: 'GetTides', summary: 'Predict the tides of a harbour.' }]);
  });
};
