import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { OUTCOMES, WAITING, type EventStatus } from '../event-log/status.js';

const ITEMS_MAX = 1_000;
const TEXT_MAX = 512;

function text() {
  return (target: object, key: string): void => {
    IsOptional()(target, key);
    IsString()(target, key);
    MaxLength(TEXT_MAX)(target, key);
  };
}

function integer() {
  return (target: object, key: string): void => {
    IsOptional()(target, key);
    Type(() => Number)(target, key);
    IsInt()(target, key);
    Min(0)(target, key);
  };
}

/** Filters of a search. Ids of WeCom travel in the query, never in a path: they hold slashes and plus signs. */
export class EventQuery {
  @text()
  app?: string;

  @text()
  corpId?: string;

  @text()
  eventType?: string;

  @text()
  changeType?: string;

  @text()
  entityKey?: string;

  @text()
  msgId?: string;

  @text()
  errorCode?: string;

  /** Part of the plaintext, for WeCom's other ids (SpNo, ExternalUserID, …). */
  @text()
  text?: string;

  /** One or several, separated by commas. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsArray()
  @IsIn([...OUTCOMES, ...WAITING], { each: true })
  status?: EventStatus[];

  /** Received at or after, milliseconds since 1970. */
  @integer()
  from?: number;

  /** Received before, milliseconds since 1970. */
  @integer()
  to?: number;

  @integer()
  beforeId?: number;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(ITEMS_MAX)
  limit = 50;
}

export class ChangesQuery {
  @integer()
  afterId = 0;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(ITEMS_MAX)
  limit = ITEMS_MAX;
}

export class EntityQuery {
  @IsString()
  @MaxLength(TEXT_MAX)
  key!: string;
}

export class LookupBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ITEMS_MAX)
  @IsString({ each: true })
  eventKeys!: string[];
}

export class DeadLetterItem {
  @IsInt()
  id!: number;

  /** As the operator saw it: two clicks are one. */
  @IsInt()
  generation!: number;
}

export class DeadLetterBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ITEMS_MAX)
  @ValidateNested({ each: true })
  @Type(() => DeadLetterItem)
  items!: DeadLetterItem[];
}
