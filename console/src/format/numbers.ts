/** Digits in groups, as the language writes them. */
export function count(n: number, language: string): string {
  return new Intl.NumberFormat(language).format(n);
}

/** Two digits that mean something: 0.42, 3.1, 128. */
export function rate(perSecond: number, language: string): string {
  const digits = perSecond >= 100 ? 0 : perSecond >= 1 ? 1 : 2;
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(perSecond);
}

/** Rounded down, so that 99.99 % never looks like all of them. */
export function percent(part: number, whole: number, language: string): string {
  const share = whole === 0 ? 0 : Math.floor((part / whole) * 1_000) / 1_000;
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share);
}
