import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that hands requests on and can lose the replies: the step happens, and nobody is told. */
export class ReplySwallower {
  isSwallowing = false;
  swallowedCount = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before(port: number): Promise<ReplySwallower> {
    const server = createServer().listen(0, '127.0.0.1');
    const proxy = new ReplySwallower(server);
    server.on('connection', (near) => proxy.join(near, connect(port, '127.0.0.1')));
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Ends every connection, as a broken network does. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk) => {
      if (this.isSwallowing) this.swallowedCount += 1;
      else near.write(chunk);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
