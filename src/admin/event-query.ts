import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, MaxLength, Min, ValidateNested } from 'class-validator';
import { OUTCOMES, WAITING, type EventStatus } from '../event-log/status.js';
import type { Position } from './position.js';
import { cursor, integer, oneOf, oneOrSeveral, PAGE_ITEMS_MAX, pageSize, text } from './query-fields.js';

/** What an event may be found by. Ids of WeCom travel in the query, never in a path: they hold slashes and plus signs. */
export class EventFilterFields {
  @text('The receiver: name of the app whose URL was called')
  app?: string;

  @text()
  corpId?: string;

  @text('As WeCom spells it: sys_approval_change, …')
  eventType?: string;

  @text()
  changeType?: string;

  @text()
  entityKey?: string;

  @text('The entity key in base64url, where a proxy cannot be trusted with the key itself')
  entityRef?: string;

  @text('The idempotency key of the event')
  eventKey?: string;

  @text('WeCom’s MsgId')
  msgId?: string;

  @text('Approval number (审批单号)')
  spNo?: string;

  @text('Customer (外部联系人)')
  externalUserId?: string;

  @text('Customer group (客户群)')
  chatId?: string;

  @text('Member (成员)')
  userId?: string;

  @text('Any of WeCom’s ids, whatever it is the id of')
  wecomId?: string;

  @text()
  errorCode?: string;

  @text('group of GET dead-letters/groups')
  errorGroup?: string;

  @text(
    'Part of the plaintext, for those with the permission payload. Slow: looks at 50,000 rows a request and then answers isPartial',
  )
  text?: string;

  @oneOrSeveral([...OUTCOMES, ...WAITING], 'Outcomes and waiting statuses')
  status?: EventStatus[];

  @integer('Received at or after, milliseconds since 1970')
  from?: number;

  @integer('Received before, milliseconds since 1970')
  to?: number;
}

export class EventQuery extends EventFilterFields {
  @cursor()
  after?: Position;

  @pageSize()
  limit = 50;
}

/** Dead letters have one status; a list of others would be a misunderstanding. */
export class DeadLetterQuery extends OmitType(EventQuery, ['status'] as const) {}

export class EventDetailQuery {
  @oneOf(['true', 'false'], 'false: without the plaintext, which is then no look at it')
  payload?: string;
}

export class EntityQuery {
  @text('Of the entity; or give ref')
  key?: string;

  @text('The key in base64url')
  ref?: string;
}

export class AuditQuery {
  @text('Who')
  actor?: string;

  @text('redrive, discard, redrive.missed, redrive-job.create, login, payload.look, …')
  action?: string;

  @text('event:42, redrive-job:7, user:anna, …')
  target?: string;

  @integer('At or after, milliseconds since 1970')
  from?: number;

  @integer('Before, milliseconds since 1970')
  to?: number;

  @integer('next of the page before')
  beforeId?: number;

  @pageSize()
  limit = 50;
}

export class TailQuery {
  @integer('lastId of the answer before; without it the newest decisions')
  afterId?: number;

  @pageSize()
  limit = 50;
}

export class TrafficQuery {
  @integer('Length of the window of the answers in milliseconds; an hour is remembered')
  windowMs = 300_000;
}

export class ChangesQuery {
  @integer('id of the last change seen')
  afterId = 0;

  @pageSize()
  limit = PAGE_ITEMS_MAX;
}

export class LookupBody {
  @ApiProperty({ type: [String], minItems: 1, maxItems: PAGE_ITEMS_MAX })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PAGE_ITEMS_MAX)
  @IsString({ each: true })
  eventKeys!: string[];
}

export class ItemSeen {
  @ApiProperty({ type: 'integer' })
  @IsInt()
  @Min(1)
  id!: number;

  /** As the operator saw it: two clicks are one. */
  @ApiProperty({ type: 'integer', description: 'As you saw it: two clicks are one' })
  @IsInt()
  @Min(0)
  generation!: number;
}

export const REASON_LENGTH_MAX = 500;

export class DeadLetterBody {
  @ApiProperty({ type: [ItemSeen], minItems: 1, maxItems: PAGE_ITEMS_MAX })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PAGE_ITEMS_MAX)
  @ValidateNested({ each: true })
  @Type(() => ItemSeen)
  items!: ItemSeen[];

  @ApiProperty({ type: String, required: false, maxLength: REASON_LENGTH_MAX, description: 'Why, for the audit' })
  @IsString()
  @MaxLength(REASON_LENGTH_MAX)
  reason = '';
}
