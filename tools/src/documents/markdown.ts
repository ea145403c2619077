import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../service-process.ts';

/** A document in the repository. */
export interface Page {
  /** The path relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
}

const patterns = ['{,.}*.md', '{.github,docs,samples,tools}/**/*.md'];

/** Returns all documents except those of installed packages, sorted by path. */
export const readPages = (): readonly Page[] =>
  globSync(patterns, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, bytes: Buffer.byteLength(text) };
    });

/** Returns the contents of a page's shell blocks, in order. */
export const shellBlocksOf = ({ text }: Page): readonly string[] =>
  [...text.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, lines = '']) => lines);
