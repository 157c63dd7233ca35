/** WeCom pads to 32 bytes although an AES block has 16: a stock unpadder refuses the legal lengths 17 to 32. */
const PAD_BLOCK = 32;

export function pad(data: Buffer): Buffer {
  const count = PAD_BLOCK - (data.length % PAD_BLOCK);
  return Buffer.concat([data, Buffer.alloc(count, count)]);
}

/** The data without its padding, as a view; null when it is not padded rightly. */
export function unpad(padded: Buffer): Buffer | null {
  const count = padded.at(-1) ?? 0;
  if (count < 1 || count > PAD_BLOCK || count > padded.length) return null;
  const end = padded.length - count;
  for (let index = end; index < padded.length; index++) if (padded[index] !== count) return null;
  return padded.subarray(0, end);
}
