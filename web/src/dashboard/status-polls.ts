import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { useState } from 'react'

// 140 s of polls: as many ticks as fit in the stat card.
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

/** The polls since this page was opened, oldest first. The gateway keeps no history of its own state. */
export function useStatusPolls({
  data,
  isError,
  dataUpdatedAt,
  errorUpdatedAt,
}: StatusReading): readonly StatusPoll[] {
  const [polls, setPolls] = useState<readonly StatusPoll[]>([])
  const at = isError ? errorUpdatedAt : dataUpdatedAt
  if (at > (polls.at(-1)?.at ?? 0))
    setPolls([...polls, { at, status: isError ? undefined : data }].slice(-pollsKeptMax))
  return polls
}
