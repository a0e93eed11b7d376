// How far the heap may grow before it is collected.
import { setFlagsFromString } from 'node:v8'

/**
 * Has old objects collected once they are twice those that the last collection left. By default they may
 * become several times as many, and a flood leaves enough behind for that (decision 63).
 */
export function keepHeapTight(): void {
  setFlagsFromString('--heap-growing-percent=100')
}
