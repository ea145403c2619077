import { expect, test } from 'vitest';
import { type ApiRequest, createApi } from './api.ts';

const requests: ApiRequest[] = [];
const api = createApi({
  name: 'A service',
  explain: ({ detail }) => detail,
  send: (request) => {
    requests.push(request);
    return Promise.resolve({ status: 200, headers: new Headers(), text: '{}' });
  },
});

const remove = (group_id: string, profile_id: string) =>
  api.call('DELETE /api/groups/:group_id/members/:profile_id', {
    scope: 'access:write',
    params: { group_id, profile_id },
  });

test('a name is always one segment of the path', async () => {
  await remove('R&D / all', 'ada@example.com');
  expect(requests.at(-1)?.path).toBe('/api/groups/R%26D%20%2F%20all/members/ada%40example.com');
});

test.each(['', '.', '..'])('%j is rejected instead of referring to the parent resource', async (name) => {
  const requestsBefore = requests.length;
  await expect(remove('Travel', name)).rejects.toThrow(`There is nothing named ${JSON.stringify(name)}`);
  await expect(remove(name, 'ada@example.com')).rejects.toThrow('There is nothing named');
  expect(requests).toHaveLength(requestsBefore);
});
