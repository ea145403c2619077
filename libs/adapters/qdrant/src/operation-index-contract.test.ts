import { operationIndexContract } from '@portico/contracts';
import { connectToQdrant, startFakeQdrant } from '@portico/test-servers';
import { afterAll, afterEach, describe, test } from 'vitest';
import type { Server } from '../test/server-limits.ts';
import { createOperationSubject } from '../test/operation-subject.ts';

const fake = await startFakeQdrant();
const realServer = await connectToQdrant();
afterAll(() => fake.close());

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const runContract = (server: Server) => {
  for (const [sentence, check] of Object.entries(operationIndexContract)) {
    test(sentence, async () => check(await createOperationSubject(server, closers)));
  }
};

describe('fake Qdrant: the contract of an index of operations', () => runContract(fake));

describe.skipIf(!realServer)('Qdrant: the contract of an index of operations', () => runContract(realServer ?? fake));
