import fastifyCookie from '@fastify/cookie';
import fastifyHelmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { listenerOf } from '../observability/listener.js';

/**
 * Headers of every answer on the admin port. Scripts come from this origin, from files alone; the components of the
 * console (Ant Design) write their styles into the page, so styles may be inline. Nothing is asked to be upgraded to TLS and
 * nothing pinned to it: that is for the proxy to say which brings it.
 */
const HEADERS: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'", 'data:'],
      'connect-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    },
  },
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: false,
};

/** What the admin port needs of HTTP: cookies, and headers for browsers. To be called before the app is initialised. */
export async function prepareAdminPort(app: NestFastifyApplication): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  // An app that embeds the service may have brought one or both.
  if (!fastify.hasDecorator('parseCookie')) await fastify.register(fastifyCookie, { hook: false });
  if (!fastify.hasReplyDecorator('helmet')) await fastify.register(fastifyHelmet, { global: false });
  fastify.addHook('onRequest', async (request, reply) => {
    if (listenerOf(request.raw) !== 'admin') return;
    // Answers hold what only some may see; pages and files say themselves how long they keep.
    void reply.header('cache-control', 'no-store');
    void reply.helmet(HEADERS);
  });
}
