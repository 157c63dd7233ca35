import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import type { StateMachine } from '../saga/state-machine.js';
import { BUILT_IN } from './built-in-handler.decorator.js';
import { HANDLER_METADATA, type HandlerOptions } from './wecom-event-handler.decorator.js';
import type { WecomHandler } from './wecom-handler.js';

export interface RegisteredHandler {
  readonly name: string;
  readonly handler: WecomHandler;
  readonly machine: StateMachine | null;
  readonly builtIn: boolean;
}

/**
 * Which handler takes which event. A user's handler replaces the built-in one for its event; two user handlers for one
 * event, or a decorated class without `handle`, stop the start.
 */
@Injectable()
export class HandlerRegistry implements OnModuleInit {
  private readonly handlers = new Map<string, RegisteredHandler>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const type = wrapper.metatype;
      if (typeof type !== 'function' || !wrapper.instance) continue;
      const options = this.reflector.get<HandlerOptions | undefined>(HANDLER_METADATA, type);
      if (!options) continue;
      const builtIn = this.reflector.get<true | undefined>(BUILT_IN, type) ?? false;
      this.register(type.name, wrapper.instance as WecomHandler, options, builtIn);
    }
  }

  /**
   * The handler of the change type goes before one of the whole event, unless only the latter is a user's; null when
   * nobody takes it.
   */
  handlerOf(eventType: string, changeType: string | null): RegisteredHandler | null {
    const exact = changeType === null ? undefined : this.handlers.get(`${eventType}/${changeType}`);
    const whole = this.handlers.get(eventType);
    return (exact?.builtIn && whole?.builtIn === false ? whole : (exact ?? whole)) ?? null;
  }

  /** By event or `event/changeType`, in the order of their names. */
  list(): readonly (RegisteredHandler & { readonly event: string })[] {
    const events = [...this.handlers].map(([event, registered]) => ({ ...registered, event }));
    return events.sort((a, b) => (a.event < b.event ? -1 : 1));
  }

  private register(name: string, handler: WecomHandler, options: HandlerOptions, builtIn: boolean): void {
    if (typeof handler.handle !== 'function') {
      throw new HandlerConflictError(
        `${name} is marked @WecomEventHandler and has no method handle(event, context): add it`,
      );
    }
    const changeTypes = [options.changeType ?? []].flat();
    const events = changeTypes.length === 0 ? [options.event] : changeTypes.map((type) => `${options.event}/${type}`);
    for (const event of events) {
      const other = this.handlers.get(event);
      if (other && other.builtIn === builtIn && other.handler !== handler) {
        throw new HandlerConflictError(
          `${other.name} and ${name} both handle ${event}: remove one from the module's providers`,
        );
      }
      if (other && builtIn) continue;
      this.handlers.set(event, { name, handler, machine: options.machine ?? null, builtIn });
    }
  }
}

export class HandlerConflictError extends Error {
  readonly code = 'HANDLER_CONFLICT';

  constructor(message: string) {
    super(message);
    this.name = 'HandlerConflictError';
  }
}
