import { ValidationPipe } from '@nestjs/common';

/** Refuses unknown parameters by name: a misspelt filter would show everything. */
export function adminValidation(): ValidationPipe {
  return new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });
}
