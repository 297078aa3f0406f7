/* global uPlot */
import { h, setText } from './dom.js';
import { history, onSample } from './live.js';
import { bytes, time } from './format.js';

const windowMin = 120;
const windowMax = 600;
const dark = matchMedia('(prefers-color-scheme: dark)');
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

function axis(format, size) {
  return {
    stroke: colour('--muted'), font, size, gap: 4,
    grid: { stroke: colour('--grid'), width: 1 }, ticks: { show: false },
    values: (chart, splits) => splits.map((value) => (value === null ? ''
      : format(value, chart.scales.x.max - chart.scales.x.min))),
  };
}

// Seconds while the window is short, for labels that differ.
const clock = (value, range) => time(value).slice(-8, range < 300 ? undefined : -3);

// Steps that are round in the unit of a format: bytes count by 1024.
const byteSteps = [0, 1, 2, 3, 4].flatMap((power) => [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((step) => step * 1024 ** power));

const powersOfTen = (_, splits) => splits.map((value) => (Math.abs(Math.log10(value) % 1) < 1e-6 ? value : null));

function logRange(low, high) {
  const from = 10 ** Math.floor(Math.log10(Math.max(0.1, low ?? 1)));
  return [from, Math.max(from * 100, 10 ** Math.ceil(Math.log10(Math.max(0.1, high ?? 1))))];
}

function xRange(_, min, max) {
  if (max === null || max === undefined) return [Date.now() / 1000 - windowMin, Date.now() / 1000];
  return [max - Math.min(windowMax, Math.max(windowMin, max - min)), max];
}

/**
 * A panel with a chart that lives: title, the present figure, and lines over the last ten minutes.
 * series: [{ name, label, colour: 1..6 }]; stacked: each on top of the one before; log: for times, which differ by
 * powers of ten.
 */
export function panel({ title, series, format, figure, max, min = 0, stacked = false, log = false, wide = false, note }) {
  const figureElement = h('p', { class: 'figure' }, '–');
  const noteElement = h('p', { class: 'note' });
  const tip = h('div', { class: 'tip', 'aria-hidden': 'true' });
  const place = h('div', { class: 'chart', role: 'img', 'aria-label': title }, tip);
  const element = h('section', { class: wide ? 'panel wide' : 'panel' },
    h('div', { class: 'head' }, h('h2', {}, title), figureElement), place,
    series.length > 1
      ? h('p', { class: 'keys' }, series.map((one, i) => h('span', { class: `k${one.colour ?? i + 1}` }, one.label)))
      : null,
    noteElement);
  let plot = null;

  function data() {
    const columns = series.map((one) => history[one.name] ?? []);
    if (!stacked) return [history.t, ...columns];
    const sums = [];
    columns.forEach((column, i) => sums.push(column.map((value, at) => (value ?? 0) + (sums[i - 1]?.[at] ?? 0))));
    return [history.t, ...sums.toReversed()];
  }

  function showTip(chart) {
    const at = chart.cursor.idx;
    tip.style.display = at === null || at === undefined ? 'none' : 'block';
    if (at === null || at === undefined) return;
    const values = series.map((one) => `${series.length > 1 ? `${one.label} ` : ''}${format(history[one.name]?.[at])}`);
    tip.textContent = `${time(history.t[at])}  ${values.join('  ')}`;
  }

  function make() {
    plot?.destroy();
    const drawn = stacked ? series.toReversed() : series;
    plot = new uPlot({
      width: Math.max(120, place.clientWidth), height: place.clientHeight,
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      padding: [8, 18, 0, 0],
      scales: {
        x: { time: true, range: xRange },
        y: log
          ? { distr: 3, range: (_, low, high) => logRange(low, high) }
          : { range: (_, low, high) => [min, Math.max(max?.() ?? 0, (high ?? 0) * 1.08, min + 1)] },
      },
      axes: [
        { ...axis(clock, 24), space: 80 },
        {
          ...axis(format, 62), space: log ? 18 : 34, ...(format === bytes ? { incrs: byteSteps } : {}),
          ...(log ? { filter: powersOfTen, grid: { stroke: colour('--grid'), width: 1, filter: powersOfTen } } : {}),
        },
      ],
      series: [{}, ...drawn.map((one) => {
        const stroke = colour(`--c${one.colour ?? series.indexOf(one) + 1}`);
        const isFilled = stacked || series.length === 1;
        return {
          stroke, width: 1.5, spanGaps: false, points: { show: false },
          fill: isFilled ? `${stroke}${stacked ? '66' : '22'}` : undefined,
        };
      })],
      hooks: { setCursor: [showTip] },
    }, data(), place);
  }

  function update() {
    const sample = Object.fromEntries(Object.keys(history).map((name) => [name, history[name].at(-1)]));
    const text = figure ? figure(sample) : [format(sample[series[0].name])];
    figureElement.replaceChildren(text[0], text[1] ? h('small', {}, ` ${text[1]}`) : '');
    const label = `${title}: ${text.filter(Boolean).join(' ')}`;
    if (place.getAttribute('aria-label') !== label) place.setAttribute('aria-label', label);
    setText(noteElement, note ? note(sample) : '');
    noteElement.hidden = !noteElement.textContent;
    plot?.setData(data());
  }

  const resized = new ResizeObserver(() => {
    if (!plot) make();
    else if (place.clientWidth > 0) plot.setSize({ width: place.clientWidth, height: place.clientHeight });
  });
  resized.observe(place);
  dark.addEventListener('change', make);
  const ends = onSample(update);
  update();
  return {
    element,
    end() {
      ends();
      resized.disconnect();
      dark.removeEventListener('change', make);
      plot?.destroy();
    },
  };
}
