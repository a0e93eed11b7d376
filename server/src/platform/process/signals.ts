export interface Signals {
  /** Aborted by the first signal: stop cleanly. */
  readonly stopping: AbortSignal
  /** Aborted by the second: as quickly as is safe. More of them change nothing. */
  readonly hurry: AbortSignal
  /** Does what a signal does. */
  readonly stop: () => void
}

/** Takes over SIGINT, SIGTERM and SIGHUP: a terminal that closes is an end too. */
export function listenForSignals(): Signals {
  const stopping = new AbortController()
  const hurry = new AbortController()
  const stop = () => (stopping.signal.aborted ? hurry : stopping).abort()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop)
  return { stopping: stopping.signal, hurry: hurry.signal, stop }
}
