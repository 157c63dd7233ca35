import { Injectable } from '@nestjs/common';

/**
 * What waits outside the database of this process, by place: each module registers its own, so that the sum of outcomes
 * and visible waits can be told although nobody knows all places.
 */
@Injectable()
export class BacklogRegistry {
  private readonly places = new Map<string, () => number>();

  register(place: string, depth: () => number): void {
    this.places.set(place, depth);
  }

  /** Null when no module of this process has such a place. */
  depthOf(place: string): number | null {
    return this.places.get(place)?.() ?? null;
  }
}
