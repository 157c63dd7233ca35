import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { ACTIONS, ITEM_RESULTS, type Action } from './dead-letter-service.js';
import { EventFilterFields, ItemSeen, REASON_LENGTH_MAX } from './event-query.js';
import { FORECASTS } from './forecast.js';
import { integer, oneOf, PAGE_ITEMS_MAX, pageSize } from './query-fields.js';

const RATE_MAX = 1_000;
const RATE = 50;

export class RedriveJobBody {
  @ApiProperty({ enum: ACTIONS })
  @IsIn(ACTIONS)
  action!: Action;

  @ApiPropertyOptional({ type: EventFilterFields, description: 'Which events; or name them in items. {} is all' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => EventFilterFields)
  filter?: EventFilterFields;

  @ApiPropertyOptional({ type: [ItemSeen], minItems: 1, maxItems: PAGE_ITEMS_MAX })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PAGE_ITEMS_MAX)
  @ValidateNested({ each: true })
  @Type(() => ItemSeen)
  items?: ItemSeen[];

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: RATE_MAX, default: RATE, description: 'Items a second' })
  @IsInt()
  @Min(1)
  @Max(RATE_MAX)
  rate = RATE;

  @ApiPropertyOptional({ type: Boolean, default: true, description: 'Tell first what would become of each item' })
  @IsBoolean()
  dryRun = true;

  @ApiPropertyOptional({ type: String, maxLength: REASON_LENGTH_MAX, description: 'Why, for the audit' })
  @IsString()
  @MaxLength(REASON_LENGTH_MAX)
  reason = '';
}

export class JobListQuery {
  @integer('next of the page before')
  beforeId?: number;

  @pageSize()
  limit = 50;
}

export class JobItemsQuery {
  @integer('next of the page before')
  fromPlace = 0;

  @oneOf(ITEM_RESULTS)
  result?: string;

  @oneOf(FORECASTS)
  forecast?: string;

  @pageSize()
  limit = 50;
}
