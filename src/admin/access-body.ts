import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { ADMIN_ROLES, PERMISSIONS, type AdminRole, type Permission } from '../access/admin-role.js';
import { NAME_LENGTH_MAX } from '../access/user-rules.js';
import { requiredSecret } from './query-fields.js';

type Field = (target: object, key: string) => void;

/** May be left out. Not `IsOptional`, which lets null through as well. */
function leftOut(): PropertyDecorator {
  return ValidateIf((_body, value) => value !== undefined);
}

function name(description = ''): Field {
  return (target, key) => {
    ApiProperty({ type: String, minLength: 1, maxLength: NAME_LENGTH_MAX, description })(target, key);
    IsString()(target, key);
    MaxLength(NAME_LENGTH_MAX)(target, key);
  };
}

function role(isOptional = false): Field {
  return (target, key) => {
    (isOptional ? ApiPropertyOptional : ApiProperty)({ type: String, enum: [...ADMIN_ROLES] })(target, key);
    if (isOptional) leftOut()(target, key);
    IsIn(ADMIN_ROLES)(target, key);
  };
}

function permissions(isOptional = false): Field {
  return (target, key) => {
    const items = { type: 'string' as const, enum: [...PERMISSIONS] };
    (isOptional ? ApiPropertyOptional : ApiProperty)({ type: 'array', items, uniqueItems: true })(target, key);
    if (isOptional) leftOut()(target, key);
    IsArray()(target, key);
    ArrayMaxSize(PERMISSIONS.length)(target, key);
    ArrayUnique()(target, key);
    IsIn(PERMISSIONS, { each: true })(target, key);
  };
}

export class LoginBody {
  @name()
  name!: string;

  @requiredSecret()
  password!: string;
}

export class PasswordBody {
  @requiredSecret('The one that is')
  current!: string;

  @requiredSecret('The one that is to be: 12 to 256 characters')
  next!: string;
}

export class SetupBody {
  @requiredSecret('Behind #token= in the link that the service printed when it started')
  token!: string;

  @name('Of the first administrator')
  name!: string;

  @requiredSecret('12 to 256 characters')
  password!: string;
}

export class UserBody {
  @name('Letters, digits, and ". _ - @"')
  name!: string;

  @role()
  role!: AdminRole;

  @permissions()
  permissions!: Permission[];

  @requiredSecret('12 to 256 characters')
  password!: string;
}

export class UserChangeBody {
  @role(true)
  role?: AdminRole;

  @permissions(true)
  permissions?: Permission[];

  @ApiPropertyOptional({ type: Boolean, description: 'A disabled account cannot log in' })
  @leftOut()
  @IsBoolean()
  disabled?: boolean;

  @ApiPropertyOptional({ type: String, format: 'password', description: 'A new one; it ends a lock as well' })
  @leftOut()
  @IsString()
  @MaxLength(512)
  password?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'Ends the lock after failed logins' })
  @leftOut()
  @IsBoolean()
  unlock?: boolean;
}

export class TokenBody {
  @name('Shown in histories and audit as token:<name>')
  name!: string;

  @role()
  role!: AdminRole;

  @permissions()
  permissions!: Permission[];

  @ApiProperty({
    ...{ type: 'integer', format: 'int64', nullable: true },
    description: 'When it ends, ms since 1970; null: when it is revoked',
  })
  @ValidateIf((_body, value) => value !== null)
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  expiresAt!: number | null;
}
