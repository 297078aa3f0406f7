"""What the programs of faults have in common: they run those that are named, or all, and count."""
import sys
import time
import traceback


def main(faults):
    """Runs functions that return what is worth telling, or raise. Returns the exit code."""
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")]
    passed = failed = 0
    for fault in faults:
        if chosen and fault.__name__ not in chosen:
            continue
        start = time.monotonic()
        try:
            said = fault()
            print(f"ok      {fault.__name__}, {time.monotonic() - start:.0f} s: {said}", flush=True)
            passed += 1
        except Exception:
            print(f"FAILED  {fault.__name__}\n{traceback.format_exc()}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
