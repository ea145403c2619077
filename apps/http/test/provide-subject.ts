import { lateBound } from '@portico/test-servers';
import { afterAll, beforeAll } from 'vitest';
import type { CallOptions, TestClient } from './client.ts';
import type { Reply } from './reply.ts';
import { createCast, expectStatus, type Cast, type Start, type StartOptions, type Subject } from './subject.ts';

/** A service with its cast for the tests of one suite, started before the first and closed after the last. */
export const provideSubject = (start: Start, options?: StartOptions) => {
  let subject: Subject;
  let cast: Cast;
  beforeAll(async () => {
    subject = await start(options);
    cast = await createCast(subject);
  });
  afterAll(() => subject.close());
  const call: TestClient['call'] = (...request) => subject.client.call(...request);
  /** The pages from this one on, as their `Link` headers lead to them. */
  const pages = async (path: string, options: CallOptions = { token: cast.admin }): Promise<readonly Reply[]> => {
    const found: Reply[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const reply: Reply = expectStatus(await call('GET', next, options), 200);
      found.push(reply);
      next = /^<([^>]+)>; rel="next"$/.exec(reply.headers.link ?? '')?.[1];
    }
    return found;
  };
  return {
    subject: lateBound(() => subject),
    cast: lateBound(() => cast),
    call,
    pages,
    asAdmin: (method: string, path: string, json?: unknown): Promise<Reply> =>
      call(method, path, { token: cast.admin, ...(json === undefined ? {} : { json }) }),
  };
};
