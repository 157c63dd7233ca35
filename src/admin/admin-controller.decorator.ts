import { applyDecorators, Controller, HttpCode, Post, UseGuards, Get, type Type } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { AdminGuard } from './admin.guard.js';

const ROOT = 'admin/api/v1';
export const ADMIN_BEARER = 'admin-token';

/** Routes below `/admin/api/v1/<path>`, for those who have the token. */
export function AdminController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(`${ROOT}/${path}`),
    UseGuards(AdminGuard),
    ApiTags(path),
    ApiBearerAuth(ADMIN_BEARER),
  );
}

/** A question; it changes nothing. On the admin port only. */
export function AdminGet(path: string, answer: Type, summary: string): MethodDecorator {
  return applyDecorators(Get(path), RouteConstraints(ADMIN_LISTENER), told(answer, summary));
}

/** A change, or a question too long for a URL. On the admin port only. */
export function AdminPost(path: string, answer: Type, summary: string): MethodDecorator {
  return applyDecorators(Post(path), HttpCode(200), RouteConstraints(ADMIN_LISTENER), told(answer, summary));
}

function told(answer: Type, summary: string): MethodDecorator {
  return applyDecorators(ApiOperation({ summary }), ApiOkResponse({ type: answer }));
}
