type Release = () => void | Promise<void>;

/**
 * Whatever a piece of work has taken (processes, connections, listeners, timers) and must give back,
 * however it ends. Node.js 20 has no AsyncDisposableStack.
 */
export class Scope {
  private readonly releases: Release[] = [];

  defer(release: Release): void {
    this.releases.push(release);
  }

  /** In reverse order. One that fails keeps no other from its turn; the first failure is thrown at the end. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let release = this.releases.pop(); release; release = this.releases.pop()) {
      try {
        await release();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Does the work and closes its scope; an error of the work itself is told before one of the closing. */
export async function scoped<Result>(work: (scope: Scope) => Promise<Result>): Promise<Result> {
  const scope = new Scope();
  let result: Result;
  try {
    result = await work(scope);
  } catch (error) {
    await scope.close().catch(() => undefined);
    throw error;
  }
  await scope.close();
  return result;
}
