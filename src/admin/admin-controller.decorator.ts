import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Patch,
  Post,
  SetMetadata,
  UseGuards,
  type Type,
} from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import {
  ApiBearerAuth,
  ApiCookieAuth,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ruleText, type AccessRule } from '../access/access-rule.js';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { ACCESS_RULE, AdminGuard } from './admin.guard.js';

const ROOT = 'admin/api/v1';
export const ADMIN_BEARER = 'admin-token';
export const ADMIN_COOKIE = 'session';

/** Routes below `/admin/api/v1/<path>`. Each says who may call it; one that does not say so is refused to everybody. */
export function AdminController(path: string): ClassDecorator {
  return applyDecorators(Controller(`${ROOT}/${path}`), UseGuards(AdminGuard), ApiTags(path));
}

/** A question; it changes nothing. On the admin port only. */
export function AdminGet(path: string, rule: AccessRule, answer: Type, summary: string): MethodDecorator {
  return applyDecorators(Get(path), ruled(rule, summary), ApiOkResponse({ type: answer }));
}

/** A change, or a question too long for a URL. On the admin port only. */
export function AdminPost(path: string, rule: AccessRule, answer: Type, summary: string): MethodDecorator {
  return applyDecorators(Post(path), HttpCode(HttpStatus.OK), ruled(rule, summary), ApiOkResponse({ type: answer }));
}

/** A change of some fields. On the admin port only. */
export function AdminPatch(path: string, rule: AccessRule, answer: Type, summary: string): MethodDecorator {
  return applyDecorators(Patch(path), ruled(rule, summary), ApiOkResponse({ type: answer }));
}

/** Answers 204. On the admin port only. */
export function AdminDelete(path: string, rule: AccessRule, summary: string): MethodDecorator {
  const answer = [HttpCode(HttpStatus.NO_CONTENT), ApiNoContentResponse()];
  return applyDecorators(Delete(path), ...answer, ruled(rule, summary));
}

function ruled(rule: AccessRule, summary: string): MethodDecorator {
  const told = ApiOperation({ summary, description: ruleText(rule) });
  const security = rule === 'open' ? [] : [ApiBearerAuth(ADMIN_BEARER), ApiCookieAuth(ADMIN_COOKIE)];
  return applyDecorators(RouteConstraints(ADMIN_LISTENER), SetMetadata(ACCESS_RULE, rule), told, ...security);
}
