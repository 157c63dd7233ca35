/** A file open for appending. Calls must not overlap. */
export interface DiskFile {
  /** Writes the whole buffer at the end. After a rejection an unknown part of it may be in the file. */
  append(data: Buffer): Promise<void>;
  /** Resolves when all that was appended survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The part of a file system that the spool uses. Paths are absolute. Every method rejects with the system's error
 * (`ENOSPC`, `EIO`, …) and may hang as long as the disk does: callers bring their own limit.
 */
export abstract class Disk {
  /** Creates the folder and its parents; an existing one is fine. */
  abstract ensureFolder(path: string): Promise<void>;
  /** Names (not paths) in the folder, sorted by code unit. */
  abstract list(folder: string): Promise<string[]>;
  /** Opens for appending. A missing file is created, and its name is durable on return (the folder is synced). */
  abstract openAppend(path: string): Promise<DiskFile>;
  /** The whole content. */
  abstract read(path: string): Promise<Buffer>;
  /** Cuts the file to `size` bytes, durable on return. */
  abstract truncate(path: string, size: number): Promise<void>;
  /** Removes the file, durable on return. A missing file is fine. */
  abstract remove(path: string): Promise<void>;
  /** Renames within one folder, durable on return. */
  abstract rename(from: string, to: string): Promise<void>;
  /** Bytes of the file system that holds the folder: all, and those that this user may still write. */
  abstract space(folder: string): Promise<{ readonly size: number; readonly free: number }>;
}
