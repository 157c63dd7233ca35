import { BadRequestException } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { decodePosition } from './position.js';

export const TEXT_LENGTH_MAX = 512;
export const PAGE_ITEMS_MAX = 1_000;
const PAGE_ITEMS = 50;
const LIST_MAX = 50;

type Field = (target: object, key: string) => void;

/** A parameter that may be left out: its rule and its line in the OpenAPI document, so that the two cannot differ. */
function optional(rules: readonly PropertyDecorator[], shape: object): Field {
  return (target, key) => {
    ApiPropertyOptional(shape)(target, key);
    IsOptional()(target, key);
    for (const rule of rules) rule(target, key);
  };
}

export function text(description = ''): Field {
  return optional([IsString(), MaxLength(TEXT_LENGTH_MAX)], { type: String, maxLength: TEXT_LENGTH_MAX, description });
}

/** Passwords and the like: a text that must be there, of whatever characters. */
export function requiredSecret(description = ''): Field {
  return (target, key) => {
    ApiProperty({ type: String, format: 'password', maxLength: TEXT_LENGTH_MAX, description })(target, key);
    IsString()(target, key);
    IsNotEmpty()(target, key);
    MaxLength(TEXT_LENGTH_MAX)(target, key);
  };
}

export function integer(description = ''): Field {
  const rules = [Type(() => Number), IsInt(), Min(0), Max(Number.MAX_SAFE_INTEGER)];
  return optional(rules, { type: 'integer', minimum: 0, description });
}

export function pageSize(): Field {
  const rules = [Type(() => Number), IsInt(), Min(1), Max(PAGE_ITEMS_MAX)];
  return optional(rules, { type: 'integer', minimum: 1, maximum: PAGE_ITEMS_MAX, default: PAGE_ITEMS });
}

export function flag(description = ''): Field {
  return optional([IsBoolean()], { type: Boolean, description });
}

/** One or several of `values`, separated by commas. */
export function oneOrSeveral(values: readonly string[], description = ''): Field {
  const split = Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value));
  const rules = [split, IsArray(), ArrayMaxSize(LIST_MAX), IsIn(values, { each: true })];
  const items = { type: 'string' as const, enum: [...values] };
  return optional(rules, { type: 'array', items, style: 'form', explode: false, description });
}

/** `next` of the page before. */
export function cursor(): Field {
  const read = Transform(({ value, key }: { value: unknown; key: string }) => {
    const position = typeof value === 'string' ? decodePosition(value) : null;
    if (!position) throw new BadRequestException([`${key} must be the next of an earlier page`]);
    return position;
  });
  return optional([read], { type: String, description: 'next of the page before' });
}

export function oneOf(values: readonly string[], description = ''): Field {
  return optional([IsIn(values)], { type: String, enum: [...values], description });
}
