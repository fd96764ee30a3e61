/** Is told, in the present tense, what is being waited for. */
export type Progress = (text: string) => void;

const SILENT_MS = 2000;
/** In a log, of what changes all the time. */
const LOG_EVERY_MS = 30_000;
const ERASE_LINE = '\r\u001b[2K';

export interface ProgressLine {
  tell: Progress;
  /** Nothing is left of it on a terminal. */
  end(): void;
}

/**
 * On a terminal one line that is written over, with the seconds it has taken; elsewhere a line for whatever takes longer
 * than 2 s, and now and then one of what changes faster, so that a log stays short.
 */
export function startProgress(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let text = '';
  let since = performance.now();
  let shown = true;
  let writtenMs = since;
  const isForLog = (nowMs: number): boolean =>
    !shown && (nowMs - since >= SILENT_MS || nowMs - writtenMs >= LOG_EVERY_MS);
  const show = (): void => {
    const nowMs = performance.now();
    const seconds = Math.floor((nowMs - since) / 1000);
    if (text === '' || (!stream.isTTY && !isForLog(nowMs))) return;
    const line = stream.isTTY && seconds >= 2 ? `${text} (${String(seconds)} s)` : text;
    stream.write(stream.isTTY ? ERASE_LINE + line.slice(0, stream.columns - 1) : `${line}\n`);
    shown = true;
    writtenMs = nowMs;
  };
  const timer = setInterval(show, 500);
  timer.unref();
  return {
    tell: (next) => {
      if (next !== text) {
        text = next;
        since = performance.now();
        shown = false;
      }
      if (stream.isTTY) show();
    },
    end: () => {
      clearInterval(timer);
      if (stream.isTTY && text !== '') stream.write(ERASE_LINE);
    },
  };
}
