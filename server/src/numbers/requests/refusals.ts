// Why a request is not what somebody wants to do with it.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { RequestStatus } from '@tollgate/contract/vocabulary.ts'

const names = {
  pending: { text: 'pending' },
  approved: { text: 'approved' },
  assigned: { text: 'assigned' },
  rejected: { text: 'rejected' },
  withdrawn: { text: 'withdrawn' },
} as const satisfies Record<RequestStatus, object>

/** For those who decide on requests. */
export function answeredAlready(status: RequestStatus): Refusal {
  const words = sentence('This request is already {status}. Reload the list.', { status: names[status] })
  return new Refusal('wrong_state', words)
}

/** For the requester. */
export function tooLate(act: 'edit' | 'withdraw', status: RequestStatus): Refusal {
  const values = { status: names[status] }
  return new Refusal(
    'wrong_state',
    act === 'edit'
      ? sentence('This request is already {status}, so it cannot be changed.', values)
      : sentence('This request is already {status}, so it cannot be withdrawn.', values),
  )
}
