import { snapshotOf } from '@portico/contracts';
import type { Ports } from '@portico/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StartOptions } from '../matrix/listen.ts';
import type { MatrixService } from '../matrix/matrix-service.ts';
import { senderOf, pathOf, credentialOf, rows, allowedCaller, type Row } from '../matrix/request.ts';
import { createWorld, type World } from '../matrix/world.ts';
import { createDeadlineControl, steps, type Step } from './deadline-control.ts';

/**
 * Requests with methods other than GET that change nothing, and the GET request that makes a change: it adds an audit
 * entry.
 */
const readOnlyRequests: readonly string[] = [
  'POST /api/vector/search',
  'POST /api/operations/search',
  'POST /api/imports/plan',
  'POST /api/collections/{collection_id}/operations/{operation_key}/prepare',
  'POST /mcp',
];
const changingGets: readonly string[] = ['GET /api/collections/{collection_id}/metadata'];

/** The request that records an attempt to send: that it was made is recorded even if it took too long. */
const isSending = ({ name }: Row): boolean => name === 'POST /api/webhooks/{webhook_id}/test';

export const isChanging = ({ name, method }: Row): boolean =>
  method === 'GET' ? changingGets.includes(name) : !readOnlyRequests.includes(name);

const allSteps = Object.keys(steps) as readonly Step[];

/**
 * Sends every request that makes a change, each for its own objects, and expires its deadline at each step. If the
 * deadline expires before the commit begins, the response is a 500 and nothing has changed; otherwise the response is
 * the outcome of the request.
 */
export const deadlineSuite = (
  start: (options: StartOptions) => Promise<MatrixService>,
  isSelected: (row: Row) => boolean,
): void => {
  const deadlineControl = createDeadlineControl();
  let ports: Ports;
  let world: World;

  beforeAll(async () => {
    const { ports: instrument = () => ({}), ...rest } = deadlineControl.options;
    const options: StartOptions = {
      ...rest,
      // Without a limit, the admission of a registration would call no port.
      settings: { anonymousLimit: { allowed: 1_000_000, windowSeconds: 60 } },
      ports: (original) => instrument((ports = original)),
    };
    world = await createWorld(await start(options));
  });
  afterAll(() => world.close());

  /** Prepares a request like the matrix's `sendValidRequest`; returns a function that sends it. */
  const prepare = async (row: Row) => {
    await world.service.runJobs();
    const name = allowedCaller(row);
    const person = await senderOf(world, row, name);
    const target = await (row.freshTarget ?? row.target)(world);
    const options = {
      ...(await credentialOf(world, name, person)),
      ...(target.json === undefined ? {} : { json: target.json }),
    };
    return () => world.client.call(row.method, pathOf(row, target), options);
  };

  describe.each(rows.filter((row) => isChanging(row) && !isSending(row)).filter(isSelected))('$name', (row) => {
    test.each(allSteps)('is atomic if its deadline expires %s', async (step) => {
      const request = await prepare(row);
      const stateBefore = await snapshotOf(ports);
      const { response, isReached } = await deadlineControl.expireAt(step, request);
      expect(isReached).toBe(true);
      const stateAfter = await snapshotOf(ports);
      if (steps[step] === 'before') {
        expect([response.status, response.body]).toEqual([500, { detail: 'Internal server error' }]);
        expect(stateAfter).toEqual(stateBefore);
      } else {
        expect(response.status).toBe(row.status);
        expect(stateAfter).not.toEqual(stateBefore);
      }
      // Repeating the request after the 500 makes the change once.
      if (steps[step] === 'before') expect((await request()).status).toBe(row.status);
    });
  });

  test.each(rows.filter((row) => !isChanging(row) && row.auth !== 'free').filter(isSelected))(
    '$name changes nothing',
    async (row) => {
      const request = await prepare(row);
      const stateBefore = await snapshotOf(ports);
      const { isReached } = await deadlineControl.expireAt('before its change', request);
      expect(isReached).toBe(false);
      expect(await snapshotOf(ports)).toEqual(stateBefore);
    },
  );
};
