import { Global, Module, type DynamicModule } from '@nestjs/common';
import { BUILT_IN_ENTITY_TYPES } from './built-in.js';
import type { EntityType } from './entity-type.js';
import { EntityTypeRegistry } from './entity-type-registry.js';

@Global()
@Module({})
export class EntityTypesModule {
  /** A user's declaration of the same name replaces the built-in one. */
  static register(entityTypes: readonly EntityType[]): DynamicModule {
    const names = new Set(entityTypes.map(({ name }) => name));
    const builtIn = BUILT_IN_ENTITY_TYPES.filter(({ name }) => !names.has(name));
    const registry = new EntityTypeRegistry([...builtIn, ...entityTypes]);
    return {
      module: EntityTypesModule,
      providers: [{ provide: EntityTypeRegistry, useValue: registry }],
      exports: [EntityTypeRegistry],
    };
  }
}
