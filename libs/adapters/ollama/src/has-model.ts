import { InstalledModel } from './installed-model.ts';
import { createOllamaApi } from './ollama-api.ts';
import { OllamaFailure } from './ollama-failure.ts';

/**
 * Whether the server has the model, which is neither loaded nor pulled. Rejects if the server is unavailable or not
 * Ollama.
 */
export const hasModel = async (
  { url, model }: { readonly url: string; readonly model: string },
  timeoutMs: number,
): Promise<boolean> => {
  const api = createOllamaApi(url, model);
  const installedModel = new InstalledModel({
    api,
    model,
    maxAgeMs: 0,
    timeoutMs,
    onChange: () => undefined,
  });
  try {
    await installedModel.fetchId(AbortSignal.timeout(timeoutMs));
    return true;
  } catch (error) {
    if (error instanceof OllamaFailure && error.kind === 'missing') return false;
    throw error;
  }
};
