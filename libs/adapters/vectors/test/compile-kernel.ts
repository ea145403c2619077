import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const wat2wasm = createRequire(import.meta.url).resolve('wabt/bin/wat2wasm');
const pathOf = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

export const bytesFile = pathOf('kernel-bytes.ts');

/** Returns the compiled kernel. The compiler writes the kernel to a file, since its standard output is text. */
const compile = (): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    const output = join(folder, 'kernel.wasm');
    execFileSync(process.execPath, [wat2wasm, pathOf('kernel.wat'), `--output=${output}`]);
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Returns the text of `kernel-bytes.ts`. */
export const createKernelModule = (): string => {
  const lines =
    compile()
      .toString('base64')
      .match(/.{1,100}/g) ?? [];
  return `/** The compiled \`kernel.wat\` in base64, written by "node test/compile-kernel.ts" in this project. */
export const kernelBase64 =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
};

if (process.argv[1] === import.meta.filename) writeFileSync(bytesFile, createKernelModule());
