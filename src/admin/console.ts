import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ADMIN_LISTENER } from '../observability/listener.js';

const PATH = '/console';
const INDEX = 'index.html';
const YEAR_S = 31_536_000;
/** Names of files that a build makes; what else is asked for is a page of the console, which its script draws. */
const FILE = /(^assets\/|\.(css|gif|html|ico|jpe?g|js|json|map|png|svg|txt|webmanifest|woff2?)$)/;
const NOT_BUILT =
  'The console was not built. Run "npm start" or "npm run build" in a checkout with its development dependencies (npm ci), ' +
  'or use a release. The admin API works without it.\n';

/**
 * The console's files, as Vite built them, on the admin port only. What it shows, it asks the admin API for. Call it before
 * the app is initialised.
 */
export function serveConsole(app: NestFastifyApplication, folder: string): void {
  const fastify = app.getHttpAdapter().getInstance();
  const options = { constraints: ADMIN_LISTENER };
  // Relative, since a proxy may serve this under another path.
  fastify.get(PATH, options, (_request, reply) => reply.redirect('console/'));
  if (!existsSync(join(folder, INDEX))) {
    const missing = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
    fastify.get(`${PATH}/`, options, missing);
    fastify.get(`${PATH}/*`, options, missing);
    return;
  }
  // A route for each file there is: no request is ever turned into a path of the disk.
  void fastify.register(fastifyStatic, {
    ...{ root: folder, prefix: `${PATH}/`, constraints: ADMIN_LISTENER, wildcard: false, index: false },
    ...{ cacheControl: false, setHeaders: (reply, path) => void reply.header('cache-control', keptFor(path)) },
  });
  const page = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply): FastifyReply =>
    FILE.test(request.params['*'] ?? '')
      ? reply.status(404).type('text/plain; charset=utf-8').send('no such file\n')
      : reply.sendFile(INDEX, folder);
  fastify.get(`${PATH}/`, options, page);
  fastify.get(`${PATH}/*`, options, page);
}

/** A file below `assets` has a digest in its name, so what it holds never changes. */
function keptFor(path: string): string {
  if (basename(path) === INDEX) return 'no-store';
  return /[\\/]assets[\\/]/.test(path) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache';
}
