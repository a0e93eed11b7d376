// How V8 keeps this process's heap.
import { setFlagsFromString } from 'node:v8'

/**
 * To be called before anything else runs (decision 36).
 * - Old objects are collected once they are twice those that the last collection left. By default they may become several
 *   times as many, and a flood leaves enough behind for that.
 * - No object is born old. V8 does so with those whose like lived long before, and then whatever short-lived thing such
 *   an object names is kept and moved as well.
 */
export function keepHeapTight(): void {
  setFlagsFromString('--heap-growing-percent=100')
  setFlagsFromString('--no-allocation-site-pretenuring')
}
