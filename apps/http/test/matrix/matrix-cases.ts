import { expect } from 'vitest';
import type { Reply } from '../reply.ts';
import { callerNames, callers, type CallerName } from './callers.ts';
import { rotateList, type MatrixCase, type RecordReply } from './matrix-case.ts';
import { expectError, errors } from './errors.ts';
import { senderOf, isServed, credentialOf, rows, send, type Row } from './request.ts';
import { expectedErrorOf } from './rule.ts';
import { expectShape } from './shapes.ts';
import { targetSecret, type Person, type World } from './world.ts';

/** Every endpoint with every kind of caller: a valid request gets exactly the response that the rule expects. */
export const matrixCases: readonly MatrixCase[] = rows.flatMap((row, index) =>
  rotateList(index, callerNames).map((caller) => {
    const error = expectedErrorOf(row, caller);
    const outcome = error ? `${error.status} ${error.detail}` : row.status;
    return {
      name: `${row.name} returns ${outcome} for ${caller}`,
      covers: [`${row.name}, ${outcome}, ${callers[caller].credential}`, `${outcome}, ${caller}`],
      run: (world: World, record: RecordReply) => runCase(world, record, row, caller),
    };
  }),
);

const runCase = async (world: World, record: RecordReply, row: Row, caller: CallerName): Promise<void> => {
  const error = expectedErrorOf(row, caller);
  const person = error ? world.people[callers[caller].person] : await senderOf(world, row, caller);
  const target = error || !row.freshTarget ? row.target(world) : await row.freshTarget(world);
  const reply = await send(world, row, target, await credentialOf(world, caller, person));
  if (row.name !== 'GET /api/collections/{collection_id}/metadata') expect(reply.text).not.toContain(targetSecret);
  if (!isServed(world, row)) {
    expectError(reply, errors.notFound);
    return;
  }
  record(reply, row);
  if (error) expectError(reply, error);
  else expectSuccess(world, row, caller, person, reply);
};

const expectSuccess = (world: World, row: Row, caller: CallerName, person: Person, reply: Reply): void => {
  expect([reply.status, reply.status === row.status || reply.text]).toEqual([row.status, true]);
  expect(reply.headers['www-authenticate']).toBeUndefined();
  const { collectionField } = row;
  const entries = expectShape(reply, row.response, collectionField !== undefined);
  if (collectionField !== undefined) {
    const { granted, hidden } = world;
    const visibleIds = entries.map((entry) => entry[collectionField]).filter((id) => id === granted || id === hidden);
    const { visibleCollections } = callers[caller];
    expect(visibleIds.sort()).toEqual(
      visibleCollections === 'all' ? [granted, hidden].sort() : visibleCollections === 'granted' ? [granted] : [],
    );
    if (visibleCollections !== 'all') expect(entries).toHaveLength(visibleIds.length);
  }
  if (entries.some((entry) => 'client_secret' in entry)) expect(reply.headers['cache-control']).toBe('no-store');
  row.verify?.(reply, person, world);
};
