/**
 * What the admin API answers, in its own words: types alone, which leave nothing behind in the bundle. An answer that
 * changes there does not compile here.
 */
export type { AppView, AppsView, KeyPairView } from '../../../src/admin/apps.controller.js';
export type { AuditEntryView, AuditPageView } from '../../../src/admin/audit.controller.js';
export type { BalanceView } from '../../../src/admin/balance.js';
export type { ChangeView, EntityView, MachineView, MoveView } from '../../../src/admin/entity-view.js';
export type { ErrorGroupsView, ErrorGroupView } from '../../../src/admin/error-groups.js';
export type { EventDetailView, EventPageView, EventView } from '../../../src/admin/event-view.js';
export type { HandlerPauseView, HandlersView, HandlerView } from '../../../src/admin/handlers.controller.js';
export type { DecisionView, HistoryView, TailItemView, TailView } from '../../../src/admin/history-view.js';
export type { ItemResultsView, ItemResultView } from '../../../src/admin/item-result-view.js';
export type { QueuesView, QueueView } from '../../../src/admin/queues.controller.js';
export type {
  JobItemPageView,
  JobItemView,
  JobOutcomesView,
  RedriveJobDetailView,
  RedriveJobPageView,
  RedriveJobView,
} from '../../../src/admin/redrive-job-view.js';
export type { SessionView } from '../../../src/admin/session-view.js';
export type { NewTokenView, TokensView, TokenView } from '../../../src/admin/tokens.controller.js';
export type { UsersView, UserView } from '../../../src/admin/users.controller.js';
export type { SummaryView } from '../../../src/admin/summary.controller.js';
export type {
  AnswersView,
  ArrivalsView,
  DependenciesView,
  DependencyView,
  TrafficView,
} from '../../../src/admin/traffic-view.js';
export type { Action } from '../../../src/admin/dead-letter-service.js';
export type { JobStatus } from '../../../src/admin/redrive-job.js';
export type { EventStatus } from '../../../src/event-log/status.js';
