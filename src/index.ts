export type { Config, DatabaseConfig } from './config/config.js';
export { ConfigError } from './config/config.js';
export { loadConfig, loadDatabaseConfig, type ConfigSources } from './config/load-config.js';
export { systemConfigSources } from './config/system-config-sources.js';
export {
  defineEntityType,
  type EntityType,
  type EntityTypeOptions,
  type OtherEntity,
} from './entity-types/entity-type.js';
export { textAt } from './entity-types/fields.js';
export { gatewayAdapter } from './gateway-adapter.js';
export { runGateway, startGateway, type RunningGateway } from './gateway-app.js';
export { WecomEventHandler, type HandlerOptions } from './handlers/wecom-event-handler.decorator.js';
export type {
  EntityMove,
  HandlerCall,
  HandlerContext,
  OtherMove,
  Rereader,
  WecomHandler,
} from './handlers/wecom-handler.js';
export { migrateGateway, type MigrateOptions } from './migrate-gateway.js';
export { SystemRandom } from './runtime/system-random.js';
export type { Command, Finding, LateEvent, StateMachine, Transition } from './saga/state-machine.js';
export { UnrecoverableError } from './saga/unrecoverable-error.js';
export type { FieldTree, FieldValue, WecomEvent } from './wecom/event.js';
export {
  WecomApi,
  WecomApiRefusedError,
  WecomApiUnavailableError,
  type FollowRelation,
} from './wecom-api/wecom-api.js';
export { WecomGatewayModule, type GatewayOptions } from './wecom-gateway.module.js';
