import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a process that would go on forever; its deadline is for hangs alone, where a test does not set it. */
const run = (doing: string, deadlineMs = 600_000) => {
  const code = `
    import { gracefulShutdown } from './graceful-shutdown.ts';
    import { createLogger } from './logging.ts';
    const logger = createLogger('info', 'test');
    const whenEnding = gracefulShutdown(logger, ${deadlineMs});
    setInterval(() => {}, 1_000);
    ${doing}`;
  const args = ['-C', '@portico/source', '--input-type=module', '-e', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string });
  return { status, said: lines.map(({ msg }) => msg), log: stdout, stderr };
};

const stopping = 'Stopping: taking no new work, finishing what is under way';
const finishing = `whenEnding(async () => logger.info('finished'));`;

test.each(['SIGTERM', 'SIGINT'])('on %s a process finishes its work and exits with 0', (signal) => {
  expect(run(`${finishing} process.kill(process.pid, '${signal}');`)).toMatchObject({
    status: 0,
    said: [stopping, 'finished', 'Stopped'],
  });
});

test('a signal also ends a process that has nothing to finish yet', () => {
  expect(run(`process.kill(process.pid, 'SIGTERM');`)).toMatchObject({
    status: 0,
    said: [stopping, 'Stopped'],
  });
});

test('a second signal does not wait for work that never finishes', () => {
  const hanging = `whenEnding(() => new Promise(() => setTimeout(() => process.kill(process.pid, 'SIGTERM'), 1_100)));`;
  expect(run(`${hanging} process.kill(process.pid, 'SIGTERM');`)).toMatchObject({ status: 0, said: [stopping] });
});

test('the same signal twice at once, to a group and passed on by npm, is one', () => {
  const twice = `process.kill(process.pid, 'SIGINT'); process.kill(process.pid, 'SIGINT');`;
  const long = `whenEnding(async () => {
    ${twice}
    await new Promise((resolve) => setTimeout(resolve, 50));
    logger.info('finished');
  });`;
  expect(run(`${long} ${twice}`)).toMatchObject({ status: 0, said: [stopping, 'finished', 'Stopped'] });
});

test('an uncaught error is logged without what was sent to a server, and the process shuts down in order with 1', () => {
  const { status, said, log, stderr } = run(
    `${finishing} void Promise.reject(Object.assign(new Error('oh'), { command: { name: 'auth', args: ['s3cret'] } }));`,
  );
  expect(status).toBe(1);
  expect(said).toEqual(['Uncaught error; stopping', stopping, 'finished', 'Stopped']);
  expect(log).toContain('"message":"oh"');
  expect(log + stderr).not.toContain('s3cret');
  expect(stderr).toBe('');
});

test('work that never finishes is abandoned, so that a hanging process does not live on', () => {
  const { status, said } = run(`whenEnding(() => new Promise(() => {})); process.kill(process.pid, 'SIGTERM');`, 500);
  expect(status).toBe(1);
  expect(said).toEqual([stopping, 'Stopping took longer than 500 ms; exiting with work unfinished']);
});

test('an uncaught error during the shutdown is logged, and the work is finished all the same', () => {
  const { status, said } = run(`
    whenEnding(async () => {
      void Promise.reject(new Error('once more'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      logger.info('finished');
    });
    process.kill(process.pid, 'SIGTERM');`);
  expect(status).toBe(1);
  expect(said).toEqual([stopping, 'Uncaught error; stopping', 'finished', 'Stopped']);
});

test('work that fails to finish is logged, and the process exits with 1', () => {
  const { status, said, log } = run(
    `whenEnding(async () => { throw new Error('stuck'); }); process.kill(process.pid, 'SIGTERM');`,
  );
  expect(status).toBe(1);
  expect(said).toEqual([stopping, 'Stopping failed']);
  expect(log).toContain('stuck');
});
