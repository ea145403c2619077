import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReadyResponse } from '../responses/route-response.ts';
import { createConsoleFiles } from './console-files.ts';

const icon = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const bytesOf = ({ body }: ReadyResponse): Buffer => Buffer.from(body as Uint8Array);

describe('the files of the console', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'portico-console-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const build = async (): Promise<void> => {
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    await writeFile(join(folder, 'assets/icon-page-Ab12.js'), '');
    await writeFile(join(folder, 'assets/icon-Ab12.svg'), icon);
    await writeFile(join(folder, 'assets/icon-Ab12.svg.gz'), gzipSync(icon));
  };

  test('include the icon under a fixed name, cacheable for a day', async () => {
    await build();
    const response = await createConsoleFiles(folder).readIcon(false);
    expect(response.headers).toEqual({
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=86400',
      Vary: 'Accept-Encoding',
    });
    expect(bytesOf(response).toString()).toBe(icon);
  });

  test('include the icon as gzip for clients that accept it', async () => {
    await build();
    const response = await createConsoleFiles(folder).readIcon(true);
    expect(response.headers['Content-Encoding']).toBe('gzip');
    expect(gunzipSync(bytesOf(response)).toString()).toBe(icon);
  });

  test('include the icon once they are built', async () => {
    const files = createConsoleFiles(folder);
    await expect(files.readIcon(false)).rejects.toMatchObject({ code: 'not_found' });
    await build();
    expect((await files.readIcon(false)).status).toBeNull();
  });
});
