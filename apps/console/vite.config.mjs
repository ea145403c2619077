import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Writes each text also as gzip, so that the service never compresses while it answers. */
const gzipped = {
  name: 'gzipped',
  // Only then are the files complete.
  writeBundle({ dir }, bundle) {
    for (const fileName of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const path = join(dir, fileName);
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), gzipped],
  build: {
    // Every file but the page has its content's hash in its name, so that it can be kept for ever.
    assetsDir: 'assets',
    // The policy of the page allows no data in place of a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});
