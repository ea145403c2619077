import { setTimeout as pause } from 'node:timers/promises';
import { startBackground, type Portico } from '@portico/composition';
import { operatorAuthority } from '@portico/domain';
import { createProgress } from '../progress.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

const lookIntervalMs = 200;

/** Starts a re-index and waits until it is done; runs its jobs together with a running service. */
export const reindex = async (portico: Portico, terminal: Terminal): Promise<void> => {
  const { useCases } = portico;
  const run = await useCases.startReindex(operatorAuthority);
  const background = startBackground(portico);
  const progress = createProgress('Embedding', run.total);
  try {
    for (;;) {
      const state = await useCases.readReindex();
      if (!state || state.jobId !== run.id) throw new OperatorError('another re-index has replaced this one');
      progress.advanceTo(state.done + state.failed);
      if (state.status === 'done') {
        progress.end();
        const { jobId, total, done, failed } = state;
        terminal.result({ job_id: jobId, total, done, failed }, [
          `${done} of ${total} collections were embedded again, ${failed} failed.`,
        ]);
        if (failed > 0) throw new OperatorError(`${failed} collections could not be embedded; the log says why`);
        return;
      }
      await pause(lookIntervalMs);
    }
  } finally {
    progress.end();
    await background.stop();
  }
};
