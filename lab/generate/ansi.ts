// Text with ANSI colours as runs of one style each, line by line.

interface Style {
  /** 0 to 15. */
  colour: number | null;
  bold: boolean;
  faint: boolean;
}
export interface Run extends Style {
  text: string;
}

const ESCAPE = '\u001b';
/** Select Graphic Rendition, which sets colours; any other control sequence; a carriage return. */
const TOKENS = new RegExp(
  `${ESCAPE}\\[([\\d;]*)m|${ESCAPE}\\[[\\d;?]*[A-Za-z]|\\r|([^${ESCAPE}\\r]+|${ESCAPE})`,
  'g',
);

const PLAIN: Style = { colour: null, bold: false, faint: false };

/** What is not a colour is left out. */
export function linesOf(text: string): Run[][] {
  let style = PLAIN;
  return text.split('\n').map((line) => {
    const runs: Run[] = [];
    for (const [token, codes, plain] of line.matchAll(TOKENS)) {
      if (codes !== undefined) style = codes.split(';').map(Number).reduce(styled, style);
      else if (plain !== undefined && token !== ESCAPE) runs.push({ text: plain, ...style });
    }
    return runs;
  });
}

function styled(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 82 };
  if (code === 39) return { ...style, colour: null };
  return style;
}
