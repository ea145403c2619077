import { webhookEvents, webhooksMax, type Ports, type WebhookId } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { expectStatus, textOf, unknownId, type Start } from '../subject.ts';

const webhooks = '/api/webhooks';
const url = 'https://hooks.example.com/s3cret?token=s3cret';

/** Tests the life cycle of webhooks; `test/webhooks` tests their deliveries. */
export const webhooksSuite = (start: Start): void => {
  // A property, because the compiler does not track assignments to variables in callbacks.
  const captured: { ports?: Ports } = {};
  const { subject, asAdmin, fixtures, pages } = provideSubject(start, {
    ports: (ports) => {
      captured.ports = ports;
      return {};
    },
  });
  const create = async (fields: object = {}) =>
    expectStatus(await asAdmin('POST', webhooks, { url, ...fields }), 201).body;
  const entriesOf = async (action: string) =>
    (await asAdmin('GET', `/api/audit/?source=system&action=${action}`)).body.data as readonly {
      readonly message: Readonly<Record<string, unknown>>;
    }[];

  test('a webhook starts with a secret that is returned only once, and with all events', async () => {
    const reply = expectStatus(await asAdmin('POST', webhooks, { url: ` ${url} `, description: ' Chat ' }), 201);
    const { secret, ...record } = reply.body;
    expect(reply.headers).toMatchObject({ location: `${webhooks}/${textOf(record.id)}`, 'cache-control': 'no-store' });
    expect(record).toEqual({
      id: expect.any(String) as string,
      url,
      description: 'Chat',
      events: [...webhookEvents],
      active: true,
      has_secret: true,
      previous_secret_until: null,
      failing_since: null,
      created_by: fixtures.adminId,
      created_at: expect.any(String) as string,
      updated_at: record.created_at,
    });
    const path = `${webhooks}/${textOf(record.id)}`;
    expect((await asAdmin('GET', path)).body).toEqual(record);
    expect((await asAdmin('GET', webhooks)).list).toEqual([record]);
    expect((await asAdmin('GET', `${path}/deliveries`)).list).toEqual([]);
    const [entry] = await entriesOf('webhook.create');
    // The path and query of the address may be a secret of the receiver.
    expect(entry?.message).toMatchObject({ webhook_id: record.id, webhook: 'https://hooks.example.com', active: true });
    const log = subject.listLogLines().join('');
    for (const text of [textOf(secret).slice('whsec_'.length), 's3cret'])
      expect(JSON.stringify(entry) + log).not.toContain(text);
    expectStatus(await asAdmin('DELETE', path), 204);
  });

  test('a change keeps absent fields, and writing the current values changes nothing', async () => {
    const { id } = await create({ description: 'Chat', events: ['key.rotated'] });
    const path = `${webhooks}/${textOf(id)}`;
    const record = expectStatus(await asAdmin('GET', path), 200).body;
    const change = async (fields: object) => expectStatus(await asAdmin('PUT', path, fields), 200).body;
    expect(await change({})).toEqual(record);
    expect(await change({ url, description: 'Chat', events: ['key.rotated'], active: true })).toEqual(record);
    expect(await entriesOf('webhook.update')).toEqual([]);
    const changed = await change({ description: null, events: ['key.rotated', 'access.requested'], active: false });
    expect(changed).toMatchObject({ url, description: '', events: ['access.requested', 'key.rotated'], active: false });
    expect(await entriesOf('webhook.update')).toMatchObject([
      { message: { webhook_id: id, fields: ['description', 'events', 'active'], actor: 'admin@example.com' } },
    ]);
    expect((await asAdmin('DELETE', path)).status).toBe(204);
    expect((await entriesOf('webhook.delete')).map(({ message }) => message['webhook_id'])).toContain(id);
    expect(errorOf(await asAdmin('GET', path))).toEqual([404, 'Webhook not found']);
  });

  test.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
  ])('%s of an unknown webhook%s is a 404', async (method, suffix) => {
    const json = method === 'PUT' ? { description: 'x' } : undefined;
    const reply = await asAdmin(method, `${webhooks}/${unknownId}${suffix}`, json);
    expect(errorOf(reply)).toEqual([404, 'Webhook not found']);
  });

  test('after a reset of the secrets key, a webhook has to be rotated before it is activated', async () => {
    const { id } = await create();
    const path = `${webhooks}/${textOf(id)}`;
    await captured.ports?.sealed.reset(() => ({
      ...{ collections: [], credentials: [], mails: [], calls: [], webhooks: [id as WebhookId] },
      ...{ pepper: null, resetAt: 0, reason: 'lost', deadline: null },
    }));
    expect((await asAdmin('GET', path)).body).toMatchObject({ active: false, has_secret: false });
    const error = [409, 'Webhook has no secret: rotate it first'];
    expect(errorOf(await asAdmin('PUT', path, { active: true }))).toEqual(error);
    expect(errorOf(await asAdmin('POST', `${path}/test`))).toEqual(error);
    const rotated = expectStatus(await asAdmin('POST', `${path}/rotate`), 200);
    expect(rotated.body).toMatchObject({ has_secret: true, previous_secret_until: null });
    expect(await entriesOf('webhook.rotate')).toMatchObject([{ message: { webhook_id: id } }]);
    expect((await asAdmin('PUT', path, { active: true })).body.active).toBe(true);
    const again = expectStatus(await asAdmin('POST', `${path}/rotate`), 200).body;
    expect(again.previous_secret_until).toMatch(/Z$/);
    await asAdmin('DELETE', path);
  });

  describe('limits', () => {
    test('the address has at most 2,000 characters', async () => {
      const longest = `https://hooks.example.com/${'x'.repeat(2_000 - 'https://hooks.example.com/'.length)}`;
      const { id } = await create({ url: longest });
      await asAdmin('DELETE', `${webhooks}/${textOf(id)}`);
      expect(errorOf(await asAdmin('POST', webhooks, { url: `${longest}x` }))).toEqual([
        400,
        'Invalid request body: url must have at most 2000 characters',
      ]);
    });

    test('the address must not have a password', async () => {
      expect(errorOf(await asAdmin('POST', webhooks, { url: 'https://ada:x@hooks.example.com/' }))).toEqual([
        400,
        'Invalid request body: url must not have a user name or password: receivers verify the signature',
      ]);
    });

    test('there are at most 50 webhooks, and pages list each of them once', async () => {
      const ids: string[] = [];
      for (let count = 0; count < webhooksMax; count += 1) ids.push(textOf((await create({ active: false })).id));
      expect(errorOf(await asAdmin('POST', webhooks, { url }))).toEqual([
        409,
        'Too many webhooks: delete some of the 50 first',
      ]);
      const replies = await pages(`${webhooks}?limit=20&include_total=true`);
      expect(replies.map(({ list }) => list.length)).toEqual([20, 20, 10]);
      expect(replies.flatMap(({ list }) => list.map(({ id }) => id)).toSorted()).toEqual(ids.toSorted());
      expect(replies[0]?.headers['x-total-count']).toBe('50');
      const [id] = ids;
      for (let count = 0; count < 3; count += 1) await asAdmin('POST', `${webhooks}/${id}/test`);
      const deliveries = await pages(`${webhooks}/${id}/deliveries?limit=2`);
      expect(deliveries.map(({ list }) => list.length)).toEqual([2, 1]);
      const all = (await asAdmin('GET', `${webhooks}/${id}/deliveries`)).list;
      expect(deliveries.flatMap(({ list }) => list)).toEqual(all);
    });
  });
};
