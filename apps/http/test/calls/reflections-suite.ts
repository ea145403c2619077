import { beforeAll, describe, expect, test } from 'vitest';
import type { Start } from '../subject.ts';
import { provideCallWorld, type CallTarget, type Outcome } from './call-world.ts';
import { accessToken, bearer, credentialKinds } from './credential-kinds.ts';
import { noRequest, respondWith, type Respond } from './hostile-api.ts';
import { findForms, reflections } from './reflections.ts';

const tokenResponse = respondWith(JSON.stringify({ access_token: accessToken, expires_in: 3_600 }));

/** Responds to a request for an access token, and to all others with these bytes. */
const respondAfterToken =
  (bytes: Uint8Array): Respond =>
  (socket, { url }) =>
    socket.end(url === '/token' ? tokenResponse : bytes);

/** Returns all that a caller can read: the response, its headers, and the decoded body of the result. */
const readAll = ({ reply, result }: Outcome): string => {
  const { body } = result as { readonly body?: { readonly text?: string; readonly base64?: string } | null };
  const decoded = body?.base64 === undefined ? '' : Buffer.from(body.base64, 'base64').toString('latin1');
  return [JSON.stringify(reply.headers), reply.text, body?.text ?? '', decoded, JSON.stringify(result)].join('\n');
};

/** Tests that no caller, log or audit entry gets a secret that an API reflects. */
export const reflectionsSuite = (start: Start): void => {
  const world = provideCallWorld(start);

  describe.each(credentialKinds)('$name that the API reflects', (kind) => {
    let target: CallTarget;
    beforeAll(async () => {
      target = await world.create(kind);
    });

    test.each(reflections)('$name is replaced', async ({ respond, isDropped = false }) => {
      for (const secret of kind.secrets) {
        world.api.respond = respondAfterToken(respond(secret));
        for (const [way, send] of world.ways) {
          const outcome = await send(target);
          const text = readAll(outcome);
          expect(findForms(text, secret), way).toEqual([]);
          expect(outcome.result['status'], text).toBeTypeOf('number');
          if (isDropped) expect(text.toLowerCase()).not.toMatch(/set-cookie|x-debug/);
          else expect(text, way).toMatch(/\[redacted\]|W3JlZGFjdGVkX/);
        }
      }
    });

    test('is in no audit entry and in no log line, and reaches the API once', async () => {
      world.api.respond = respondAfterToken(respondWith('fine'));
      await world.callByRest(target);
      const { url, headers } = world.api.requests.at(-1) ?? noRequest;
      const texts = [url, ...['authorization', 'key', 'cookie'].flatMap((name) => headers[name] ?? [])];
      const [secret = ''] = kind.secrets;
      expect(texts.filter((text) => decodeURIComponent(text).includes(secret))).toHaveLength(1);
      await world.expectUnrecorded(target, kind.secrets);
    });
  });

  describe('a secret at the limit of a body', () => {
    const limits = { REST: 10_485_760, MCP: 32_768 } as const;
    const [secret = ''] = bearer.secrets;
    let target: CallTarget;
    beforeAll(async () => {
      target = await world.create(bearer);
    });

    const cases = [-secret.length, -secret.length + 1, -4, -1].flatMap((offset) =>
      [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)].map((form) => ({ offset, form })),
    );
    test.each(cases)('that starts at $offset is replaced: $form', async ({ offset, form }) => {
      for (const [way, send] of world.ways) {
        const filler = '.'.repeat(limits[way as keyof typeof limits] + offset);
        world.api.respond = (socket) => socket.end(respondWith(`${filler}${form}${'.'.repeat(1_000)}`));
        const { result } = await send(target);
        expect(result['truncated'], way).toBe(true);
        const { text } = result['body'] as { readonly text: string };
        // An expression for the millions of dots before it could exceed the stack.
        expect(text.slice(text.indexOf('[')), way).toMatch(/^\[redacted\]\.*$/);
        expect(text.startsWith(filler.slice(0, text.indexOf('['))), way).toBe(true);
      }
    });

    test('a body is complete at the limit, and truncated one byte later', async () => {
      for (const [way, send] of world.ways)
        for (const [excess, isTruncated] of [
          [0, false],
          [1, true],
        ] as const) {
          const limit = limits[way as keyof typeof limits];
          world.api.respond = (socket) => socket.end(respondWith('x'.repeat(limit + excess)));
          const { result } = await send(target);
          const { text } = result['body'] as { readonly text: string };
          expect([way, text.length, result['truncated']]).toEqual([way, limit, isTruncated]);
          expect('hint' in result).toBe(way === 'MCP' && isTruncated);
        }
    });
  });

  test.each([301, 302, 303, 307, 308])('a redirect with %i is returned and not followed', async (status) => {
    const target = await world.create(bearer);
    for (const [, send] of world.ways) {
      const count = world.api.requests.length;
      world.api.respond = (socket) =>
        socket.end(respondWith('', [`Location: ${world.api.url}/elsewhere`], `${status} Moved`));
      const { result } = await send(target);
      expect(result).toMatchObject({ status, headers: { location: `${world.api.url}/elsewhere` }, body: null });
      expect(world.api.requests.length).toBe(count + 1);
    }
  });
};
