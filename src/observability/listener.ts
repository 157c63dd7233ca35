import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Which of the two ports a request came in by. Routes name theirs with `@RouteConstraints`, so that the admin API does
 * not exist on the port that is open to the internet, and the other way round.
 */
export type ListenerName = 'callback' | 'admin';

export const CALLBACK_LISTENER: { listener: ListenerName } = { listener: 'callback' };
export const ADMIN_LISTENER: { listener: ListenerName } = { listener: 'admin' };

const adminServers = new WeakSet<object>();

export function markAdminServer(server: Server): void {
  adminServers.add(server);
}

export function listenerOf(request: IncomingMessage): ListenerName {
  const { server } = request.socket as Socket & { server?: object };
  return server && adminServers.has(server) ? 'admin' : 'callback';
}

/** For the `constraints` of Fastify's router (find-my-way). */
export const listenerConstraint = {
  name: 'listener',
  storage<Handler>() {
    const stores = new Map<string, Handler>();
    return {
      get: (name: string): Handler | null => stores.get(name) ?? null,
      set: (name: string, store: Handler): void => void stores.set(name, store),
    };
  },
  deriveConstraint: listenerOf,
};
