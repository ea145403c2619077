import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const wat2wasm = createRequire(import.meta.url).resolve('wabt/bin/wat2wasm');

/** Each has a source `….wat` and a module `….ts`. */
export const kernels = ['vector-kernel', 'block-kernel'] as const;

const fileOf = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

export const moduleFileOf = (kernel: string): string => fileOf(`${kernel}.ts`);

/** The compiled kernel. It is passed as a file, since the tool's standard output is text. */
export const compileKernel = (kernel: string): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    const output = join(folder, 'kernel.wasm');
    const features = ['--enable-relaxed-simd', '--enable-threads'];
    execFileSync(process.execPath, [wat2wasm, ...features, fileOf(`${kernel}.wat`), `--output=${output}`]);
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The text of the kernel's module for these bytes. */
export const kernelModule = (kernel: string, bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,100}/g) ?? [];
  const name = kernel.replace(/-(.)/, (_, letter: string) => letter.toUpperCase());
  return `/** \`${kernel}.wat\` compiled, in base64: "node test/compile-kernels.ts" in this project writes it. */
export const ${name}Base64 =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
};

if (process.argv[1] === import.meta.filename) {
  for (const kernel of kernels) writeFileSync(moduleFileOf(kernel), kernelModule(kernel, compileKernel(kernel)));
}
