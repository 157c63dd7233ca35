import { Injectable, SetMetadata, applyDecorators } from '@nestjs/common';
import type { StateMachine } from '../saga/state-machine.js';

export const HANDLER_METADATA = 'wecom:event-handler';

export interface HandlerOptions {
  /** `Event`, `InfoType` or `MsgType`, as WeCom spells it. */
  readonly event: string;
  /** Without it the handler takes every change type that no other handler names. */
  readonly changeType?: string | readonly string[];
  /** Decides which moves of the entity are legal, before the handler runs. */
  readonly machine?: StateMachine;
}

/** Marks a provider as the handler of an event. Found at start by Nest's DiscoveryService. */
export function WecomEventHandler(options: HandlerOptions): ClassDecorator {
  return applyDecorators(Injectable(), SetMetadata(HANDLER_METADATA, options));
}
