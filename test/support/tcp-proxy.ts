import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy before one server, with the faults of a network. Without any it hands everything on.
 * - `isSwallowing`: requests arrive, replies do not: the step happens, and nobody is told.
 * - `isHolding`: bytes wait in both directions, in order, until it is over; connections stay open.
 * - `delayMs`: so much later each way.
 * - `isRefusing`: new connections are ended at once; with `cut` a partition.
 */
export class TcpProxy {
  isSwallowing = false;
  isRefusing = false;
  delayMs = 0;
  swallowedCount = 0;
  private held: (() => void)[] | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** Listens on a free loopback port, or on the one given. */
  static async before(targetPort: number, port = 0): Promise<TcpProxy> {
    const server = createServer().listen(port, '127.0.0.1');
    const proxy = new TcpProxy(server);
    server.on('connection', (near) => {
      if (proxy.isRefusing) near.destroy();
      else proxy.join(near, connect(targetPort, '127.0.0.1'));
    });
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  set isHolding(value: boolean) {
    const due = this.held ?? [];
    this.held = value ? due : null;
    if (!value) for (const step of due) step();
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Ends every connection, as a broken network does; what it held is lost. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** No connection, old or new. */
  part(): void {
    this.isRefusing = true;
    this.cut();
  }

  /** Without any fault from now on. What was swallowed stays lost, so its connections end. */
  heal(): void {
    if (this.isSwallowing) this.cut();
    this.isSwallowing = false;
    this.isRefusing = false;
    this.isHolding = false;
    this.delayMs = 0;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    near.on('data', (chunk) => this.later(() => far.write(chunk)));
    far.on('data', (chunk) => {
      if (this.isSwallowing) this.swallowedCount += 1;
      else this.later(() => near.write(chunk));
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.later(() => other.destroy());
      });
    }
  }

  /** Steps keep their order: equal delays by the timers' own order, held ones by the list's. */
  private later(step: () => void): void {
    const run = (): void => {
      if (this.held) this.held.push(step);
      else step();
    };
    if (this.delayMs > 0) setTimeout(run, this.delayMs);
    else run();
  }
}
