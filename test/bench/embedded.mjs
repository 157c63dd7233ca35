// Ingest and end to end on the embedded default, beside a bare Nest + Fastify echo in the same run. Figures are CPU time
// of the server's process a callback, and events a second by the clock; machines are noisy, so read the ratios.
import { measureServer } from './measured-server.mjs';

export async function benchEmbedded(options) {
  const results = {
    echo: await measureServer('echo', options),
    open: await measureServer('open', options),
    ingest: await measureServer('ingest', options),
    full: await measureServer('full', { ...options, untilDecided: true }),
  };
  console.table(
    Object.fromEntries(
      Object.entries(results).map(([mode, result]) => [
        mode,
        {
          'CPU µs': Math.round(result.cpuMicros),
          'times echo': Number((result.cpuMicros / results.echo.cpuMicros).toFixed(1)),
          'answered/s': Math.round(result.answeredPerSecond),
          'done/s': Math.round(result.perSecond),
          'p50 ms': Number(result.p50.toFixed(1)),
          'p99 ms': Number(result.p99.toFixed(1)),
        },
      ]),
    ),
  );
  return { engines: 'embedded', results };
}
