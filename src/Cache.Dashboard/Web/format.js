const none = '–';
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function digits(value) {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** 1,234,567 */
export const whole = (value) => (isNumber(value) ? grouped.format(Math.round(value)) : none);

/** 1.23 M */
export function short(value) {
  if (!isNumber(value)) return none;
  const size = Math.abs(value);
  if (size >= 1e9) return `${digits(value / 1e9)} G`;
  if (size >= 1e6) return `${digits(value / 1e6)} M`;
  if (size >= 1e4) return `${digits(value / 1e3)} k`;
  return size >= 100 ? grouped.format(value) : digits(value);
}

/** 64.0 MB, by powers of 1024 as maxmemory counts. */
export function bytes(value) {
  if (!isNumber(value)) return none;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = value;
  while (Math.abs(size) >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size.toFixed(0) : digits(size)} ${units[unit]}`;
}

/** 12.3 µs */
export function microseconds(value) {
  if (!isNumber(value)) return none;
  if (value >= 1e6) return `${digits(value / 1e6)} s`;
  if (value >= 1e3) return `${digits(value / 1e3)} ms`;
  return `${digits(value)} µs`;
}

export const percent = (value) => (isNumber(value) ? `${value >= 99.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %` : none);

/** 3 d 4 h */
export function seconds(value) {
  if (!isNumber(value)) return none;
  const whole = Math.max(0, Math.floor(value));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

const two = (value) => String(value).padStart(2, '0');

/** 14:03:22 in the reader's time zone; with the date if that is another day. */
export function time(unixSeconds) {
  const at = new Date(unixSeconds * 1000);
  if (Number.isNaN(at.getTime())) return none; // Beyond the year 275760, as an expiry may be.
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? clock : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
}
