import { commandStatus } from '@tollgate/smpp/values/command-status.ts'

/** SMPP 3.4 §5.1.3: whether a peer accepted nothing because it is busy, so that the same message may be sent again. */
export function isBusy(status: number): boolean {
  return status === commandStatus.ESME_RMSGQFUL || status === commandStatus.ESME_RTHROTTLED
}
