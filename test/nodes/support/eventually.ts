/** Waits until something is so; fails when it is not within the limit. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  limitMs = 45_000,
): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await check())) {
    if (Date.now() > end)
      throw new Error(`not so within ${String(limitMs)} ms: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
