import { Presets, SingleBar } from 'cli-progress';

const LINE_EVERY_MS = 3_000;

/** How far a phase of the run is: a bar on a terminal, a line now and then elsewhere. */
export class Progress {
  private readonly bar: SingleBar | null;
  private lineAt = performance.now();

  constructor(
    private readonly name: string,
    private readonly total: number,
    private readonly stream: NodeJS.WriteStream,
  ) {
    this.bar = stream.isTTY ? makeBar(name, stream) : null;
    this.bar?.start(total, 0);
  }

  /** Calls may be as frequent as deliveries: it draws only now and then. */
  update(count: number): void {
    if (this.bar) {
      this.bar.update(count);
      return;
    }
    const now = performance.now();
    if (now - this.lineAt < LINE_EVERY_MS) return;
    this.lineAt = now;
    this.stream.write(`${this.name} ${count}/${this.total}\n`);
  }

  stop(): void {
    this.bar?.stop();
  }
}

function makeBar(name: string, stream: NodeJS.WriteStream): SingleBar {
  const format = `${name.padEnd(8)} {bar} {value}/{total} {duration_formatted}`;
  return new SingleBar({ stream, format, fps: 10, gracefulExit: false }, Presets.shades_classic);
}
