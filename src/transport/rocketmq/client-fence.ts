import { Duplex } from 'node:stream';

/** The part of a gRPC stream that the client's telemetry session and the fence use. */
export interface TelemetryStream extends NodeJS.EventEmitter {
  write(command: unknown): boolean;
  end(): unknown;
  cancel?(): void;
}

export interface EndpointsLike {
  /** Addresses as text. */
  readonly facade: string;
}

interface RouteLike {
  readonly messageQueues: readonly { readonly broker: { endpoints: EndpointsLike } }[];
}

/**
 * Insides of `BaseClient` of rocketmq-client-nodejs 1.0.8. The version is pinned: another one may have others, and an
 * integration test says so.
 */
export interface ClientInsides {
  readonly endpoints: EndpointsLike;
  readonly topicRouteCache: Map<string, unknown>;
  readonly rpcClientManager: { close(): void };
  createTelemetryStream(endpoints: EndpointsLike): TelemetryStream;
  onTopicRouteDataUpdate(topic: string, route: RouteLike): void;
  updateRoutes(): Promise<void>;
  sleep(ms: number): Promise<void>;
  getTotalRouteEndpoints(): EndpointsLike[];
  getTelemetrySession(endpoints: EndpointsLike): { release(): void };
}

/**
 * Keeps one client's weaknesses inside. What it holds back, each of it seen on a real server:
 *
 * - A telemetry stream that fails after its session let go of it has no `error` listener left, and the process dies.
 * - A session renews its stream for ever, also after the client was shut down.
 * - A start that is given up goes on by itself and sets timers that nobody clears.
 * - Every refresh of a route, twice a minute, opens another channel, which lives for half an hour.
 */
export class ClientFence {
  private readonly streams = new Set<TelemetryStream>();
  private readonly channels = new Map<string, EndpointsLike>();
  private readonly wakers = new Set<() => void>();
  private isClosed = false;

  constructor(
    private readonly insides: ClientInsides,
    private readonly onStreamError: (error: Error) => void,
  ) {
    // The client's own one, so that routes that lead to the same address share its channel.
    this.shared(insides.endpoints);
    this.fenceStreams();
    this.fenceRoutes();
    this.fenceSleep();
  }

  /** From here on the client opens no stream and ends a start that is still under way. Before its `shutdown`. */
  close(): void {
    this.isClosed = true;
    for (const wake of this.wakers) wake();
  }

  /** Ends what `shutdown` left behind when it rejected or hung. After it; harmless when it did its work. */
  cut(): void {
    for (const endpoints of this.insides.getTotalRouteEndpoints())
      this.insides.getTelemetrySession(endpoints).release();
    for (const stream of this.streams) stream.cancel?.();
    this.streams.clear();
    this.insides.topicRouteCache.clear();
    this.insides.rpcClientManager.close();
  }

  private fenceStreams(): void {
    const create = this.insides.createTelemetryStream.bind(this.insides);
    this.insides.createTelemetryStream = (endpoints) => {
      if (this.isClosed) return silentStream();
      const stream = create(this.shared(endpoints));
      this.streams.add(stream);
      const failed = (error: Error): void => {
        this.streams.delete(stream);
        if (!this.isClosed) this.onStreamError(error);
      };
      stream.on('error', failed);
      const removeAllListeners = stream.removeAllListeners.bind(stream);
      // Only a session that lets go of its stream calls this. The stream may fail later all the same.
      stream.removeAllListeners = (...names) => {
        removeAllListeners(...names);
        stream.on('error', () => undefined);
        this.streams.delete(stream);
        stream.cancel?.();
        return stream;
      };
      return stream;
    };
  }

  private fenceRoutes(): void {
    const updated = this.insides.onTopicRouteDataUpdate.bind(this.insides);
    this.insides.onTopicRouteDataUpdate = (topic, route) => {
      // Channels are kept by the object of their address, and every answer brings new objects.
      for (const { broker } of route.messageQueues) broker.endpoints = this.shared(broker.endpoints);
      updated(topic, route);
    };
    const update = this.insides.updateRoutes.bind(this.insides);
    this.insides.updateRoutes = async () => {
      if (!this.isClosed) await update();
      if (!this.isClosed) return;
      // With an empty cache a start ends in a rejection, instead of going on to set its timers.
      this.insides.topicRouteCache.clear();
      throw new Error('the client is closed');
    };
  }

  private fenceSleep(): void {
    const sleep = this.insides.sleep.bind(this.insides);
    this.insides.sleep = async (ms) => {
      if (this.isClosed) return;
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      this.wakers.add(wake);
      await Promise.race([sleep(ms), woken]);
      this.wakers.delete(wake);
    };
  }

  private shared(endpoints: EndpointsLike): EndpointsLike {
    const known = this.channels.get(endpoints.facade);
    if (known !== undefined) return known;
    this.channels.set(endpoints.facade, endpoints);
    return endpoints;
  }
}

/** Takes everything and says nothing, so that a session that renews its stream has come to its end. */
function silentStream(): TelemetryStream {
  return new Duplex({ objectMode: true, read: () => undefined, write: (_command, _encoding, done) => done() });
}
