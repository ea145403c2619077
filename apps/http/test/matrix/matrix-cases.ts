import { expect } from 'vitest';
import type { Reply } from '../reply.ts';
import { callerNames, callers, type CallerName } from './callers.ts';
import { startingAt, type MatrixCase, type RecordReply } from './matrix-case.ts';
import { expectRefusal, refusals } from './refusals.ts';
import { senderOf, isServed, credentialOf, rows, send, type Row } from './request.ts';
import { expectedRefusal } from './rule.ts';
import { expectShape } from './shapes.ts';
import { targetSecret, type Person, type World } from './world.ts';

/** Every endpoint with every kind of caller: a valid request gets exactly the response that the rule expects. */
export const matrixCases: readonly MatrixCase[] = rows.flatMap((row, at) =>
  startingAt(at, callerNames).map((caller) => {
    const refusal = expectedRefusal(row, caller);
    const outcome = refusal ? `${refusal.status} ${refusal.detail}` : row.status;
    return {
      name: `${row.name} returns ${outcome} for ${caller}`,
      covers: [`${row.name}, ${outcome}, ${callers[caller].credential}`, `${outcome}, ${caller}`],
      run: (world: World, record: RecordReply) => runCase(world, record, row, caller),
    };
  }),
);

const runCase = async (world: World, record: RecordReply, row: Row, caller: CallerName): Promise<void> => {
  const refusal = expectedRefusal(row, caller);
  const person = refusal ? world.people[callers[caller].person] : await senderOf(world, row, caller);
  const target = refusal || !row.freshTarget ? row.target(world) : await row.freshTarget(world);
  const reply = await send(world, row, target, await credentialOf(world, caller, person));
  if (row.name !== 'GET /api/collections/{collection_id}/metadata') expect(reply.text).not.toContain(targetSecret);
  if (!isServed(world, row)) {
    expectRefusal(reply, refusals.notFound);
    return;
  }
  record(reply, row);
  if (refusal) expectRefusal(reply, refusal);
  else expectSuccess(world, row, caller, person, reply);
};

const expectSuccess = (world: World, row: Row, caller: CallerName, person: Person, reply: Reply): void => {
  expect([reply.status, reply.status === row.status || reply.text]).toEqual([row.status, true]);
  expect(reply.headers['www-authenticate']).toBeUndefined();
  const { collectionField } = row;
  const entries = expectShape(reply, row.response, collectionField !== undefined);
  if (collectionField !== undefined) {
    const { granted, hidden } = world;
    const seen = entries.map((entry) => entry[collectionField]).filter((id) => id === granted || id === hidden);
    const { sees } = callers[caller];
    expect(seen.sort()).toEqual(sees === 'all' ? [granted, hidden].sort() : sees === 'granted' ? [granted] : []);
    if (sees !== 'all') expect(entries).toHaveLength(seen.length);
  }
  if (entries.some((entry) => 'client_secret' in entry)) expect(reply.headers['cache-control']).toBe('no-store');
  row.verify?.(reply, person, world);
};
