// Measures the depth and size of a JSON text before it is parsed: a small text can become many objects, and code that
// recurses into a deep one may need more stack or time than there is.
import { setImmediate as turn } from 'node:timers/promises'

export interface JsonLimits {
  /** Nested objects and lists. */
  readonly depth: number
  /** Objects and lists in all. */
  readonly containers: number
}

export interface JsonShape {
  /** The limit that the text exceeds, where the measuring stopped; undefined when it is within all limits. */
  readonly excess: keyof JsonLimits | undefined
  /** Whether it holds a whole number that a double cannot hold. */
  readonly hasLongNumber: boolean
}

// A millisecond of work; after each slice the event loop gets a turn.
const sliceBytes = 1_048_576
const longNumberDigits = 16
const quote = 0x22
const backslash = 0x5c
const openings = new Set([0x5b, 0x7b])
const closings = new Set([0x5d, 0x7d])

interface Progress {
  depth: number
  containers: number
  isInText: boolean
  isEscaped: boolean
  /** Digits in a row, outside texts. */
  digits: number
  hasLongNumber: boolean
  excess: keyof JsonLimits | undefined
}

/** Measures UTF-8 text in one pass; it need not be valid JSON, which the parser finds out. */
export async function measureJson(bytes: Uint8Array, limits: JsonLimits): Promise<JsonShape> {
  const progress: Progress = {
    depth: 0,
    containers: 0,
    isInText: false,
    isEscaped: false,
    digits: 0,
    hasLongNumber: false,
    excess: undefined,
  }
  for (let from = 0; from < bytes.length && progress.excess === undefined; from += sliceBytes) {
    measureSlice(bytes, from, Math.min(bytes.length, from + sliceBytes), progress, limits)
    if (bytes.length > sliceBytes) await turn()
  }
  return progress
}

function measureSlice(
  bytes: Uint8Array,
  from: number,
  to: number,
  progress: Progress,
  limits: JsonLimits,
): void {
  for (let place = from; place < to && progress.excess === undefined; place += 1) {
    const byte = bytes[place] ?? 0
    if (progress.isInText) {
      if (progress.isEscaped) progress.isEscaped = false
      else if (byte === backslash) progress.isEscaped = true
      else if (byte === quote) progress.isInText = false
    } else if (byte >= 0x30 && byte <= 0x39) {
      progress.digits += 1
      if (progress.digits === longNumberDigits) progress.hasLongNumber = true
    } else {
      progress.digits = 0
      if (byte === quote) progress.isInText = true
      else if (openings.has(byte)) open(progress, limits)
      else if (closings.has(byte)) progress.depth -= 1
    }
  }
}

function open(progress: Progress, limits: JsonLimits): void {
  progress.depth += 1
  progress.containers += 1
  if (progress.depth > limits.depth) progress.excess = 'depth'
  else if (progress.containers > limits.containers) progress.excess = 'containers'
}
