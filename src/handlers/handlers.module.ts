import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApprovalHandler } from './approval/approval.handler.js';
import { ApprovalOrderRow } from './approval/approval-order-row.entity.js';
import { CustomerGroupHandler } from './customer-group/customer-group.handler.js';
import { CustomerGroupMemberRow } from './customer-group/customer-group-member-row.entity.js';
import { CustomerGroupRow } from './customer-group/customer-group-row.entity.js';
import { CustomerRelationHandler } from './customer-relation/customer-relation.handler.js';
import { CustomerRelationRow } from './customer-relation/customer-relation-row.entity.js';
import { CustomerTagHandler } from './customer-tag/customer-tag.handler.js';
import { CustomerTagRow } from './customer-tag/customer-tag-row.entity.js';
import { DemoTaskHandler } from './demo/demo-task.handler.js';
import { MemberHandler } from './member/member.handler.js';
import { MemberRow } from './member/member-row.entity.js';
import { HandlerConflictError, HandlerRegistry } from './handler-registry.js';
import { HandlerPauses } from './handler-pauses.js';
import type { WecomHandler } from './wecom-handler.js';

/** Names for `builtInHandlers: [...]`. */
const BUILT_IN_HANDLERS: Readonly<Record<string, Type<WecomHandler>>> = {
  approval: ApprovalHandler,
  'customer-relation': CustomerRelationHandler,
  'customer-group': CustomerGroupHandler,
  member: MemberHandler,
  'customer-tag': CustomerTagHandler,
};

export const BUILT_IN_ROWS = [
  ApprovalOrderRow,
  CustomerRelationRow,
  CustomerGroupRow,
  CustomerGroupMemberRow,
  MemberRow,
  CustomerTagRow,
];

export interface HandlersOptions {
  /** True: all of them. */
  readonly builtInHandlers: boolean | readonly string[];
  readonly handlers: readonly Type<WecomHandler>[];
  readonly demo: boolean;
}

@Global()
@Module({})
export class HandlersModule {
  static register({ builtInHandlers, handlers, demo }: HandlersOptions): DynamicModule {
    const builtIn = builtInTypes(builtInHandlers);
    return {
      module: HandlersModule,
      imports: [DiscoveryModule],
      providers: [HandlerRegistry, HandlerPauses, ...builtIn, ...handlers, ...(demo ? [DemoTaskHandler] : [])],
      exports: [HandlerRegistry, HandlerPauses],
    };
  }
}

function builtInTypes(chosen: boolean | readonly string[]): Type<WecomHandler>[] {
  if (chosen === true) return Object.values(BUILT_IN_HANDLERS);
  if (chosen === false) return [];
  return chosen.map((name) => {
    const type = BUILT_IN_HANDLERS[name];
    if (!type)
      throw new HandlerConflictError(
        `builtInHandlers: there is no handler named ${name}; known are ${Object.keys(BUILT_IN_HANDLERS).join(', ')}`,
      );
    return type;
  });
}
