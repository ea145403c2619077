import { createLexicalEmbedder } from '../src/lexical-embedder.ts';
import { evaluate } from './evaluation.ts';

/** Prints how well the embedder answers judged queries: node -C @portico/source test/evaluate.ts */
for (const [kind, figure] of await evaluate(createLexicalEmbedder())) {
  console.log(`${kind.padEnd(12)} ${figure.toFixed(3)}`);
}
