/** Waits for a condition, not for a time. Rejects after `limitMs` and says what was waited for. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 15_000,
  what = condition.toString(),
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
