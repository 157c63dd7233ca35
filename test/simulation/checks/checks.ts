import { AllEnds } from './all-ends.js';
import type { Check } from './check.js';
import { DurableBeforeSuccess } from './durable-before-success.js';
import { NothingLost } from './nothing-lost.js';
import { OneEffect } from './one-effect.js';
import { Order } from './order.js';

export function makeChecks(): Check[] {
  return [new DurableBeforeSuccess(), new NothingLost(), new OneEffect(), new Order(), new AllEnds()];
}
