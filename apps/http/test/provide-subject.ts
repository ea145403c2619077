import { bindLate } from '@portico/test-servers';
import { afterAll, beforeAll } from 'vitest';
import type { CallOptions, TestClient } from './client.ts';
import type { Reply } from './reply.ts';
import { createFixtures, expectStatus, type Fixtures, type Start, type StartOptions, type Subject } from './subject.ts';

/** Provides a service with fixtures for one suite. Starts it before the first test and closes it after the last. */
export const provideSubject = (start: Start, options?: StartOptions) => {
  let subject: Subject;
  let fixtures: Fixtures;
  beforeAll(async () => {
    subject = await start(options);
    fixtures = await createFixtures(subject);
  });
  afterAll(() => subject.close());
  const call: TestClient['call'] = (...request) => subject.client.call(...request);
  /** Returns the page at `path` and the pages after it, following the `Link` headers. */
  const pages = async (path: string, options: CallOptions = { token: fixtures.admin }): Promise<readonly Reply[]> => {
    const replies: Reply[] = [];
    for (let nextPath: string | undefined = path; nextPath !== undefined;) {
      const reply: Reply = expectStatus(await call('GET', nextPath, options), 200);
      replies.push(reply);
      nextPath = /^<([^>]+)>; rel="next"$/.exec(reply.headers.link ?? '')?.[1];
    }
    return replies;
  };
  return {
    subject: bindLate(() => subject),
    fixtures: bindLate(() => fixtures),
    call,
    pages,
    asAdmin: (method: string, path: string, json?: unknown): Promise<Reply> =>
      call(method, path, { token: fixtures.admin, ...(json === undefined ? {} : { json }) }),
  };
};
