// What a provider does wrong. Every text is fit to show: it says what happened, and nothing of our inside.
import { EgressRefused, OutsideFault } from '../platform/security/egress.ts'

export interface FaultExtra {
  /** When it asks to be asked again, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined
  /** The walk cannot go on from its cursor; the next one starts anew. */
  readonly endsWalk?: boolean
  readonly cause?: unknown
}

export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly retryAfterMs: number | undefined
  readonly endsWalk: boolean

  constructor(message: string, { retryAfterMs, endsWalk = false, cause }: FaultExtra = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
    this.endsWalk = endsWalk
  }
}

/** The fault's own words if it is the provider's; undefined when it is ours. */
export function faultWords(error: unknown): string | undefined {
  const isTold =
    error instanceof ProviderFault || error instanceof EgressRefused || error instanceof OutsideFault
  return isTold ? error.message : undefined
}
