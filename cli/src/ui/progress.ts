/** Is told, in the present tense, what is being waited for. */
export type Progress = (text: string) => void;

const SILENT_MS = 2000;
const ERASE_LINE = '\r\u001b[2K';

export interface ProgressLine {
  tell: Progress;
  /** Nothing is left of it on a terminal. */
  end(): void;
}

/**
 * On a terminal one line that is written over, with the seconds it has taken; elsewhere a line for
 * whatever takes longer than 2 s, so that a log stays short.
 */
export function startProgress(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let text = '';
  let since = performance.now();
  let shown = true;
  const show = (): void => {
    const seconds = Math.floor((performance.now() - since) / 1000);
    if (text === '' || (!stream.isTTY && (shown || performance.now() - since < SILENT_MS))) return;
    const line = stream.isTTY && seconds >= 2 ? `${text} (${String(seconds)} s)` : text;
    stream.write(stream.isTTY ? ERASE_LINE + line.slice(0, stream.columns - 1) : `${line}\n`);
    shown = true;
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
