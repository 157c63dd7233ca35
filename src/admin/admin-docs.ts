import fastifyStatic from '@fastify/static';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { createRequire } from 'node:module';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { ADMIN_BEARER, ADMIN_COOKIE } from './admin-controller.decorator.js';
import { AdminModule } from './admin.module.js';
import { SESSION_COOKIE } from './session-cookie.js';

const PATH = '/admin/docs';
/** Of the page's package; it brings more, which nobody needs. */
const ASSETS = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

/** The OpenAPI document of the admin API. */
export function adminDocument(app: INestApplication): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setTitle('WeCom Callback Gateway: admin API')
    .setDescription('Times are milliseconds since 1970, except those that WeCom sent. Errors: { statusCode, message }.')
    .setVersion('1')
    .addBearerAuth(
      { type: 'http', description: 'ADMIN_TOKEN, the one in DATA_DIR/admin-token, or one of POST tokens' },
      ADMIN_BEARER,
    )
    .addCookieAuth(SESSION_COOKIE, { type: 'apiKey', description: 'Of POST session' }, ADMIN_COOKIE)
    .build();
  return SwaggerModule.createDocument(app, settings, {
    include: [AdminModule],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
}

/**
 * The document and a page to browse it, on the admin port only. They need no token: they hold no secret, and whoever
 * reads them may not yet know how to send one. Everything comes from the package, so the page works without the
 * internet. Nest's own set-up cannot name the port, hence this one. Call it before the app is initialised.
 */
export function serveAdminDocs(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const route = (url: string, type: string, body: () => string): void => {
    fastify.get(url, { constraints: ADMIN_LISTENER }, (_request, reply) => reply.type(type).send(body()));
  };
  let document: string | null = null;
  route(
    `${PATH}/openapi.json`,
    'application/json; charset=utf-8',
    () => (document ??= JSON.stringify(adminDocument(app))),
  );
  route(`${PATH}/start.js`, 'text/javascript; charset=utf-8', () => START);
  // Relative addresses, since a proxy may serve this under another path; they differ by the slash at the end.
  route(PATH, 'text/html; charset=utf-8', () => page('docs/'));
  route(`${PATH}/`, 'text/html; charset=utf-8', () => page(''));
  void fastify.register(fastifyStatic, {
    root: assetsPath(),
    prefix: `${PATH}/assets/`,
    constraints: ADMIN_LISTENER,
    decorateReply: false,
    index: false,
    allowedPath: (path) => ASSETS.has(path),
  });
}

/** The page's files are a dependency of @nestjs/swagger, so they are looked up from there. */
function assetsPath(): string {
  const ofSwagger = createRequire(import.meta.resolve('@nestjs/swagger'));
  return (ofSwagger('swagger-ui-dist/absolute-path.js') as () => string)();
}

function page(base: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Admin API</title>
<link rel="stylesheet" href="${base}assets/swagger-ui.css"><link rel="icon" href="${base}assets/favicon-32x32.png"></head>
<body><div id="page" data-document="${base}openapi.json"></div>
<script src="${base}assets/swagger-ui-bundle.js"></script><script src="${base}start.js"></script></body>
</html>
`;
}

// The token that somebody enters is kept for as long as the page is open, and no longer.
const START = `SwaggerUIBundle({
  url: document.getElementById('page').dataset.document,
  dom_id: '#page',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
