import { expect, test } from 'vitest';
import { type ApiRequest, createApi } from './api.ts';

const asked: ApiRequest[] = [];
const api = createApi({
  name: 'A service',
  explain: ({ detail }) => detail,
  send: (request) => {
    asked.push(request);
    return Promise.resolve({ status: 200, headers: new Headers(), text: '{}' });
  },
});

const remove = (group_id: string, profile_id: string) =>
  api.call('DELETE /api/groups/:group_id/members/:profile_id', {
    scope: 'access:write',
    params: { group_id, profile_id },
  });

test('a name is one segment of the address, whatever is in it', async () => {
  await remove('R&D / all', 'ada@example.com');
  expect(asked.at(-1)?.path).toBe('/api/groups/R%26D%20%2F%20all/members/ada%40example.com');
});

test.each(['', '.', '..'])('%j names nothing, instead of the resource above it', async (name) => {
  const before = asked.length;
  await expect(remove('Travel', name)).rejects.toThrow(`There is nothing named ${JSON.stringify(name)}`);
  await expect(remove(name, 'ada@example.com')).rejects.toThrow('There is nothing named');
  expect(asked).toHaveLength(before);
});
