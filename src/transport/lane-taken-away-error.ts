/** The lane of this delivery belongs to somebody else now, or to nobody: the message was not settled and comes again. */
export class LaneTakenAwayError extends Error {
  readonly code = 'TRANSPORT_LANE_TAKEN_AWAY';

  constructor(readonly position: string) {
    super(`the lane of ${position} was taken away before it was settled`);
    this.name = 'LaneTakenAwayError';
  }
}
