import { createVectorTowards } from '@portico/contracts';
import { startFaultProxy, startFakeQdrant } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { defaultLimits } from '../src/connect.ts';
import { serverLimits } from './server-limits.ts';
import { createSubject, idOf, queryOf } from './subject.ts';
import { stopTimeInEachTest, time } from './time.ts';

stopTimeInEachTest();

test.each([
  ['is awaited in a suite that runs on real servers', serverLimits, false],
  ['is not awaited with the default limits: searches use the database', defaultLimits, true],
])('a server that takes a minute to respond %s', async (_name, limits, isFallback) => {
  const fake = await startFakeQdrant();
  onTestFinished(() => fake.stop());
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(fake.url).port) });
  onTestFinished(() => proxy.close());
  const subject = createSubject({ url: `http://127.0.0.1:${proxy.port}`, installation: 'slow', limits });
  onTestFinished(() => subject.close());
  const { index, embeddings } = subject;
  const asOf = embeddings.put({ modelId: 'm', collectionId: idOf(0), vector: createVectorTowards(1) });
  await index.rebuild('m');
  await proxy.set('hang');
  const result = index.search(queryOf({ candidateIds: [idOf(0)], asOf }));
  await time().advance(60_000);
  await proxy.set('pass');
  expect(await result).toMatchObject({ isFallback, matches: [{ collectionId: idOf(0) }] });
});
