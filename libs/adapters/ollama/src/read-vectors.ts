import { embeddingDimension } from '@portico/domain';
import { OllamaFailure } from './ollama-failure.ts';

/**
 * The vectors of an answer, so many, brought to length 1 in double precision; anything else throws a failure. The server
 * says that they are of length 1, which holds to single precision and not for each model.
 */
export const readVectors = (answer: unknown, count: number, model: string): Float32Array[] => {
  const { embeddings } = Object(answer) as { readonly embeddings?: unknown };
  if (!Array.isArray(embeddings)) throw new OllamaFailure('server', 'Ollama answered no vectors');
  if (embeddings.length !== count) {
    throw new OllamaFailure('server', `Ollama answered ${embeddings.length} vectors for ${count} texts`);
  }
  return embeddings.map((vector: unknown) => readVector(vector, model));
};

const readVector = (vector: unknown, model: string): Float32Array => {
  if (!Array.isArray(vector)) throw new OllamaFailure('server', 'Ollama answered a vector that is none');
  if (vector.length !== embeddingDimension) {
    throw new OllamaFailure(
      'dimension',
      `EMBEDDING_MODEL ${model} gives ${vector.length} dimensions, Portico needs ${embeddingDimension}`,
    );
  }
  if (!vector.every((x: unknown): x is number => typeof x === 'number')) {
    throw new OllamaFailure('server', 'Ollama answered a vector with something in it that is no number');
  }
  // Of what is not finite the length is not either.
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (!(length > 0 && Number.isFinite(length))) {
    throw new OllamaFailure('server', 'Ollama answered a vector that has no direction, or is not finite');
  }
  return Float32Array.from(vector, (x) => x / length);
};
