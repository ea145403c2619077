import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a process that would run forever. Unless a test sets it, the deadline is only a safeguard against hangs. */
const run = (script: string, deadlineMs = 600_000) => {
  const code = `
    import { gracefulShutdown } from './graceful-shutdown.ts';
    import { createLogger } from './logging.ts';
    const logger = createLogger('info', 'test');
    const whenEnding = gracefulShutdown(logger, ${deadlineMs});
    setInterval(() => {}, 1_000);
    ${script}`;
  const args = ['-C', '@portico/source', '--input-type=module', '-e', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string });
  return { status, messages: lines.map(({ msg }) => msg), log: stdout, stderr };
};

const stoppingMessage = 'Stopping: accepting no new work, finishing work in progress';
const finishWork = `whenEnding(async () => logger.info('finished'));`;

test.each(['SIGTERM', 'SIGINT'])('on %s a process finishes its work and exits with 0', (signal) => {
  expect(run(`${finishWork} process.kill(process.pid, '${signal}');`)).toMatchObject({
    status: 0,
    messages: [stoppingMessage, 'finished', 'Stopped'],
  });
});

test('a signal also stops a process that has nothing to finish yet', () => {
  expect(run(`process.kill(process.pid, 'SIGTERM');`)).toMatchObject({
    status: 0,
    messages: [stoppingMessage, 'Stopped'],
  });
});

test('a second signal does not wait for work that never finishes', () => {
  const hanging = `whenEnding(() => new Promise(() => setTimeout(() => process.kill(process.pid, 'SIGTERM'), 1_100)));`;
  expect(run(`${hanging} process.kill(process.pid, 'SIGTERM');`)).toMatchObject({
    status: 0,
    messages: [stoppingMessage],
  });
});

test('the same signal twice, sent to a group and forwarded by npm, counts as one', () => {
  const twice = `process.kill(process.pid, 'SIGINT'); process.kill(process.pid, 'SIGINT');`;
  const long = `whenEnding(async () => {
    ${twice}
    await new Promise((resolve) => setTimeout(resolve, 50));
    logger.info('finished');
  });`;
  expect(run(`${long} ${twice}`)).toMatchObject({ status: 0, messages: [stoppingMessage, 'finished', 'Stopped'] });
});

test('an uncaught error is logged without data sent to a server, and the process shuts down gracefully with 1', () => {
  const { status, messages, log, stderr } = run(
    `${finishWork} void Promise.reject(Object.assign(new Error('oh'), { command: { name: 'auth', args: ['s3cret'] } }));`,
  );
  expect(status).toBe(1);
  expect(messages).toEqual(['Uncaught error; stopping', stoppingMessage, 'finished', 'Stopped']);
  expect(log).toContain('"message":"oh"');
  expect(log + stderr).not.toContain('s3cret');
  expect(stderr).toBe('');
});

test('work that never finishes is abandoned, so that a hanging process does not stay alive', () => {
  const { status, messages } = run(
    `whenEnding(() => new Promise(() => {})); process.kill(process.pid, 'SIGTERM');`,
    500,
  );
  expect(status).toBe(1);
  expect(messages).toEqual([stoppingMessage, 'Stopping took longer than 500 ms; exiting with work unfinished']);
});

test('an uncaught error during the shutdown is logged, and the work is finished anyway', () => {
  const { status, messages } = run(`
    whenEnding(async () => {
      void Promise.reject(new Error('once more'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      logger.info('finished');
    });
    process.kill(process.pid, 'SIGTERM');`);
  expect(status).toBe(1);
  expect(messages).toEqual([stoppingMessage, 'Uncaught error; stopping', 'finished', 'Stopped']);
});

test('work that fails to finish is logged, and the process exits with 1', () => {
  const { status, messages, log } = run(
    `whenEnding(async () => { throw new Error('stuck'); }); process.kill(process.pid, 'SIGTERM');`,
  );
  expect(status).toBe(1);
  expect(messages).toEqual([stoppingMessage, 'Stopping failed']);
  expect(log).toContain('stuck');
});
