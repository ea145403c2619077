import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a process that would run forever. Unless a test sets it, the timeout is only a safeguard against hangs. */
const run = (script: string, timeoutMs = 600_000) => {
  const code = `
    import { enableGracefulShutdown } from './graceful-shutdown.ts';
    import { createLogger } from './logging.ts';
    const logger = createLogger('info', 'test');
    const onShutdown = enableGracefulShutdown(logger, ${timeoutMs});
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
const finishWork = `onShutdown(async () => logger.info('finished'));`;

test.each(['SIGTERM', 'SIGINT'])('on %s a process finishes its work and exits with code 0', (signal) => {
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
  const hangingWork = `onShutdown(() => new Promise(() => setTimeout(() => process.kill(process.pid, 'SIGTERM'), 1_100)));`;
  expect(run(`${hangingWork} process.kill(process.pid, 'SIGTERM');`)).toMatchObject({
    status: 0,
    messages: [stoppingMessage],
  });
});

test('a signal that arrives twice, sent to the process group and forwarded by npm, counts as one', () => {
  const sendTwoSignals = `process.kill(process.pid, 'SIGINT'); process.kill(process.pid, 'SIGINT');`;
  const longWork = `onShutdown(async () => {
    ${sendTwoSignals}
    await new Promise((resolve) => setTimeout(resolve, 50));
    logger.info('finished');
  });`;
  expect(run(`${longWork} ${sendTwoSignals}`)).toMatchObject({
    status: 0,
    messages: [stoppingMessage, 'finished', 'Stopped'],
  });
});

test('an uncaught error is logged without the data sent to a server, and the process shuts down gracefully with exit code 1', () => {
  const { status, messages, log, stderr } = run(
    `${finishWork} void Promise.reject(Object.assign(new Error('oh'), { command: { name: 'auth', args: ['s3cret'] } }));`,
  );
  expect(status).toBe(1);
  expect(messages).toEqual(['Uncaught error; stopping', stoppingMessage, 'finished', 'Stopped']);
  expect(log).toContain('"message":"oh"');
  expect(log + stderr).not.toContain('s3cret');
  expect(stderr).toBe('');
});

test('work that never finishes is abandoned, so that a hanging process exits', () => {
  const { status, messages } = run(
    `onShutdown(() => new Promise(() => {})); process.kill(process.pid, 'SIGTERM');`,
    500,
  );
  expect(status).toBe(1);
  expect(messages).toEqual([stoppingMessage, 'Stopping took longer than 500 ms; exiting with work unfinished']);
});

test('an uncaught error during the shutdown is logged, and the work is finished anyway', () => {
  const { status, messages } = run(`
    onShutdown(async () => {
      void Promise.reject(new Error('once more'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      logger.info('finished');
    });
    process.kill(process.pid, 'SIGTERM');`);
  expect(status).toBe(1);
  expect(messages).toEqual([stoppingMessage, 'Uncaught error; stopping', 'finished', 'Stopped']);
});

test('work that fails to finish is logged, and the process exits with code 1', () => {
  const { status, messages, log } = run(
    `onShutdown(async () => { throw new Error('stuck'); }); process.kill(process.pid, 'SIGTERM');`,
  );
  expect(status).toBe(1);
  expect(messages).toEqual([stoppingMessage, 'Stopping failed']);
  expect(log).toContain('stuck');
});
