import { Test } from '@nestjs/testing';
import { Global, Module, type Type } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { MemoryWecomApi } from '../../test/support/memory-wecom-api.js';
import { WecomApi } from '../wecom-api/wecom-api.js';
import { HandlersModule } from './handlers.module.js';
import { HandlerRegistry } from './handler-registry.js';
import { WecomEventHandler } from './wecom-event-handler.decorator.js';
import type { WecomHandler } from './wecom-handler.js';

@WecomEventHandler({ event: 'change_external_chat' })
class WholeEvent implements WecomHandler {
  async handle(): Promise<void> {}
}

@WecomEventHandler({ event: 'change_external_chat', changeType: 'create' })
class OneChange implements WecomHandler {
  async handle(): Promise<void> {}
}

@WecomEventHandler({ event: 'sys_approval_change' })
class OwnApproval implements WecomHandler {
  async handle(): Promise<void> {}
}

@WecomEventHandler({ event: 'sys_approval_change' })
class SecondApproval implements WecomHandler {
  async handle(): Promise<void> {}
}

@WecomEventHandler({ event: 'text' })
class WithoutHandle {}

@Global()
@Module({
  providers: [{ provide: WecomApi, useValue: new MemoryWecomApi([]) }],
  exports: [WecomApi],
})
class NoApiModule {}

async function registryOf(
  handlers: Type<WecomHandler>[],
  builtInHandlers: boolean | string[] = true,
): Promise<HandlerRegistry> {
  const module = await Test.createTestingModule({
    imports: [NoApiModule, HandlersModule.register({ builtInHandlers, handlers, demo: false })],
  }).compile();
  await module.init();
  return module.get(HandlerRegistry);
}

const nameOf = (registry: HandlerRegistry, event: string, changeType: string | null = null): string | undefined =>
  registry.handlerOf(event, changeType)?.name;

describe('which handler takes an event', () => {
  it('is the built-in one where a user has none, and nobody for what nobody takes', async () => {
    const registry = await registryOf([]);
    expect(nameOf(registry, 'sys_approval_change')).toBe('ApprovalHandler');
    expect(nameOf(registry, 'change_external_contact', 'add_external_contact')).toBe('CustomerRelationHandler');
    expect(nameOf(registry, 'change_external_contact', 'brand_new_change')).toBeUndefined();
    expect(nameOf(registry, 'text')).toBeUndefined();
  });

  it('is the user’s where he has one, also for the whole event against built-in change types', async () => {
    const registry = await registryOf([OwnApproval, WholeEvent]);
    expect(nameOf(registry, 'sys_approval_change')).toBe('OwnApproval');
    expect(nameOf(registry, 'change_external_chat', 'update')).toBe('WholeEvent');
  });

  it('is the one of the change type before the one of the whole event, of one owner', async () => {
    const registry = await registryOf([WholeEvent, OneChange]);
    expect(nameOf(registry, 'change_external_chat', 'create')).toBe('OneChange');
    expect(nameOf(registry, 'change_external_chat', 'dismiss')).toBe('WholeEvent');
  });

  it('may be none of the built-in ones, or some', async () => {
    expect(nameOf(await registryOf([], false), 'sys_approval_change')).toBeUndefined();
    const some = await registryOf([], ['customer-group']);
    expect(nameOf(some, 'change_external_chat', 'create')).toBe('CustomerGroupHandler');
    expect(nameOf(some, 'sys_approval_change')).toBeUndefined();
  });

  it('stops the start when two of a user’s take one event, naming both', async () => {
    await expect(registryOf([OwnApproval, SecondApproval])).rejects.toThrow(
      /OwnApproval and SecondApproval both handle/,
    );
  });

  it('stops the start when it has no handle, and says what to add', async () => {
    await expect(registryOf([WithoutHandle as Type<WecomHandler>])).rejects.toThrow(
      /WithoutHandle .* no method handle/,
    );
  });

  it('stops the start when a built-in name is misspelt', async () => {
    await expect(registryOf([], ['approvals'])).rejects.toThrow(/no handler named approvals; known are approval/);
  });
});
