import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { respondWith, startHostileApi, type HostileApi, type ReceivedRequest } from '../calls/hostile-api.ts';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, smallDocument, textOf, type Start } from '../subject.ts';

/** A webhook of the test, with its secret. */
export interface TestWebhook {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
  /** Returns the requests that arrived for this webhook. */
  readonly received: () => readonly ReceivedRequest[];
}

/** An attempt, as the API shows it. */
export type Attempt = Readonly<Record<string, unknown>>;

/** Provides a service, and a receiver on loopback. */
export const provideWebhookWorld = (start: Start) => {
  const provided = provideSubject(start);
  const { subject } = provided;
  let receiver: HostileApi;
  let admin = '';
  let count = 0;
  beforeAll(async () => {
    receiver = await startHostileApi();
    // Longer than the clock is advanced.
    admin = await subject.mint({ uid: 'first-admin' }, 10 * 365 * 86_400);
  });
  afterAll(() => receiver.close());

  const asAdmin: typeof provided.asAdmin = (method, path, json) =>
    provided.call(method, path, { token: admin, ...(json === undefined ? {} : { json }) });

  const create = async (fields: object = {}): Promise<TestWebhook> => {
    count += 1;
    const path = `/hook/${count}`;
    const json = { url: `${receiver.url}${path}`, ...fields };
    const { id, secret } = expectStatus(await asAdmin('POST', '/api/webhooks', json), 201).body;
    return {
      id: textOf(id),
      path: `/api/webhooks/${textOf(id)}`,
      secret: textOf(secret),
      received: () => receiver.requests.filter(({ url }) => url === path),
    };
  };

  /** Verifies a request with a foreign library, at the time of the service; returns its body. */
  const verify = (secret: string, { headers, body }: ReceivedRequest): Readonly<Record<string, unknown>> => {
    const texts = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values?.join() ?? '']));
    if (subject.clock) vi.useFakeTimers({ toFake: ['Date'], now: subject.clock.now() });
    try {
      return new Webhook(secret).verify(body, texts) as Readonly<Record<string, unknown>>;
    } finally {
      vi.useRealTimers();
    }
  };

  return {
    ...provided,
    asAdmin,
    get receiver() {
      return receiver;
    },
    create,
    verify,
    /** Makes the receiver respond with this status and without content. */
    respond: (status: string, headers: readonly string[] = []) => {
      receiver.respond = (socket) => socket.end(respondWith('', headers, status));
    },
    attemptsOf: async ({ path }: TestWebhook): Promise<readonly Attempt[]> =>
      expectStatus(await asAdmin('GET', `${path}/deliveries`), 200).list,
    /** Makes a change that sends `collection.changed`. */
    change: async (): Promise<string> => {
      const json = { name: 'Collection of webhooks', openapi_spec: smallDocument };
      const id = textOf(expectStatus(await asAdmin('POST', '/api/collections/', json), 201).body.id);
      expectStatus(await asAdmin('PUT', `/api/collections/${id}`, { description: 'Else' }), 200);
      return id;
    },
    /** Asserts that neither the log nor the audit log has one of the texts. */
    expectUnrecorded: async (...texts: readonly string[]): Promise<void> => {
      const audit = await asAdmin('GET', '/api/audit/?source=system&limit=1000');
      for (const record of [audit.text, subject.listLogLines().join('\n')])
        for (const text of texts) expect(record.includes(text), text).toBe(false);
    },
  };
};
