"""What the programs of faults have in common: they run those that are named, or all, and count."""
import concurrent.futures
import sys
import time
import traceback


def main(faults, beside=()):
    """Runs functions that return what is worth telling, or raise. Returns the exit code.

    beside: those of them that mostly wait, and run while the others do.
    """
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")]
    faults = [fault for fault in faults if not chosen or fault.__name__ in chosen]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = [pool.submit(run, fault) for fault in faults if fault in beside]
        results = [run(fault) for fault in faults if fault not in beside] + [each.result() for each in waiting]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if results and all(results) else 1


def run(fault):
    """Returns whether it ended as it has to, and prints how."""
    start = time.monotonic()
    try:
        said = fault()
        print(f"ok      {fault.__name__}, {time.monotonic() - start:.0f} s: {said}", flush=True)
        return True
    except Exception:
        print(f"FAILED  {fault.__name__}\n{traceback.format_exc()}", flush=True)
        return False
