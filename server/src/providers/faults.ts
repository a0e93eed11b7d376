// Faults of a provider. Each message may be shown: it says what happened and nothing of our internals.
import { EgressRefused, OutsideFault } from '../platform/security/egress.ts'

export interface ProviderFaultOptions {
  /** The provider's Retry-After, in milliseconds from now. */
  readonly retryAfterMs?: number | undefined
  /** The walk cannot continue from its cursor; the next one starts from the beginning. */
  readonly endsWalk?: boolean
  readonly cause?: unknown
}

export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly retryAfterMs: number | undefined
  readonly endsWalk: boolean

  constructor(message: string, { retryAfterMs, endsWalk = false, cause }: ProviderFaultOptions = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
    this.endsWalk = endsWalk
  }
}

/** The message of a provider's fault; undefined for a fault of ours, which must not be shown. */
export function faultMessage(error: unknown): string | undefined {
  const isShowable =
    error instanceof ProviderFault || error instanceof EgressRefused || error instanceof OutsideFault
  return isShowable ? error.message : undefined
}
