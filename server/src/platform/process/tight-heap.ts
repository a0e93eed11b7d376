// Settings of V8's garbage collection for this process.
import { setFlagsFromString } from 'node:v8'

/**
 * Call it before anything else runs (decision 36).
 * - Old objects are collected when they take twice the memory that the last collection left. By default it may become several
 *   times as much, and heavy traffic leaves enough of them.
 * - No object is allocated as old. V8 does so where earlier objects lived long; then every short-lived object that such
 *   an object refers to is kept and moved as well.
 */
export function keepHeapTight(): void {
  setFlagsFromString('--heap-growing-percent=100')
  setFlagsFromString('--no-allocation-site-pretenuring')
}
