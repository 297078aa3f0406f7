import { read, failure } from './dom.js';

/** Reads data every few seconds while the page is seen, and shows it; returns what ends that. */
export function refresh(main, path, parameters, showData, milliseconds = 2000) {
  let ended = false;
  let timer = 0;
  let problem = null;

  async function turn() {
    clearTimeout(timer);
    try {
      const data = await read(path, parameters());
      if (ended) return;
      problem?.remove();
      problem = null;
      showData(data);
    } catch (error) {
      if (ended) return;
      const next = failure(error);
      if (problem) problem.replaceWith(next);
      else main.append(next);
      problem = next;
    }
    if (!ended && milliseconds) timer = setTimeout(turn, document.hidden ? milliseconds * 5 : milliseconds);
  }

  turn();
  return {
    now: turn,
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
