import react from '@vitejs/plugin-react';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const ADMIN = process.env['ADMIN_URL'] ?? 'http://127.0.0.1:3001';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    // Browsers that have had their updates; nothing is compiled for others.
    target: 'es2022',
    // Served from the same process, so one request more costs little; a file that changed is fetched alone.
    rollupOptions: { output: { manualChunks: chunkOf } },
    chunkSizeWarningLimit: 1_200,
  },
  server: {
    proxy: { '/admin': { target: ADMIN, headers: { ...bearer() } } },
  },
});

function chunkOf(id: string): string | undefined {
  if (!id.includes('node_modules')) return undefined;
  return /node_modules\/(react|react-dom|react-router|scheduler|@tanstack)\//.test(id) ? 'react' : 'antd';
}

/**
 * For development alone, and only when asked: with ADMIN_DATA_DIR the proxy signs in with the token of that folder. The
 * console itself never holds one.
 */
function bearer(): Record<string, string> {
  const folder = process.env['ADMIN_DATA_DIR'];
  if (!folder) return {};
  return { authorization: `Bearer ${readFileSync(join(folder, 'admin-token'), 'utf8').trim()}` };
}
