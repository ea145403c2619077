import { runProcess, startBackground } from '@portico/composition';

// The worker process, which runs the jobs that an HTTP process with `JOBS=off` leaves in the outbox.
await runProcess('worker', async (portico) => {
  const background = startBackground(portico);
  portico.logger.info('The worker is ready');
  return background;
});
