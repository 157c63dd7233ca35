/**
 * Points of handling: the product stops at an armed one, once, until the runner says to go on. It may be killed there
 * instead.
 */
class Points {
  private readonly armed = new Set<string>();
  private waiting: (() => void)[] = [];

  arm(point: string): void {
    this.armed.add(point);
  }

  async reach(point: string): Promise<void> {
    if (!this.armed.delete(point)) return;
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      process.send?.({ kind: 'point', point });
    });
  }

  resume(): void {
    for (const go of this.waiting.splice(0)) go();
  }
}

export const points = new Points();
