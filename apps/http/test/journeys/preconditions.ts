import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../client.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, unknownId, type Start } from '../subject.ts';

/**
 * Tests changes that are made only if the collection is still in the state that the caller has read (RFC 9110, section
 * 13.1.1).
 */
export const preconditionsSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  const asAdmin = (headers: readonly string[] = []): CallOptions => ({ token: fixtures.admin, headers });
  const change = (id: string, ifMatch: readonly string[], json: object) =>
    call('PUT', `/api/collections/${id}`, { ...asAdmin(ifMatch.flatMap((tag) => ['If-Match', tag])), json });
  const remove = (id: string, ifMatch: string) =>
    call('DELETE', `/api/collections/${id}`, asAdmin(['If-Match', ifMatch]));
  const read = (id: string, part = '', ...headers: string[]) =>
    call('GET', `/api/collections/${id}${part}`, asAdmin(headers));
  const tagOf = async (...request: Parameters<typeof read>) => textOf((await read(...request)).headers.etag);
  const preconditionFailed = { status: 412, body: { detail: 'Precondition failed' } };

  describe.each([
    ['the collection', [''] as const],
    ['the collection, compressed', ['', 'Accept-Encoding', 'gzip'] as const],
    ['its metadata', ['/metadata'] as const],
    ['its metadata with hints', ['/metadata?include=hints'] as const],
    ['its summary', ['/summary'] as const],
  ])('the entity tag of %s', (_name, [part, ...headers]) => {
    test('allows changing and deleting the collection only in that state', async () => {
      const id = await fixtures.newCollection();
      const oldTag = await tagOf(id, part, ...headers);
      expect((await change(id, [oldTag], { name: 'First' })).status).toBe(200);
      const { updated_at } = (await read(id, '/summary')).body;
      expect(await change(id, [oldTag], { name: 'Second', description: 'd' })).toMatchObject(preconditionFailed);
      expect(await remove(id, oldTag)).toMatchObject(preconditionFailed);
      expect((await read(id, '/summary')).body).toMatchObject({ name: 'First', description: 'About it', updated_at });
      const currentTag = await tagOf(id, part, ...headers);
      expect((await change(id, [`"other", ${oldTag} ,${currentTag}`], { name: 'Third' })).status).toBe(200);
      expect((await change(id, [oldTag, await tagOf(id, part, ...headers)], { name: 'Fourth' })).status).toBe(200);
      expect((await remove(id, await tagOf(id, part, ...headers))).status).toBe(200);
      expect((await read(id)).status).toBe(404);
    });
  });

  test('* matches any existing collection', async () => {
    const id = await fixtures.newCollection();
    expect((await change(id, ['*'], { name: 'Any' })).status).toBe(200);
    expect((await remove(id, ' * ')).status).toBe(200);
  });

  test('weak tags, tags of the document or of the list, and malformed tags never match', async () => {
    const id = await fixtures.newCollection();
    const tag = await tagOf(id);
    const otherTags = [
      `W/${tag}`,
      tag.slice(1, -1),
      tag.slice(0, -1),
      `x${tag}`,
      `${tag}x`,
      `"*"`,
      '*, "x"',
      '',
      ',',
      'not a tag',
      await tagOf(id, '/openapi.json'),
      textOf((await call('GET', '/api/collections/', asAdmin())).headers.etag),
    ];
    for (const otherTag of otherTags) {
      expect({ other: otherTag, ...(await change(id, [otherTag], { name: 'Changed' })) }).toMatchObject({
        other: otherTag,
        ...preconditionFailed,
      });
      expect({ other: otherTag, ...(await remove(id, otherTag)) }).toMatchObject({
        other: otherTag,
        ...preconditionFailed,
      });
    }
    expect(await tagOf(id)).toBe(tag);
  });

  test('errors caused by the caller, the body or a missing collection are reported first', async () => {
    const id = await fixtures.newCollection();
    const client = await fixtures.newClient();
    const put = (etag: string, options: CallOptions) =>
      call('PUT', `/api/collections/${etag}`, { json: {}, ...options, headers: ['If-Match', '"old"'] });
    expect((await put(id, {})).status).toBe(401);
    expect((await put(id, { token: client.token })).status).toBe(403);
    expect((await put(id, { token: fixtures.admin, json: { name: 5 } })).status).toBe(400);
    expect((await put(unknownId, { token: fixtures.admin })).status).toBe(404);
    expect((await remove(unknownId, '*')).status).toBe(404);
    expect((await put(id, { token: fixtures.admin })).status).toBe(412);
  });

  test('when several writers change the same state, only one succeeds', async () => {
    const id = await fixtures.newCollection();
    const tag = await tagOf(id);
    const writers = ['a', 'b', 'c', 'd', 'e', 'f'];
    const replies = await Promise.all(
      writers.map((name) => change(id, [tag], { name, openapi_spec: { ...smallDocument, 'x-by': name } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    const writtenName = replies.find(({ status }) => status === 200)?.body.name;
    expect((await read(id)).body).toMatchObject({ name: writtenName, openapi_spec: { 'x-by': writtenName } });
  });
};
