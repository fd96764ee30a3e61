import { versionToldIn } from '../../ui/versions';
import { unreachable } from '../../ui/unreachable';
import { within } from '../../ui/within';

/** What an n8n says about itself at its /metrics; null where there is none. */
export async function readMetrics(
  url: string,
  signal: AbortSignal,
): Promise<{ version?: string } | null> {
  try {
    const { status, text } = await within(3000, signal, async (patience) => {
      const reply = await fetch(url, { signal: patience });
      return { status: reply.status, text: await reply.text() };
    });
    if (status !== 200 || !text.includes('# TYPE')) return null;
    const version = versionToldIn(text);
    return version === null ? {} : { version };
  } catch {
    return null;
  }
}

/** Part of a sentence. */
export async function whyNoMetrics(url: string, signal: AbortSignal): Promise<string> {
  try {
    const { status } = await within(3000, signal, (patience) => fetch(url, { signal: patience }));
    return status === 200
      ? 'the response contains none'
      : `it responds with status ${String(status)}`;
  } catch (error) {
    return unreachable(error, url).why;
  }
}
