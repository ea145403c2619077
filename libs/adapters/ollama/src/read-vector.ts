import { embeddingDimension } from '@portico/domain';
import { OllamaFailure } from './ollama-failure.ts';

/**
 * Returns the only vector in a response, normalized to unit length in double precision. Throws a failure if the response
 * is anything else. The server claims that vectors have unit length, but that is true only in single precision, and not
 * for every model.
 */
export const readVector = (response: unknown, model: string): Float32Array => {
  const { embeddings } = Object(response) as { readonly embeddings?: unknown };
  if (!Array.isArray(embeddings)) throw new OllamaFailure('server', 'Ollama returned no vectors');
  if (embeddings.length !== 1) {
    throw new OllamaFailure('server', `Ollama returned ${embeddings.length} vectors for 1 text`);
  }
  const vector: unknown = embeddings[0];
  if (!Array.isArray(vector)) throw new OllamaFailure('server', 'Ollama returned a vector that is not a list');
  if (vector.length !== embeddingDimension) {
    throw new OllamaFailure(
      'dimension',
      `EMBEDDING_MODEL ${model} returns vectors with ${vector.length} dimensions, but Portico requires ${embeddingDimension}`,
    );
  }
  if (!vector.every((x: unknown): x is number => typeof x === 'number')) {
    throw new OllamaFailure('server', 'Ollama returned a vector with a value that is not a number');
  }
  // If a value is not finite, the length is not finite either.
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (!(length > 0 && Number.isFinite(length))) {
    throw new OllamaFailure('server', 'Ollama returned a vector that is zero or not finite');
  }
  return Float32Array.from(vector, (x) => x / length);
};
