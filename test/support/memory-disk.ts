import { Disk, type DiskFile } from '../../src/runtime/disk.js';

export type DiskOperation =
  | 'ensureFolder'
  | 'list'
  | 'openAppend'
  | 'read'
  | 'truncate'
  | 'remove'
  | 'rename'
  | 'append'
  | 'sync'
  | 'close'
  | 'space';

export interface InjectedFault {
  readonly code: string;
  /** How many calls fail; default 1. */
  readonly times?: number;
  /** Of an append: how many bytes reach the file before it fails; default none. */
  readonly bytesWritten?: number;
}

export interface Hang {
  /** Lets the held calls go on, or fail with this error code. */
  release(code?: string): void;
}

/** `doubtful`: its sync failed. The system has dropped the pages' dirty mark, so no later sync makes them durable. */
type ChunkState = 'written' | 'doubtful' | 'durable';

interface Chunk {
  data: Buffer;
  state: ChunkState;
}

interface Gate {
  readonly opened: Promise<string | undefined>;
  open(code?: string): void;
}

/**
 * A disk that forgets on `crash` what was not synced, and that fails, fills up and hangs on command. Like a real one it
 * reads back what was written, synced or not, until the crash.
 */
export class MemoryDisk extends Disk {
  /** Appends beyond it write what fits and reject with ENOSPC. */
  capacityBytes = Number.POSITIVE_INFINITY;
  /** Calls begun, by operation. */
  readonly calls = new Map<DiskOperation, number>();

  private readonly folders = new Set<string>(['/']);
  private readonly files = new Map<string, Chunk[]>();
  private readonly faults = new Map<DiskOperation, { fault: InjectedFault; left: number }[]>();
  private readonly gates = new Map<DiskOperation, Gate>();
  private isDead = false;

  /** The next calls of `operation` reject. Faults of one operation are used up in the order in which they were set. */
  fail(operation: DiskOperation, fault: InjectedFault): void {
    const queue = this.faults.get(operation) ?? [];
    queue.push({ fault, left: fault.times ?? 1 });
    this.faults.set(operation, queue);
  }

  /** From now on calls of `operation` do not return until released. */
  hang(operation: DiskOperation): Hang {
    let open: (code?: string) => void = () => undefined;
    const opened = new Promise<string | undefined>((resolve) => (open = resolve));
    this.gates.set(operation, { opened, open });
    return {
      release: (code) => {
        this.gates.delete(operation);
        open(code);
      },
    };
  }

  /**
   * The power goes: this disk is dead, its calls do not return any more, so a process of before cannot act afterwards.
   * Returns the disk of the next start. Of what was not synced, the first `keptBytes` bytes of each file happen to have
   * reached the medium.
   */
  crash(keptBytes = 0): MemoryDisk {
    this.isDead = true;
    const next = new MemoryDisk();
    next.capacityBytes = this.capacityBytes;
    for (const folder of this.folders) next.folders.add(folder);
    for (const [path, chunks] of this.files) next.files.set(path, [durable(afterCrash(chunks, keptBytes))]);
    return next;
  }

  /** Puts a file there as it would lie on the medium. */
  put(path: string, content: Buffer): void {
    this.folders.add(parentOf(path));
    this.files.set(path, [durable(content)]);
  }

  content(path: string): Buffer {
    return Buffer.concat(this.chunksOf(path).map((chunk) => chunk.data));
  }

  /** What would be read back if the power went now, and nothing else happened to be written. */
  durableContent(path: string): Buffer {
    return afterCrash(this.chunksOf(path), 0);
  }

  /** Bytes that a power cut may take. */
  unsyncedBytes(): number {
    const chunks = [...this.files.values()].flat().filter(({ state }) => state !== 'durable');
    return chunks.reduce((sum, { data }) => sum + data.length, 0);
  }

  paths(): string[] {
    return [...this.files.keys()].sort();
  }

  callCount(operation: DiskOperation): number {
    return this.calls.get(operation) ?? 0;
  }

  override async ensureFolder(path: string): Promise<void> {
    await this.begin('ensureFolder');
    for (let folder = path; folder !== '/'; folder = parentOf(folder)) this.folders.add(folder);
  }

  override async list(folder: string): Promise<string[]> {
    await this.begin('list');
    if (!this.folders.has(folder)) throw systemError('ENOENT', `list ${folder}`);
    const names = this.paths().filter((path) => parentOf(path) === folder);
    return names.map((path) => path.slice(path.lastIndexOf('/') + 1)).sort();
  }

  override async openAppend(path: string): Promise<DiskFile> {
    await this.begin('openAppend');
    if (!this.folders.has(parentOf(path))) throw systemError('ENOENT', `open ${path}`);
    if (!this.files.has(path)) this.files.set(path, []);
    return new MemoryDiskFile(this, this.chunksOf(path));
  }

