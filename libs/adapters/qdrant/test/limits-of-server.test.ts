import { vectorTowards } from '@portico/contracts';
import { startFaultProxy, startQdrantStandIn } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { usualLimits } from '../src/connect.ts';
import { limitsOfServer } from './limits-of-server.ts';
import { createSubject, idOf, queryOf } from './subject.ts';
import { stopTimeOfEachTest, time } from './time.ts';

stopTimeOfEachTest();

test.each([
  ['is waited for in a suite that runs on real servers', limitsOfServer, false],
  ['is not by the usual limits: the database answers', usualLimits, true],
])('a server that takes a minute for an answer %s', async (_what, limits, isFallback) => {
  const standIn = await startQdrantStandIn();
  onTestFinished(() => standIn.stop());
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(standIn.url).port) });
  onTestFinished(() => proxy.close());
  const subject = createSubject({ url: `http://127.0.0.1:${proxy.port}`, installation: 'slow', limits });
  onTestFinished(() => subject.close());
  const { index, embeddings } = subject;
  const asOf = embeddings.put({ modelId: 'm', collectionId: idOf(0), vector: vectorTowards(1) });
  await index.rebuild('m');
  await proxy.set('hang');
  const answer = index.search(queryOf({ among: [idOf(0)], asOf }));
  await time().pass(60_000);
  await proxy.set('pass');
  expect(await answer).toMatchObject({ isFallback, matches: [{ collectionId: idOf(0) }] });
});
