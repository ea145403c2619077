import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const wat2wasm = createRequire(import.meta.url).resolve('wabt/bin/wat2wasm');
const source = fileURLToPath(new URL('../src/kernel.wat', import.meta.url));
const target = fileURLToPath(new URL('../src/kernel.ts', import.meta.url));

/** The compiled `kernel.wat`. It is passed as a file, since the tool's standard output is text. */
export const compileKernel = (): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    const output = join(folder, 'kernel.wasm');
    execFileSync(process.execPath, [wat2wasm, source, `--output=${output}`]);
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The text of `kernel.ts` for these bytes. */
export const kernelModule = (bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,100}/g) ?? [];
  return `/** \`kernel.wat\` compiled, in base64: "node test/compile-kernel.ts" in this project writes it. */
export const kernelBase64 =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
};

if (process.argv[1] === import.meta.filename) {
  writeFileSync(target, kernelModule(compileKernel()));
}
