import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import { useState } from 'react'

// Two and a half minutes of polls: as many ticks as the stat card has room for.
const pollsKeptMax = 28

/** One poll of the status: `status` is undefined when no answer came. */
export interface StatusPoll {
  readonly at: number
  readonly status: SmppStatus | undefined
}

interface StatusReading {
  readonly data: SmppStatus | undefined
  readonly isError: boolean
  readonly dataUpdatedAt: number
  readonly errorUpdatedAt: number
}

/** The last polls since this page was opened, oldest first: the gateway keeps no history of its own state. */
export function useStatusPolls({
  data,
  isError,
  dataUpdatedAt,
  errorUpdatedAt,
}: StatusReading): readonly StatusPoll[] {
  const [polls, setPolls] = useState<readonly StatusPoll[]>([])
  const at = isError ? errorUpdatedAt : dataUpdatedAt
  if (at > 0 && polls.at(-1)?.at !== at)
    setPolls([...polls, { at, status: isError ? undefined : data }].slice(-pollsKeptMax))
  return polls
}
