import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { CALLBACK_ROUTE } from './callback/callback-route.js';
import type { Config } from './config/config.js';
import { listenerConstraint, listenerOf } from './observability/listener.js';

// A sender that trickles its body must not hold a socket for longer than WeCom would.
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * The HTTP adapter that the callback and admin routes need: one router for both ports, and bodies of callbacks as bytes.
 * Routes of your own beside them get JSON as usual.
 */
export function gatewayAdapter(config: Config): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: config.bodyBytesMax,
    requestTimeout: REQUEST_TIMEOUT_MS,
    skipMiddie: true,
    // Nothing reads addresses but the admin API; the port of the callbacks is not concerned.
    trustProxy: config.access.trustedProxies.length > 0 ? [...config.access.trustedProxies] : false,
    routerOptions: { constraints: { listener: listenerConstraint } },
  });
  acceptAnyBody(adapter);
  return adapter;
}

/** Bytes, whatever Content-Type says: WeCom's is missing or odd at times. The admin API and routes of your own read JSON. */
function acceptAnyBody(adapter: FastifyAdapter): void {
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  // A header that is no media type at all would be refused (415) before any parser is asked.
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isCallback(request) || !isRoute(request)) request.raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (!readsJson(request)) {
      done(null, body);
      return;
    }
    try {
      done(null, body.length === 0 ? undefined : JSON.parse(body.toString('utf8')));
    } catch {
      done(Object.assign(new Error('the body is not JSON'), { statusCode: 400 }), undefined);
    }
  });
}

/** What nobody asked for is not parsed: a path that does not exist is answered as such, whatever was sent to it. */
function readsJson(request: FastifyRequest): boolean {
  if (listenerOf(request.raw) === 'admin') return true;
  return isRoute(request) && !isCallback(request) && /[/+]json\b/i.test(request.headers['content-type'] ?? '');
}

function isRoute(request: FastifyRequest): boolean {
  return request.routeOptions.url !== undefined;
}

/** By the route that was found, whatever prefix an app has put before it. */
function isCallback(request: FastifyRequest): boolean {
  return request.routeOptions.url?.endsWith(CALLBACK_ROUTE) ?? false;
}
