import { snapshotOf } from '@portico/contracts';
import type { Ports } from '@portico/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StartOptions } from '../matrix/listen.ts';
import type { MatrixService } from '../matrix/matrix-service.ts';
import { actorOf, pathOf, presented, rows, welcome, type Row } from '../matrix/request.ts';
import { createWorld, type World } from '../matrix/world.ts';
import { createStage, steps, type Step } from './stage.ts';

/** Requests other than GET that change nothing, and the GET that does: it leaves an audit entry. */
const harmless: readonly string[] = [
  'POST /api/vector/search',
  'POST /api/operations/search',
  'POST /api/imports/plan',
  'POST /mcp',
];
const changingReads: readonly string[] = ['GET /api/collections/{collection_id}/metadata'];

export const isChanging = ({ name, method }: Row): boolean =>
  method === 'GET' ? changingReads.includes(name) : !harmless.includes(name);

const everyStep = Object.keys(steps) as readonly Step[];

/**
 * Sends every changing request, each about its own objects, and lets its deadline expire at each step. Before the
 * commit begins, the answer is a 500 and nothing has changed; after that, the answer is the outcome of the request.
 */
export const deadlineSuite = (
  start: (options: StartOptions) => Promise<MatrixService>,
  isAsked: (row: Row) => boolean,
): void => {
  const stage = createStage();
  let ports: Ports;
  let world: World;

  beforeAll(async () => {
    const { ports: staged = () => ({}), ...rest } = stage.options;
    const options: StartOptions = {
      ...rest,
      // Without a limit, admission of a registration would call no port.
      settings: { anonymousLimit: { allowed: 1_000_000, windowSeconds: 60 } },
      ports: (right) => staged((ports = right)),
    };
    world = await createWorld(await start(options));
  });
  afterAll(() => world.close());

  /** Prepares a request as `succeed` of the matrix does; returns a function that sends it. */
  const prepared = async (row: Row) => {
    await world.service.runJobs();
    const name = welcome(row);
    const person = await actorOf(world, row, name);
    const aim = await (row.freshAim ?? row.aim)(world);
    const options = {
      ...(await presented(world, name, person)),
      ...(aim.json === undefined ? {} : { json: aim.json }),
    };
    return () => world.client.call(row.method, pathOf(row, aim), options);
  };

  describe.each(rows.filter(isChanging).filter(isAsked))('$name', (row) => {
    test.each(everyStep)('whose deadline expires %s', async (step) => {
      const request = await prepared(row);
      const before = await snapshotOf(ports);
      const { answer, isReached } = await stage.play(step, request);
      expect(isReached).toBe(true);
      const after = await snapshotOf(ports);
      if (steps[step] === 'before') {
        expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal server error' }]);
        expect(after).toEqual(before);
      } else {
        expect(answer.status).toBe(row.status);
        expect(after).not.toEqual(before);
      }
      // Repeating the request after the 500 makes the change once.
      if (steps[step] === 'before') expect((await request()).status).toBe(row.status);
    });
  });

  test.each(rows.filter((row) => !isChanging(row) && row.auth !== 'free').filter(isAsked))(
    '$name changes nothing',
    async (row) => {
      const request = await prepared(row);
      const before = await snapshotOf(ports);
      const { isReached } = await stage.play('before its change', request);
      expect(isReached).toBe(false);
      expect(await snapshotOf(ports)).toEqual(before);
    },
  );
};
