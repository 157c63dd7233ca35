import { BadRequestException, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';

/** Refuses unknown parameters by name: a misspelt filter would show everything. One message for each bad key. */
export function adminValidation(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => new BadRequestException(errors.flatMap((error) => messagesOf(error, ''))),
  });
}

function messagesOf({ property, constraints, children }: ValidationError, path: string): string[] {
  const key = path === '' ? property : `${path}.${property}`;
  const [rule] = Object.values(constraints ?? {});
  const own = rule === undefined ? [] : [rule.replace(property, key)];
  return [...own, ...(children ?? []).flatMap((child) => messagesOf(child, key))];
}
