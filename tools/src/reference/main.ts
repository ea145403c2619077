import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../service-process.ts';
import { generatedPages } from './pages.ts';

// Generates the reference from the route table, the tool's help and the declarations of the variables.
for (const [path, page] of Object.entries(generatedPages)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), page());
  console.log(path);
}
