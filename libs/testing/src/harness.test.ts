import { expect, test } from 'vitest';
import { toClientPair, personAuthorityOf, requireReadableTarget } from '@portico/domain';
import { createHarness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

test('a user who registers, is approved and gets a grant finds only that collection', async () => {
  const harness = createHarness();
  const { useCases, documents, tokens } = harness;
  const admin = await useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  if (!admin) throw new Error('there is already an admin');
  const authority = personAuthorityOf({ profile: admin, via: 'token', deadline: null });
  const textOf = (title: string) =>
    Buffer.from(JSON.stringify({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} }));
  const create = async (name: string) => {
    const document = await documents.readFile(textOf(name));
    return useCases.createCollection(authority, admin.id, {
      name,
      description: '',
      authentication: null,
      document,
      strict: false,
    });
  };
  const weather = await create('weather forecast');
  await create('weather archive');
  await harness.runJobs();

  const profile = await useCases.registerProfile(
    { uid: 'ada', email: 'Ada@Example.com', fullName: 'Ada', companyName: null },
    null,
    null,
  );
  const { clientId, secret } = await useCases.approveProfile(authority, profile.id);
  await useCases.grantAccess(authority, toClientPair(profile.id, weather.id));
  await harness.runJobs();
  expect(harness.mailer.sentMails.map(({ to }) => to)).toEqual(['ada@example.com']);

  const token = tokens.mint({ uid: 'ada', email: 'ada@example.com' });
  for (const credential of [{ kind: 'token', token } as const, { kind: 'key', clientId, secret } as const]) {
    const { principal } = await useCases.admit({
      credential,
      auth: 'token or key',
      target: { id: weather.id, detail: 'head' },
      sender: { address: '::1' },
      deadline: null,
    });
    expect(requireReadableTarget(principal).name).toBe('weather forecast');
    const { results } = await useCases.searchCollections(principal, 'weather', 10);
    expect(results.map(({ collectionName }) => collectionName)).toEqual(['weather forecast']);
  }
});
