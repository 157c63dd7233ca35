/** The only source of chance; a simulation seeds it. */
export abstract class Random {
  /** An unguessable token, 22 characters of base64url (128 bits): leases, claims, run tokens. */
  abstract token(): string;

  /** A number in [0, 1), for jitter. Not for secrets. */
  abstract fraction(): number;

  /** Cryptographically strong bytes. */
  abstract bytes(count: number): Buffer;
}
