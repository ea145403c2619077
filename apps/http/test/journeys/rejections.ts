import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/index.ts';
import type { CallOptions } from '../client.ts';
import { expectError } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { unknownId, type Client, type Start } from '../subject.ts';

const fillPath = (path: string): string => path.replace(/:\w+/g, unknownId);
const protectedRoutes = routes.filter(({ auth }) => auth !== 'free' && auth !== 'open');
const addRouteNames = (routeList: typeof routes) =>
  routeList.map((route) => [`${route.method} ${route.path}`, route] as const);

/** Tests requests that every route rejects. */
export const rejectionsSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  let client: Client;

  beforeAll(async () => {
    client = await fixtures.newClient();
  });

  test.each(addRouteNames(protectedRoutes))('%s requires a credential', async (_name, { method, path }) => {
    expect((await call(method, fillPath(path))).status).toBe(401);
  });

  test.each(addRouteNames(protectedRoutes.filter(({ auth }) => auth !== 'token or key')))(
    '%s does not accept API keys',
    async (_name, { method, path }) => {
      expect((await call(method, fillPath(path), { key: client.key })).status).toBe(401);
    },
  );

  test.each(addRouteNames(routes.filter(({ auth }) => auth === 'admin')))(
    '%s requires an admin, whether the target exists or not',
    async (_name, { method, path }) => {
      expectError(await call(method, fillPath(path), { token: client.token }), 403, 'Admin access required');
    },
  );

  test.each(addRouteNames(routes.filter(({ auth }) => auth === 'admin or owner')))(
    '%s requires an admin or an owner, whether the target exists or not',
    async (_name, { method, path }) => {
      expectError(await call(method, fillPath(path), { token: client.token }), 403, 'Admin or owner access required');
    },
  );

  describe.each(addRouteNames(routes.filter(({ body }) => body !== null && body.kind !== 'form')))(
    '%s',
    (_name, { method, path, auth }) => {
      const send = (raw: string, headers: readonly string[]): Promise<{ status: number }> => {
        const options: CallOptions = { raw, headers };
        return call(method, fillPath(path), auth === 'open' ? options : { ...options, token: fixtures.admin });
      };
      test('rejects a body that is not a JSON object, has a different media type, or has a content coding', async () => {
        for (const raw of ['{', '[]', '"x"', '\xff']) {
          expect((await send(raw, ['Content-Type', 'application/json'])).status).toBe(400);
        }
        expect((await send('{}', ['Content-Type', 'text/plain'])).status).toBe(400);
        expect((await send('{}', ['Content-Type', 'application/json', 'Content-Encoding', 'br'])).status).toBe(400);
      });

      test('rejects a body above its limit', async () => {
        // The limit of arguments is the highest one.
        expect((await send(' '.repeat(2_097_153), ['Content-Type', 'application/json'])).status).toBe(413);
      });
    },
  );

  test.each(addRouteNames(routes.filter(({ rejectsUnknownParameters }) => rejectsUnknownParameters)))(
    '%s rejects an unknown parameter and lists the known parameters',
    async (_name, { method, path, query }) => {
      const reply = await call(method, `${fillPath(path)}?colour=red`, { token: fixtures.admin });
      const hint = query ? `There are: ${Object.keys(query.shape).join(', ')}` : 'There are none';
      expectError(reply, 400, `Invalid query parameter: colour is unknown. ${hint}`);
    },
  );

  test.each(addRouteNames(routes.filter(({ query }) => query !== null)))(
    '%s rejects a repeated parameter',
    async (_name, { method, path, query }) => {
      const [name = ''] = Object.keys(query?.shape ?? {});
      const reply = await call(method, `${fillPath(path)}?${name}=1&${name}=1`, { token: fixtures.admin });
      expectError(reply, 400, `Invalid query parameter: ${name} is given more than once`);
    },
  );
};

/** Tests each route's responses to a caller over its limit. */
export const exhaustionSuite = (start: Start): void => {
  const limit = { allowed: 1, windowSeconds: 60 };
  const { fixtures, call } = provideSubject(start, { settings: { defaultLimit: limit, anonymousLimit: limit } });
  let client: Client;
  beforeAll(async () => {
    client = await fixtures.newClient();
    await call('GET', '/api/rate-limits/tiers/active/all', { key: client.key });
  });

  test.each(addRouteNames([...protectedRoutes, ...routes.filter(({ auth }) => auth === 'open')]))(
    '%s rejects a caller over the limit with a Retry-After',
    async (_name, { method, path, auth }) => {
      const options = auth === 'open' ? { json: {} } : { token: client.token };
      const reply = await call(method, fillPath(path), options);
      const retryAfter = Number(reply.headers['retry-after']);
      expect([reply.status, reply.body]).toEqual([429, { detail: 'Rate limit exceeded', retry_after: retryAfter }]);
      expect(retryAfter).toBeGreaterThan(0);
    },
  );
};
