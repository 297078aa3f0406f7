import { read, failure } from './dom.js';

/** Reads data every few seconds while the page is seen, and shows it; returns what ends that. */
export function refresh(main, path, parameters, showData, milliseconds = 2000) {
  let ended = false;
  let timer = 0;
  let problem = null;
  let turns = 0;

  async function turn() {
    clearTimeout(timer);
    turns += 1;
    const mine = turns; // A younger turn takes the place of one that still reads.
    try {
      const data = await read(path, parameters());
      if (ended || mine !== turns) return;
      problem?.remove();
      problem = null;
      showData(data);
    } catch (error) {
      if (ended || mine !== turns) return;
      const next = failure(error);
      if (problem?.textContent !== next.textContent) { // An alert, which is said once.
        problem?.remove();
        main.append(next);
        problem = next;
      }
    }
    if (!ended && mine === turns && milliseconds) timer = setTimeout(turn, document.hidden ? milliseconds * 5 : milliseconds);
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
