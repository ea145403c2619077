import { readPages } from './markdown.ts';
import { budgetsOf } from './sizes.ts';

// Prints the size of each document, and the size limits. Fails if a limit is exceeded.
const pages = readPages();
const formatLine = (bytes: number, name: string): string => `${bytes.toLocaleString('en').padStart(9)}  ${name}\n`;
for (const { path, bytes } of pages) process.stdout.write(formatLine(bytes, path));
process.stdout.write('\n');
for (const { name, bytes, bytesMax } of budgetsOf(pages)) {
  const verdict = bytes <= bytesMax ? '' : '  TOO LARGE';
  process.stdout.write(formatLine(bytes, `${name} (at most ${bytesMax.toLocaleString('en')})${verdict}`));
  if (bytes > bytesMax) process.exitCode = 1;
}
