import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Line {
  readonly label: string;
  /** A custom property of the style sheet. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly text: (value: number) => string;
}

interface PlotProps {
  readonly title: string;
  /** Milliseconds since 1970, in order. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** The ends of the scale; absent, those of the values. */
  readonly range?: readonly [number, number];
}

const HEIGHT = 160;

/** Values over time. Readers of the screen get the last values as a sentence. */
export function Plot({ title, times, lines, range }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = box.current;
    if (!place) return undefined;
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(place, lines, range), dataOf(times, lines), place);
    };
    draw();
    const size = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }));
    size.observe(place);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    theme.addEventListener('change', draw);
    return () => {
      size.disconnect();
      theme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [times, lines, range]);
  return (
    <figure class="plot">
      <figcaption>
        {title}
        <span class="unseen">: {lines.map(lastOf).join(', ')}</span>
      </figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  );
}

function clockText(seconds: number): string {
  return new Date(seconds * 1_000).toTimeString().slice(0, 8);
}

function lastOf({ label, values, text }: Line): string {
  const value = values.findLast((each) => each !== null);
  return `${label} ${value === undefined || value === null ? 'none' : text(value)}`;
}

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;
}

function optionsOf(place: HTMLElement, lines: readonly Line[], range: PlotProps['range']): uPlot.Options {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--border'), width: 1 },
    ticks: { stroke: colour('--border'), width: 1 },
  };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: true }, ...(range && { y: { range: [...range] as [number, number] } }) },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map(clockText) },
      { ...axis, size: 60, values: (_plot, ticks) => ticks.map((tick) => lines[0]?.text(tick) ?? String(tick)) },
    ],
    series: [
      { label: 'Time', value: (_plot, value) => (value === null ? '' : clockText(value)) },
      ...lines.map(({ label, colour: name, text }) => ({
        label,
        stroke: colour(name),
        width: 1.5,
        points: { show: lines.length > 0 && place.clientWidth > 0, size: 4 },
        value: (_plot: uPlot, value: number | null) => (value === null ? '' : text(value)),
      })),
    ],
  };
}
