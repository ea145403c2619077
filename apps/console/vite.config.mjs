import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Writes each text also as gzip, so that the service never compresses while it answers. */
const gzipped = {
  name: 'gzipped',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const [fileName, file] of Object.entries(bundle)) {
      if (!/\.(js|css|svg)$/.test(fileName)) continue;
      const text = file.type === 'chunk' ? file.code : file.source;
      this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(text, { level: 9 }) });
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
