import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '@portico/test-servers';

const execute = promisify(execFile);

/** How samples are run, one after the other, in as few processes as their language allows. */
export interface Runner {
  /** The path of the program; null if it is not installed. */
  readonly program: string | null;
  readonly run: (samples: readonly string[], folder: string) => Promise<void>;
}

const createRunner = (
  program: string,
  file: string,
  join: (samples: readonly string[]) => string,
  options: readonly string[] = [],
): Runner => {
  const path = program === 'node' ? process.execPath : findOnPath(program);
  return {
    program: path,
    run: (samples, folder) => runFile(path ?? '', [...options], folder, file, join(samples)),
  };
};

async function runFile(program: string, options: string[], folder: string, file: string, text: string): Promise<void> {
  await writeFile(join(folder, file), text);
  await execute(program, [...options, join(folder, file)], { cwd: folder });
}

const toBlocks = (samples: readonly string[]): string => samples.map((sample) => `{\n${sample}\n}`).join('\n');

export const runners = {
  python: createRunner('python3', 'samples.py', (samples) => samples.join('\n')),
  javascript: createRunner('node', 'samples.mjs', toBlocks),
  typescript: createRunner('node', 'samples.mts', toBlocks),
  php: createRunner('php', 'samples.php', (samples) => `<?php\n${samples.join('\n').replaceAll('<?php\n', '')}`),
  ruby: createRunner('ruby', 'samples.rb', (samples) => samples.join('\n')),
  java: createRunner('java', 'Samples.java', (samples) => {
    const importLine = 'import java.net.http.*;\n';
    const methods = samples.map(
      (sample, index) => `static void send${index}() throws Exception {\n${sample.replace(importLine, '')}\n}\n`,
    );
    const calls = samples.map((_, index) => `send${index}();`).join(' ');
    const main = `public static void main(String[] arguments) throws Exception { ${calls} }`;
    return `${importLine}class Samples {\n${methods.join('')}${main}\n}\n`;
  }),
  go: {
    program: findOnPath('go'),
    run: async (samples, folder) => {
      for (const [index, sample] of samples.entries())
        await runFile(findOnPath('go') ?? '', ['run'], folder, `sample${index}.go`, sample);
    },
  },
} as const satisfies Record<string, Runner>;
