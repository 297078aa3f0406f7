// Runs named checks one after the other and ends with the line that run.sh sums up.
import assert from 'node:assert/strict';

let passed = 0;
let failed = 0;

export async function check(name, body) {
  try {
    await body();
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}: ${error.stack ?? error}`);
  }
}

export const equal = assert.deepEqual;

export async function rejects(promise, text) {
  await assert.rejects(promise, (error) => error.message.includes(text) || assert.fail(error.message));
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed || !passed ? 1 : 0;
}