  override async read(path: string): Promise<Buffer> {
    await this.begin('read');
    return this.content(path);
  }

  override async truncate(path: string, size: number): Promise<void> {
    await this.begin('truncate');
    const content = this.content(path);
    const kept = Buffer.concat([content.subarray(0, size), Buffer.alloc(Math.max(0, size - content.length))]);
    // In place: a file that is open for appending goes on behind the cut.
    this.chunksOf(path).splice(0, Number.POSITIVE_INFINITY, durable(kept));
  }

  override async remove(path: string): Promise<void> {
    await this.begin('remove');
    this.files.delete(path);
  }

  override async rename(from: string, to: string): Promise<void> {
    await this.begin('rename');
    const chunks = this.chunksOf(from);
    this.files.delete(from);
    this.files.set(to, chunks);
  }

  override async space(): Promise<{ size: number; free: number }> {
    await this.begin('space');
    return { size: this.capacityBytes, free: this.freeBytes() };
  }

  /** Counts the call, holds it while its operation hangs, and fails it when a fault is set. For files and the disk. */
  async begin(operation: DiskOperation): Promise<void> {
    this.calls.set(operation, this.callCount(operation) + 1);
    const releasedWith = await this.gates.get(operation)?.opened;
    if (this.isDead) await new Promise<never>(() => undefined);
    if (releasedWith !== undefined) throw systemError(releasedWith, operation);
    const fault = this.takeFault(operation);
    if (fault !== null) throw Object.assign(systemError(fault.code, operation), { bytesWritten: fault.bytesWritten });
  }

  freeBytes(): number {
    let used = 0;
    for (const chunks of this.files.values()) for (const chunk of chunks) used += chunk.data.length;
    return Math.max(0, this.capacityBytes - used);
  }

  private takeFault(operation: DiskOperation): InjectedFault | null {
    const queue = this.faults.get(operation);
    const first = queue?.[0];
    if (queue === undefined || first === undefined) return null;
    first.left -= 1;
    if (first.left === 0) queue.shift();
    return first.fault;
  }

  private chunksOf(path: string): Chunk[] {
    const chunks = this.files.get(path);
    if (chunks === undefined) throw systemError('ENOENT', path);
    return chunks;
  }
}

class MemoryDiskFile implements DiskFile {
  private busy = false;
  private closed = false;

  constructor(
    private readonly disk: MemoryDisk,
    private readonly chunks: Chunk[],
  ) {}

  append(data: Buffer): Promise<void> {
    return this.alone(async () => {
      try {
        await this.disk.begin('append');
      } catch (error) {
        this.write(data.subarray(0, (error as { bytesWritten?: number }).bytesWritten ?? 0));
        throw error;
      }
      const fits = data.subarray(0, Math.min(data.length, this.disk.freeBytes()));
      this.write(fits);
      if (fits.length < data.length) throw systemError('ENOSPC', 'append');
    });
  }

  sync(): Promise<void> {
    return this.alone(async () => {
      try {
        await this.disk.begin('sync');
      } catch (error) {
        for (const chunk of this.chunks) if (chunk.state === 'written') chunk.state = 'doubtful';
        throw error;
      }
      for (const chunk of this.chunks) if (chunk.state === 'written') chunk.state = 'durable';
    });
  }

  close(): Promise<void> {
    return this.alone(async () => {
      this.closed = true;
      await this.disk.begin('close');
    });
  }

  private write(data: Buffer): void {
    // A copy: the caller may use its buffer again.
    if (data.length > 0) this.chunks.push({ data: Buffer.from(data), state: 'written' });
  }

  private async alone(work: () => Promise<void>): Promise<void> {
    if (this.busy) throw new Error('calls on one file overlap, which the port forbids');
    if (this.closed) throw systemError('EBADF', 'the file is closed');
    this.busy = true;
    try {
      await work();
    } finally {
      this.busy = false;
    }
  }
}

function afterCrash(chunks: readonly Chunk[], keptBytes: number): Buffer {
  let kept = keptBytes;
  const parts = chunks.map(({ data, state }) => {
    if (state === 'durable') return { data, lost: false };
    const survives = data.subarray(0, kept);
    kept -= survives.length;
    // A hole before durable bytes reads as zeros; at the end of the file the size was never written.
    return { data: Buffer.concat([survives, Buffer.alloc(data.length - survives.length)]), lost: true, survives };
  });
  for (let last = parts.at(-1); last?.lost; last = parts.at(-1)) {
    parts.pop();
    if (last.survives !== undefined && last.survives.length > 0) {
      parts.push({ data: last.survives, lost: false });
      break;
    }
  }
  return Buffer.concat(parts.map((part) => part.data));
}

function durable(data: Buffer): Chunk {
  return { data, state: 'durable' };
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

function systemError(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
