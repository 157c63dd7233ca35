/** Ranks beyond it are not remembered: those of the built-in types end at 4. */
const RANK_MAX = 30;

/** A set of ranks as bits of one number, so that it fits into a column. */
export function withRank(set: number, rank: number): number {
  return Number.isInteger(rank) && rank >= 0 && rank <= RANK_MAX ? set | (1 << rank) : set;
}

export function ranksIn(set: number): number[] {
  return Array.from({ length: RANK_MAX + 1 }, (_, rank) => rank).filter((rank) => (set & (1 << rank)) !== 0);
}
