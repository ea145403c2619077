import { snapshotOf } from '@portico/contracts';
import type { Ports } from '@portico/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StartOptions } from '../matrix/listen.ts';
import type { MatrixService } from '../matrix/matrix-service.ts';
import { actorOf, pathOf, presented, rows, welcome, type Row } from '../matrix/request.ts';
import { createWorld, type World } from '../matrix/world.ts';
import { createStage, steps, type Step } from './stage.ts';

/** Requests by other methods than GET that change nothing, and the one by GET that does. */
const harmless: readonly string[] = ['POST /api/vector/search'];
const changingReads: readonly string[] = ['GET /api/collections/{collection_id}/metadata'];

export const isChanging = ({ name, method }: Row): boolean =>
  method === 'GET' ? changingReads.includes(name) : !harmless.includes(name);

const everyStep = Object.keys(steps) as readonly Step[];

/**
 * Makes every request that changes something, about things of its own, and lets its time be over at each of its steps: where no
 * commit has begun it is answered by 500 and has changed nothing; else it is answered by what has become of it.
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
      // Whoever registers is read by the limiter alone.
      settings: { anonymousLimit: { allowed: 1_000_000, windowSeconds: 60 } },
      ports: (right) => staged((ports = right)),
    };
    world = await createWorld(await start(options));
  }, 120_000);
  afterAll(() => world.close());

  /** As `succeed` of the matrix, with all that it needs made before. */
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
    test.each(everyStep)('whose time is over %s', async (step) => {
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
      // Whoever repeats what was answered by 500 does it once.
      if (steps[step] === 'before') expect((await request()).status).toBe(row.status);
    });
  });

  test.each(rows.filter((row) => !isChanging(row) && row.auth !== 'free').filter(isAsked))(
    '$name changes nothing, so it has nothing to give up',
    async (row) => {
      const request = await prepared(row);
      const before = await snapshotOf(ports);
      const { isReached } = await stage.play('before its change', request);
      expect(isReached).toBe(false);
      expect(await snapshotOf(ports)).toEqual(before);
    },
  );
};
