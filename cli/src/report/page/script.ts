/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { formatNumber } from '../../ui/numbers';

/**
 * Hover and zoom. It runs in the reader's browser: this one function is written into the page as it
 * stands, so it may use nothing from outside itself but what it is given.
 */
function enliven(number: (value: number) => string): void {
  type Data = {
    unit: string;
    xUnit: string;
    series: { label: string; points: [number, number | null][] }[];
  };

  document.querySelectorAll<HTMLElement>('figure.zoomable').forEach((figure) => {
    const plot = figure.querySelector<SVGSVGElement>('svg.plot');
    const area = figure.querySelector<SVGSVGElement>('svg.area');
    const json = figure.querySelector('script');
    if (!plot || !area || !json) return;
    const data = JSON.parse(json.textContent ?? '') as Data;
    const log = area.dataset['xScale'] === 'log';
    const into = log ? Math.log : (v: number) => v;
    const back = log ? Math.exp : (v: number) => v;
    const whole: [number, number] = [
      into(Number(area.dataset['xLow'])),
      into(Number(area.dataset['xHigh'])),
    ];
    const width = area.viewBox.baseVal.width;
    const height = area.viewBox.baseVal.height;
    let view = whole;

    const add = (name: string, kind: string) => {
      const made = document.createElement(name);
      made.className = kind;
      made.hidden = true;
      figure.append(made);
      return made;
    };
    const tip = add('div', 'tip');
    const cursor = add('div', 'cursor');
    const brush = add('div', 'brush');
    const reset = add('button', 'reset') as HTMLButtonElement;
    reset.type = 'button';
    reset.textContent = 'Whole range';

    /** The plot area in the figure's own pixels. */
    const frame = () => {
      const outer = figure.getBoundingClientRect();
      const box = plot.getBoundingClientRect();
      const scale = box.width / plot.viewBox.baseVal.width;
      return {
        left: box.left - outer.left + Number(area.getAttribute('x')) * scale,
        top: box.top - outer.top + Number(area.getAttribute('y')) * scale,
        width: width * scale,
        height: height * scale,
        outer,
      };
    };
    const valueAt = (pixel: number, f: { left: number; width: number }) =>
      view[0] + Math.min(1, Math.max(0, (pixel - f.left) / f.width)) * (view[1] - view[0]);
    const pixelOf = (value: number, f: { left: number; width: number }) =>
      f.left + ((value - view[0]) / (view[1] - view[0])) * f.width;

    const show = (low: number, high: number) => {
      view = [low, high];
      const share = (v: number) => ((v - whole[0]) / (whole[1] - whole[0])) * width;
      area.setAttribute('viewBox', `${share(low)} 0 ${share(high) - share(low)} ${height}`);
      reset.hidden = low === whole[0] && high === whole[1];
      const factor = Number(plot.querySelector<SVGElement>('.x-shares')?.dataset['factor']);
      relabel('.x-tick', low, high, number);
      relabel('.x-share', low, high, (value) => `${number(Math.round(100 * value * factor))}%`);
    };
    /** The texts of one row of ticks, for what is in view; as they were drawn where that is the whole. */
    const relabel = (row: string, low: number, high: number, format: (value: number) => string) => {
      const texts = plot.querySelectorAll<SVGTextElement>(row);
      const left = Number(area.getAttribute('x'));
      texts.forEach((text, i) => {
        const at = texts.length > 1 ? i / (texts.length - 1) : 0;
        if (!text.dataset['x']) {
          text.dataset['x'] = text.getAttribute('x') ?? '';
          text.dataset['text'] = text.textContent ?? '';
        }
        text.setAttribute(
          'x',
          reset.hidden ? (text.dataset['x'] ?? '') : String(left + at * width),
        );
        text.textContent = reset.hidden
          ? (text.dataset['text'] ?? '')
          : format(back(low + at * (high - low)));
      });
    };

    let from: number | null = null;
    plot.addEventListener('pointerdown', (event) => {
      const f = frame();
      from = valueAt(event.clientX - f.outer.left, f);
      if (event.pointerType === 'mouse') plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener('pointermove', (event) => {
      const f = frame();
      const at = valueAt(event.clientX - f.outer.left, f);
      const lines: string[] = [];
      let nearest: number | null = null;
      for (const series of data.series)
        for (const [x] of series.points)
          if (nearest === null || Math.abs(into(x) - at) < Math.abs(into(nearest) - at))
            nearest = x;
      if (nearest === null) return;
      for (const series of data.series) {
        const point = series.points.find((p) => p[0] === nearest);
        if (point && point[1] !== null)
          lines.push(`${series.label}: ${number(point[1])} ${data.unit}`);
      }
      const x = pixelOf(into(nearest), f);
      tip.textContent = [`${number(nearest)} ${data.xUnit}`, ...lines].join('\n');
      tip.hidden = cursor.hidden = x < f.left - 1 || x > f.left + f.width + 1;
      cursor.style.cssText = `left:${x}px;top:${f.top}px;height:${f.height}px`;
      const right = x > f.left + f.width / 2;
      tip.style.cssText = `top:${f.top + 8}px;${right ? `right:${f.outer.width - x + 8}px` : `left:${x + 8}px`}`;
      if (from !== null) {
        const [a, b] = [pixelOf(from, f), pixelOf(at, f)];
        brush.hidden = Math.abs(b - a) < 5;
        brush.style.cssText = `left:${Math.min(a, b)}px;width:${Math.abs(b - a)}px;top:${f.top}px;height:${f.height}px`;
      }
    });
    plot.addEventListener('pointerup', (event) => {
      const f = frame();
      const to = valueAt(event.clientX - f.outer.left, f);
      if (from !== null && !brush.hidden) show(Math.min(from, to), Math.max(from, to));
      from = null;
      brush.hidden = true;
    });
    plot.addEventListener('pointerleave', () => {
      tip.hidden = cursor.hidden = true;
    });
    plot.addEventListener('pointercancel', () => {
      from = null;
      brush.hidden = true;
    });
    reset.addEventListener('click', () => show(...whole));
  });
}

export const script = `(${enliven.toString()})(${formatNumber.toString()})`;
