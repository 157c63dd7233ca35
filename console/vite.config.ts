import react from '@vitejs/plugin-react';
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
    // People sign in as they do anywhere: the service sees the dev server's own origin in both headers.
    proxy: { '/admin': { target: ADMIN } },
  },
});

function chunkOf(id: string): string | undefined {
  if (!id.includes('node_modules')) return undefined;
  return /node_modules\/(react|react-dom|react-router|scheduler|@tanstack)\//.test(id) ? 'react' : 'antd';
}
