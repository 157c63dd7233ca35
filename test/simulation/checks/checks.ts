import { AllEnds } from './all-ends.js';
import type { Check } from './check.js';
import { CommandsDelivered } from './commands-delivered.js';
import { DistinctEvents } from './distinct-events.js';
import { DurableBeforeSuccess } from './durable-before-success.js';
import { EffectWithOutcome } from './effect-with-outcome.js';
import { EnoughSucceeded } from './enough-succeeded.js';
import { FinalOutcome } from './final-outcome.js';
import { GuardTruth } from './guard-truth.js';
import { KnownErrors } from './known-errors.js';
import { Lines } from './lines.js';
import { NothingLost } from './nothing-lost.js';
import { OneEffect } from './one-effect.js';
import { Order } from './order.js';
import { OwnCorp } from './own-corp.js';
import { RightVerdict } from './right-verdict.js';
import { TransportOrder } from './transport-order.js';
import { TrueRedrives } from './true-redrives.js';

/** A fresh set: each schedule has its own. */
export function makeChecks(): Check[] {
  return [
    ...[new DurableBeforeSuccess(), new NothingLost(), new OneEffect(), new Order(), new TransportOrder(), new Lines()],
    ...[new RightVerdict(), new FinalOutcome(), new EffectWithOutcome(), new AllEnds(), new TrueRedrives()],
    ...[new OwnCorp(), new DistinctEvents(), new GuardTruth(), new CommandsDelivered(), new KnownErrors()],
    new EnoughSucceeded(),
  ];
}
