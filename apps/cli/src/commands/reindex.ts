import { setTimeout as pause } from 'node:timers/promises';
import { startBackground, type Portico } from '@portico/composition';
import { operatorAuthority, type OperationProgress, type ReindexProgress, type ReindexRun } from '@portico/domain';
import { createProgress } from '../progress.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

const pollIntervalMs = 200;

/** Starts a re-index and waits until it is done. Runs its jobs alongside a running service. */
export const reindex = async (portico: Portico, terminal: Terminal): Promise<void> => {
  const { useCases } = portico;
  const run = await useCases.startReindex(operatorAuthority);
  const background = startBackground(portico);
  try {
    const { jobId, total, done, failed } = await waitForCollections(portico, terminal, run);
    const operations = await waitForOperations(portico);
    terminal.printResult({ job_id: jobId, total, done, failed, operations }, [
      `${done} of ${total} collections were embedded again, ${failed} failed.`,
      `The operations of ${operations.done} collections are searchable, those of ${operations.failed} failed.`,
    ]);
    if (failed > 0) throw new OperatorError(`${failed} collections could not be embedded; see the log for the reasons`);
  } finally {
    await background.stop();
  }
};

const waitForCollections = async (
  { useCases }: Portico,
  terminal: Terminal,
  run: ReindexRun,
): Promise<ReindexProgress> => {
  const progress = createProgress(terminal, 'Embedding', run.total);
  try {
    for (;;) {
      const state = await useCases.readReindex();
      if (!state || state.jobId !== run.id) throw new OperatorError('a newer re-index has replaced this one');
      progress.advanceTo(state.done + state.failed);
      if (state.status === 'done') return state;
      await pause(pollIntervalMs);
    }
  } finally {
    progress.end();
  }
};

/** Waits until no collection has missing or outdated operations. */
const waitForOperations = async ({ useCases }: Portico): Promise<OperationProgress> => {
  for (;;) {
    const state = await useCases.readOperationProgress();
    if (state && state.done + state.failed >= state.total) return state;
    await pause(pollIntervalMs);
  }
};
